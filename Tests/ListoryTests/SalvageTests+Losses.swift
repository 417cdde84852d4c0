// Tests what a page costs that the device cannot read, and that an app can open a store to which rows were added that were left over.

import Foundation
@testable import LMDB
import ListModel
@testable import Listory
import TestSupport
import Testing

extension SalvageTests {
    /// A file of which the device cannot read a part.
    private struct WornFile: PageSource {
        let content: [UInt8]
        let unreadable: Range<Int>

        func length() -> Int { content.count }

        func bytes(at offset: Int, count: Int) throws(LMDBError) -> RawPage {
            let range = min(offset, content.count)..<min(offset + count, content.count)
            if range.overlaps(unreadable) { throw LMDBError(.engine(.inputOutput), in: "pread") }
            let buffer = RawPage.Buffer(count)
            buffer.bytes.copyBytes(from: content[range])
            return RawPage(buffer, count: range.count, offset: offset)
        }
    }

    @Test("A page of the journal that the device cannot read costs the commits on it, and none before or after them")
    func unreadablePage() throws {
        let fixture = try StoreFixture {
            ($0.checkpoints, $0.coalescing) = (.never, .never)
            $0.journal.storeDelay = .seconds(3_600)
        }
        try fixture.fill(5)
        for number in 0..<200 as Range<Int64> {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(number % 5))) }
        }
        // As a process leaves it that is killed: all but the first commits are only in the journal.
        let path = fixture.folder.file("killed")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
        try fixture.store.close()
        let content = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var page = 0..<0
        try DataFile.scan(path) { scan in
            try scan.forEachEntry { entry in
                guard entry.database == Array("tail".utf8) else { return }
                let second = (entry.value.offset / scan.pageSize + 1) * scan.pageSize
                page = second..<second + scan.pageSize
            }
        }
        for unreadable in [0..<0, page] {
            let index = try SalvageIndex(try PageScan(WornFile(content: content, unreadable: unreadable)), path: path)
            let report = try Salvage(index, path, to: nil, StoreOptions()).run { _ in }.report
            #expect(report.newestVersion == 201 && index.scan.unreadablePageCount == (unreadable.isEmpty ? 0 : 1))
            // Each entry begins at a sector, and has one commit.
            #expect(report.lostCommitCount == UInt64(unreadable.count / Journal.sectorSize))
            #expect(report.isComplete == unreadable.isEmpty)
        }
    }

    private enum Day: String, SectionIdentifier { case today, tomorrow }

    private struct Line: Codable, Identifiable, Sendable {
        var id: Int
        var text: String
    }

    /// The path of a store with a row in each of six commits, of which one is lost.
    private func store<Section: SectionIdentifier>(
        in folder: TemporaryFolder, _ section: Section, losing version: UInt64
    ) throws -> String {
        let path = folder.file("list.listory")
        var options = StoreOptions()
        options.checkpoints = .never
        let store = try ListStore<Section, Line>.open(at: path, createIfMissing: true, options: options)
        for id in 1...6 { try store.edit("Add") { try $0.insert(Line(id: id, text: "a"), at: .end(of: section)) } }
        try store.close()
        try Self.damage([version], in: path)
        return path
    }

    @Test("An app whose sections are an enumeration can read a salvaged store to which rows were added")
    func enumeration() throws {
        let folder = try TemporaryFolder()
        let (path, new) = (try store(in: folder, Day.tomorrow, losing: 3), folder.file("new"))
        let report = try ListStore<Day, Line>.salvage(from: path, to: new)
        #expect(report.leftoverCount == 3 && report.section == "tomorrow")
        let salvaged = try ListStore<Day, Line>.open(at: new)
        #expect(try salvaged.snapshot.sections.map(\.id) == [.tomorrow])
        #expect(try salvaged.snapshot.rows.map(\.id) == [1, 2, 4, 5, 6])
        try salvaged.close()
    }

    @Test("If no section is left, the rows get one with an id of the app's kind")
    func noSection() throws {
        let folder = try TemporaryFolder()
        let (path, new) = (try store(in: folder, 7, losing: 1), folder.file("new"))
        let report = try ListStore<Int, Line>.salvage(from: path, to: new)
        #expect(report.parts.isEmpty && report.leftoverCount == 5 && report.section == 1)
        let salvaged = try ListStore<Int, Line>.open(at: new)
        #expect(try salvaged.snapshot.sections.map(\.id) == [1])
        #expect(try salvaged.snapshot.rows.map(\.id) == [2, 3, 4, 5, 6])
        try salvaged.close()
    }

    @Test("What is salvaged is not packed, so closing it makes no copy of it beside it")
    func unpacked() throws {
        let fixture = try StoreFixture { ($0.checkpoints, $0.coalescing) = (.never, .never) }
        try fixture.fill(5)
        for number in 0..<60 as Range<Int64> {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(number % 5))) }
        }
        for id in 10...11 {
            try fixture.store.edit("Add") { try $0.insert(NewRow(id), at: .end(ofSection: "today")) }
        }
        try fixture.store.close()
        try Self.damage([62], in: fixture.path)
        // Closing a store that was edited takes a checkpoint, and packs what is due.
        var options = StoreOptions()
        (options.unpackedCount, options.packing.groupCount, options.packing.freeSize) = (8, 8, 0)
        let new = fixture.folder.file("new")
        // A last commit adds the row of the newest version.
        #expect(try UntypedStore.salvage(from: fixture.path, to: new, options: options).leftoverCount == 1)
        options.unpackedCount = .max
        let salvaged = try UntypedStore.open(at: new, options: options)
        #expect(try salvaged.statistics().packedCommitCount == 0)
        try salvaged.close()
        withExtendedLifetime(fixture) {}
    }
}
