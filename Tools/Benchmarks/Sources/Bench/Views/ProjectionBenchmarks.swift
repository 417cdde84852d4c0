// Measures projections: an edit with a projection, compared with the same edit without, and folding a log from its
// beginning.
//
// Always holds: edits do not wait for the disk, which would hide the measured time; the store takes checkpoints as
// usual.

import BenchSupport
import ListModel
import Listory

/// Measures projections.
struct ProjectionBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames

    /// Counts commits by name; needs nothing else.
    private struct CommitCounts: Projection, Codable {
        static let name = "commit-counts"
        static let version = 1
        var counts: [String: Int] = [:]

        mutating func apply(_ event: ListEvent, in context: EventContext) {
            counts[context.commit.name, default: 0] += 1
        }
    }

    /// Counts the checked rows, by reading the rows.
    private struct CheckedCount: Projection, Codable {
        static let name = "checked-count"
        static let version = 1
        static let readsRows = true
        var count = 0

        mutating func apply(_ event: ListEvent, in context: EventContext) {
            guard case .itemToggled(let path, _, _) = event, let item = context.rows.item(at: path) else { return }
            count += item.isChecked ? -1 : 1
        }
    }

    /// When the value is read.
    private enum Reading: String, CaseIterable {
        case atTheEnd = "read-at-the-end"
        case afterEach = "read-after-each"
    }

    func run() throws {
        let rowCount = scale.rowCounts[1]
        for reading in Reading.allCases {
            try measure("projection/edit/events/\(reading.rawValue)", rowCount) { store in
                try Self.reader(store, CommitCounts.self, reading)
            }
            try measure("projection/edit/rows/\(reading.rawValue)", rowCount) { store in
                try Self.reader(store, CheckedCount.self, reading)
            }
        }
        try measureCatchingUp()
    }

    /// Called after each edit, and after the last.
    private typealias Reader = (afterEach: () throws -> Void, atTheEnd: () throws -> Void)

    private static func reader<Value: Projection & SendableMetatype>(
        _ store: UntypedStore, _ type: Value.Type, _ reading: Reading
    ) throws -> Reader {
        let projection = try store.projection(type)
        _ = try projection.value
        return ({ if reading == .afterEach { _ = try projection.value } }, { _ = try projection.value })
    }

    /// Nanoseconds per edit, compared with the same edits without a projection.
    private func measure(_ name: String, _ rowCount: Int, _ reader: @escaping (UntypedStore) throws -> Reader) throws {
        guard runner.wants(name) else { return }
        let peer = Runner.Peer(name: "the same edits without a projection", ratioKind: .cost) {
            try sample(rowCount) { _ in ({}, {}) }
        }
        try runner.measure("\(name)/\(NumberText.count(rowCount))", unit: "ns/edit", peer: peer) {
            try sample(rowCount, reader)
        }
    }

    private func sample(_ rowCount: Int, _ reader: (UntypedStore) throws -> Reader) throws -> Double {
        try files.withNewFile { path in
            let store = try Self.store(path, rowCount)
            let reader = try reader(store)
            let edits = scale.editCount
            let time = try seconds {
                for index in 0..<edits {
                    let id = UntypedID.integer(Int64(index &* 7_919 % rowCount))
                    try store.edit("Toggle") { try $0.toggle(.item(id)) }
                    try reader.afterEach()
                }
                try reader.atTheEnd()
            }
            try store.close()
            return time / Double(edits) * 1e9
        }
    }

    /// A store with the given number of rows, whose edits do not wait.
    private static func store(_ path: String, _ rowCount: Int) throws -> UntypedStore {
        var options = StoreOptions()
        options.durability = .deferred
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("Fill") { list in
            let items = (0..<rowCount).map { NewRow(id: .integer(Int64($0)), content: [1, 2, 3]) }
            try list.insertSection(NewSection(id: "rows", items: items))
        }
        try store.waitUntilDurable()
        return store
    }

    /// Measures millions of events per second, from the beginning of a log with commits of one event.
    private func measureCatchingUp() throws {
        let names = ["events", "rows"].map { "projection/catch-up/\($0)/\(NumberText.count(scale.replayEventCount))" }
        guard names.contains(where: runner.wants) else { return }
        try files.withNewFile { path in
            let rowCount = 10_000
            let store = try Self.store(path, rowCount)
            for index in 0..<scale.replayEventCount {
                try store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(index &* 7_919 % rowCount)))) }
            }
            try store.waitUntilDurable()
            func measure<Value: Projection & SendableMetatype>(_ name: String, _ type: Value.Type) throws {
                let projection = try store.projection(type)
                try runner.measure(name, unit: "M events/s") {
                    let time = try seconds { try projection.rebuild() }
                    return Double(scale.replayEventCount) / time / 1e6
                }
            }
            try measure(names[0], CommitCounts.self)
            try measure(names[1], CheckedCount.self)
            try store.close()
        }
    }
}
