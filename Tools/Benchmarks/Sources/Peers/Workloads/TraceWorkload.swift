// Replays a recorded editing session into a store, with a row for each character: a commit per key, or all keys in one
// commit.
//
// Always holds: reading the recording and making the rows is not measured; the clock stops when everything is durable.

import BenchSupport
import ListModel
import Listory
import ProbeSupport
import TestSupport
import ToolSupport

/// Replays a recording.
struct TraceWorkload {
    let order: MeasureOrder
    private static let section: UntypedID = "text"

    /// A key stroke: it inserts or deletes a character.
    private struct Key {
        let place: ListIndexPath
        let item: NewRow?

        @inline(__always)
        func press(_ list: inout UntypedEditor) throws {
            if let item { try list.insert(item, at: .at(place)) } else { try list.delete(.at(place)) }
        }
    }

    /// Replays, then reads the version in the middle and compares it with the newest.
    func measurePast(_ sink: Sink) throws -> Values {
        let (store, rowCount, time, memory) = try replayed()
        var values: Values = [.seconds: time, .net: time]
        try measurePast(of: store, rowCount: rowCount, &values, sink)
        // Snapshots would keep the file open: a store gives back what is free in it when nobody reads it any more.
        try store.close()
        values[.disk] = try bytesOnDisk(order.path)
        values[.memory] = memory
        return values
    }

    /// Measures the version in the middle, and how it differs from the newest.
    private func measurePast(of store: UntypedStore, rowCount: Int, _ values: inout Values, _ sink: Sink) throws {
        let end = try store.snapshot
        guard end.itemCount == rowCount else { throw WrongResult(what: "rows of the recording") }
        // A single commit has no version in the middle.
        guard order.contender == .listory else { return }
        let middle = Version(end.version.rawValue / 2)
        var past: UntypedSnapshot?
        values[.checkout] = try seconds { past = try store.snapshot(at: middle) }
        values[.difference] = try seconds {
            let changes = try store.changeset(from: middle, to: end.version)
            sink.take(changes.items.inserted.count)
        }
        guard past?.version == middle else { throw WrongResult(what: "rows of the middle") }
    }

    /// Replays, then undoes the last keys.
    func measureUndo() throws -> Values {
        let (store, _, _, _) = try replayed()
        // The checkpoint that the replay has made due is taken now, so that it is not measured with the undo.
        try store.checkpoint()
        let before = try store.snapshot.version
        let count = min(order.count, Int(before.rawValue) - 1)
        let time = try seconds {
            for _ in 0..<count { try store.undo(durability: .deferred) }
            try store.waitUntilDurable()
        }
        guard try store.snapshot.stateHash == store.snapshot(at: Version(before.rawValue - UInt64(count))).stateHash
        else { throw WrongResult(what: "rows after the undos") }
        try store.close()
        return [.undo: time / Double(count)]
    }

    /// - Returns: a store with the recording, how many rows it must have, the seconds of all commits, and the private
    ///   memory that they left in use.
    private func replayed() throws -> (store: UntypedStore, rowCount: Int, seconds: Double, memory: Double?) {
        let keys = try TraceWorkload.keys(atMost: order.size)
        let before = ProcessMemory.afterTrimming()
        var options = StoreOptions()
        // Each key is a separate undo step.
        options.coalescing = .never
        let store = try UntypedStore.create(at: order.path, options: options)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: TraceWorkload.section)) }
        let time = try seconds {
            let commitSize = order.contender == .listoryAtOnce ? keys.count : 1
            var rest = keys[...]
            while !rest.isEmpty {
                let group = rest.prefix(commitSize)
                try store.edit("type", durability: .deferred) { list in
                    // By index, because a copy of each key would be measured too.
                    for index in group.indices { try group[index].press(&list) }
                }
                rest = rest.dropFirst(group.count)
            }
            try store.waitUntilDurable()
        }
        let after = ProcessMemory.current()
        let rowCount = keys.reduce(0) { $0 + ($1.item == nil ? -1 : 1) }
        guard let before, let after else { return (store, rowCount, time, nil) }
        return (store, rowCount, time, Double(after.privateBytes - before.privateBytes))
    }

    private static func keys(atMost limit: Int) throws -> [Key] {
        let trace = try EditingTrace(json: ImportInput(path: RecordedTrace.automergePaper.path).bytes)
        var contents: [Unicode.Scalar: [UInt8]] = [:]
        var keys: [Key] = []
        for patch in trace.transactions.lazy.flatMap(\.patches) {
            guard keys.count < limit else { break }
            for _ in 0..<patch.deleted {
                keys.append(Key(place: ListIndexPath(section: 0, item: patch.position), item: nil))
            }
            for (offset, scalar) in patch.inserted.unicodeScalars.enumerated() {
                let content = contents[scalar] ?? JSONValue.string(String(scalar)).bytes
                contents[scalar] = content
                keys.append(
                    Key(
                        place: ListIndexPath(section: 0, item: patch.position + offset),
                        item: NewRow(id: .integer(Int64(keys.count)), content: content)))
            }
        }
        return keys
    }
}
