// The log for the measurement of replay, made through a store.
//
// Always holds: the file and the memory have the same records.

import BenchSupport
import ListModel
import Listory

/// A log, in memory and in a file.
final class ReplayLog {
    private let path: String
    /// All records, one after another; they begin at `offsets`.
    private var bytes: [UInt8] = []
    private var offsets: [Int] = [0]
    private(set) var eventCount = 0

    /// The log and the file have different records.
    struct Differs: Error {}

    init(_ scale: Scale, eventsPerCommit: Int, path: String) throws {
        self.path = path
        let store = try UntypedStore.create(at: path, options: ReplayLog.options)
        var edits = GrowingEdits(eventCount: scale.replayEventCount, rowCount: scale.replayRowCount)
        add(
            try store.edit("Begin", durability: .deferred) {
                try $0.insertSection(NewSection(id: ListRecipe.section, title: "Today"))
            })
        while eventCount < scale.replayEventCount {
            add(
                try store.edit("Edit", durability: .deferred) { list in
                    while list.pendingEventCount < eventsPerCommit { try edits.next().apply(to: &list) }
                })
        }
        try store.close()
    }

    private func add(_ commit: Commit?) {
        guard let commit else { return }
        bytes += commit.record
        offsets.append(bytes.count)
        eventCount += commit.eventCount
    }

    /// The seconds that a replay of the records takes.
    func replaySeconds(_ sink: Sink) throws -> Double {
        var state = ListState()
        let time = try bytes.withUnsafeBytes { bytes in
            try seconds {
                var checksum: UInt64 = 0
                for index in 1..<offsets.count {
                    let record = UnsafeRawBufferPointer(rebasing: bytes[offsets[index - 1]..<offsets[index]])
                    checksum = try state.replay(record, previousChecksum: checksum)
                }
            }
        }
        sink.take(state.stateHash().rawValue)
        return time
    }

    /// The options of the file: without checkpoints, so that the whole log is replayed.
    private static var options: StoreOptions {
        var options = StoreOptions()
        options.checkpoints = .never
        return options
    }

    /// The seconds that opening the file takes.
    func openSeconds(_ sink: Sink) throws -> Double {
        var store: UntypedStore?
        let time = try seconds { store = try UntypedStore.open(at: path, options: ReplayLog.options) }
        guard let store, Int(store.recovery.eventCount) == eventCount else { throw Differs() }
        sink.take(try store.snapshot.stateHash.rawValue)
        try store.close()
        return time
    }
}
