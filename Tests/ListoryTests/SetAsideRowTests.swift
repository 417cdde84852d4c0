// Tests the rows of commits that were set aside, with bytes that an attacker made.

@testable import ListModel
@testable import Listory
import Testing

@Suite("Rows of commits that were set aside")
struct SetAsideRowTests {
    @Test("A row with a version that no log can have is refused, without a crash")
    func impossibleVersions() {
        for number in [1 << 48, 1 << 63, .max] as [UInt64] {
            let version = Version(number)
            // A depth as great as the version does not fit into an `Int`.
            let entry = HistoryEntry.node(
                HistoryRevision(
                    version: version, parent: version.previous, jump: .empty, depth: Int(truncatingIfNeeded: number),
                    steps: 1, continues: false, previous: version.previous, switched: .empty, branchSwitch: nil))
            var writer = ByteWriter()
            let draft = CommitDraft(name: "Note", time: Timestamp(microseconds: 1))
            writer.begin(draft, version: version, entry: entry, link: 0)
            writer.write(ListEvent.annotated(name: "note", value: [1]), version: version)
            let record = writer.finish(
                version: version, entry: entry, stateHash: StateHash(rawValue: 0), eventCount: 1)
            let row = withUnsafeBytes(of: number.littleEndian) { Array($0) } + [0, 0, 0, 0] + record
            #expect(throws: RecordError.self) { try row.withUnsafeBytes { _ = try SetAsideCommit($0) } }
        }
    }
}
