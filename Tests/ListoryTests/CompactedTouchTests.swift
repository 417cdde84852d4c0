// Tests how much of a compacted store histories of rows and pages of the trash look at. The index of touches lacks its packed commits, and
// its log may begin with rows.

@testable import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("What histories of rows and the trash read of a compacted store")
struct CompactedTouchTests {
    /// The store of a fixture, compacted, so that all commits but the last one are packed.
    private static func compacted(
        _ fixture: StoreFixture, keeping kept: Compaction.Kept = .everything
    ) throws -> UntypedStore {
        try fixture.store.close()
        var compaction = Compaction(keeping: kept)
        compaction.unpackedCount = 1
        try UntypedStore.compact(at: fixture.path, compaction)
        return try UntypedStore.open(at: fixture.path)
    }

    @Test("A page of the trash that begins in the past looks at a few touches for each row, however many are packed")
    func page() throws {
        let fixture = try StoreFixture { $0.durability = .deferred }
        try fixture.fill(300)
        for row in 0..<300 { try fixture.store.edit("Delete") { try $0.delete(.item(.integer(Int64(row)))) } }
        let store = try Self.compacted(fixture)
        let newest = try store.version
        let found = try store.trash(before: newest)
        #expect(found.map(\.row.id) == (0..<299).reversed().map { .integer(Int64($0)) })
        // Of 600 packed touches: ten to find those of a row, and these two.
        let lookCount = store.tails.withLock { $0.packed.lookCount }
        #expect(lookCount > 299 && lookCount <= 299 * 12, "\(lookCount) touches")
        // Nor do later pages read them again.
        #expect(try store.trash(before: newest) == found)
        #expect(store.tails.withLock { $0.packed.lookCount } == 2 * lookCount)
        try store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("The rows that a compacted log begins with are read once, however many histories are asked for")
    func oldestRows() throws {
        let fixture = try StoreFixture { $0.durability = .deferred }
        try fixture.fill(500)
        for number in 0..<200 {
            try fixture.store.edit("Check") { try $0.toggle(.item(.integer(Int64(number % 20)))) }
        }
        let store = try Self.compacted(fixture, keeping: .from(100))
        func readCount() -> Int { store.tails.withLock { $0.oldestReadCount } }
        _ = try store.history(ofRow: 7)
        let first = readCount()
        // All rows, their section, and row 7 again.
        #expect(first == 502)
        for id in 0..<20 as Range<UInt64> {
            let versions = (101...201 as ClosedRange<UInt64>).reversed().filter { ($0 - 2) % 20 == id }
            let history = try store.history(ofRow: .integer(Int64(id)))
            #expect(history.map(\.commit.version.rawValue) == versions, "row \(id)")
            #expect(history.allSatisfy { $0.kinds == .toggled })
        }
        let blames = try store.blame(ofRows: (0..<20).map { .integer(Int64($0)) })
        #expect(blames.allSatisfy { $0.toggled != nil && $0.inserted == nil })
        // Each row itself, because another one could have its fingerprint.
        #expect(readCount() == first + 40)
        try store.close()
        // Without a row of the fingerprint, not even the snapshot is needed.
        #expect(try store.oldestSubjects(of: [RowOrSection.row("nobody").fingerprint]).isEmpty)
        #expect(throws: ListError.self) { try store.oldestSubjects(of: [RowOrSection.row(7).fingerprint]) }
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("Each row and each section of a version is found by its fingerprint")
    func fingerprints() throws {
        var edited = try EditedStore(seed: 5)
        try edited.edit(200)
        let rows = try edited.store.snapshot
        let oldest = OldestSubjects(rows)
        #expect(oldest.count == rows.itemCount + rows.sectionCount && rows.itemCount > 0)
        for section in rows.sections {
            let subjects = [RowOrSection.section(section.id)] + section.items.map { RowOrSection.row($0.id) }
            for subject in subjects {
                let found = oldest.subjects(of: subject.fingerprint, in: rows)
                #expect(found.contains(subject) && found.allSatisfy { $0.fingerprint == subject.fingerprint })
            }
        }
        #expect(oldest.subjects(of: RowOrSection.row("nobody").fingerprint, in: rows).isEmpty)
        #expect(OldestSubjects(.empty).subjects(of: 0, in: .empty).isEmpty)
    }
}
