// A process that edits a store while all its writes are recorded, for the tests of power cuts.
//
//     RecordedWriter STORE RECORD SEED COUNT [SYNCS]
//
// With SYNCS, the sync after that many others fails. The writer then tries again, or closes the store without the
// commits that could not be appended.
//
// It makes COUNT random commits, alone and in groups, small and large, with checkpoints and pauses between them. When a
// version becomes durable, it notes the version and its hash in the record.

import Listory
import ListModel
import TestSupport
import WriteRecorder

@main
enum RecordedWriter {
    static func main() throws {
        let arguments = CommandLine.arguments
        var generator = SeededGenerator(seed: UInt64(arguments[3])!)
        precondition(write_recorder_begin(arguments[1], arguments[2]) == 0, "the record cannot be written")
        var options = StoreOptions()
        // Small, so that it is often full.
        options.journal.size = (8 << 10) - 16
        options.journal.storeDelay = .milliseconds(5)
        options.checkpoints.interval = 64
        options.checkpoints.nodeWeight = 0
        var failureCount = 0
        if arguments.count > 5 { write_recorder_fail_sync(Int32(arguments[5])!) }
        let store = try Store.open(at: arguments[1], options: options)
        mark(try store.version, try store.snapshot.stateHash)
        for number in 0..<Int(arguments[4])! {
            for part in 0..<(generator.oneIn(4) ? Int.random(in: 2...6, using: &generator) : 1) {
                let size = generator.oneIn(12) ? 6_000 : Int.random(in: 0...200, using: &generator)
                let item = NewItem(
                    id: .string("\(arguments[3]) \(number) \(part)"),
                    content: [UInt8](repeating: UInt8(part), count: size))
                try store.edit("Insert", durability: .deferred) { list in
                    if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: "rows", title: "Rows")) }
                    try list.insert(item, at: .end(ofSection: "rows"))
                }
            }
            do { try store.waitUntilDurable() } catch StoreError.appendFailed {
                failureCount += 1
                precondition(failureCount == 1, "only one sync fails")
                if generator.oneIn(2) { return try store.close(discardingUnappended: true) }
                try store.waitUntilDurable()
            }
            mark(try store.version, try store.snapshot.stateHash)
            if generator.oneIn(30) { try? store.checkpoint() }
            if generator.oneIn(8) { try wait(milliseconds: 7) }
        }
        if generator.oneIn(2) { try store.close() }
    }

    private static func mark(_ version: Version, _ hash: StateHash) {
        write_recorder_mark("\(version) \(hash)")
    }

    private static func wait(milliseconds: Int) throws {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while ContinuousClock.now < end {}
    }
}
