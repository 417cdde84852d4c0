// Tests that what the server keeps is never wrong, and does not hold the file.

import Foundation
import ListModel
@_spi(Sync) import Listory
import TestSupport
import Testing
import ToolSupport

@testable import ListoryInspector

@Suite("What the server keeps")
struct KeptAnswersTests {
    private let folder: TemporaryFolder
    private let store: UntypedStore

    init() throws {
        folder = try TemporaryFolder.inMemory()
        store = try UntypedStore.create(at: folder.file("kept.listory"))
    }

    /// Adds a section with a row, at a time.
    private func add(_ number: Int64, to store: UntypedStore) throws {
        try store.edit("Add \(number)", time: Timestamp(microseconds: number * 1_000_000)) { edit in
            let content = JSONValue.object(["title": .string("Row \(number)")]).bytes
            try edit.insertSection(
                NewSection(id: .integer(number), items: [NewRow(id: .integer(number), content: content)]))
        }
    }

    /// The titles that the page is sent of a version.
    private func titles(_ version: Int, _ browser: Browser) throws -> [String] {
        try (browser.get("/api/rows?at=\(version)")["lines"]?.elements ?? []).filter { $0["at"] != nil }
            .compactMap { $0["title"]?.text }
    }

    @Test("When commits are replaced by as many others, versions have the rows that they have now, and pages are told")
    func replaced() async throws {
        for number: Int64 in 1...4 { try add(number, to: store) }
        try store.beginSharing()
        let other = try UntypedStore.create(at: folder.file("other.listory"))
        try add(9, to: other)
        try other.beginSharing()
        let foreign = try other.pendingRecords(atMost: .max).records
        try await inspecting(store) { [store] _, browser in
            let listener = try browser.listen()
            let replacements = try #require(try listener.next()?.data["replacements"]?.number)
            #expect(try browser.get("/api/state")["replacements"]?.number == replacements)
            #expect(try titles(2, browser) == ["Row 1", "Row 2"] && titles(3, browser) == ["Row 1", "Row 2", "Row 3"])

            // As many others: one commit becomes one without changes.
            try store.setAside([store.commit(2).checksum: "as a test"])
            #expect(try store.version == 4)
            let told = try #require(try listener.next()?.data)
            #expect(told["version"]?.number == 4)
            let more = try #require(told["replacements"]?.number)
            #expect(try more > replacements && browser.get("/api/state")["replacements"]?.number == more)
            #expect(try titles(2, browser) == ["Row 1"] && titles(3, browser) == ["Row 1", "Row 3"])

            // The commit of another device comes before them.
            func times() throws -> [String?] {
                try browser.get("/api/timeline?buckets=1000")["buckets"]?.elements.map { $0["time"]?.text } ?? []
            }
            func known() throws -> [String?] {
                try (1...store.version.rawValue).map { try store.commit(Version($0)).time.text }
            }
            #expect(try times() == known())
            try store.receive(foreign)
            let last = try #require(try listener.next()?.data["replacements"]?.number)
            #expect(try last > more && browser.get("/api/state")["replacements"]?.number == last)
            #expect(try titles(1, browser) == ["Row 9"] && times() == known())
            try store.undo()
            try listener.wait(for: Int(store.version.rawValue))
            #expect(try browser.get("/api/state")["replacements"]?.number == last, "an undo replaces nothing")
        }
    }

    @Test("The buckets of the timeline end where they did before the last commits, so that the times there are kept")
    func buckets() async throws {
        for number: Int64 in 1...100 { try add(number, to: store) }
        try await inspecting(store) { [store] _, browser in
            func ends() throws -> [Int] {
                try browser.get("/api/timeline?buckets=20")["buckets"]?.elements.compactMap { $0["last"]?.number } ?? []
            }
            let before = try ends()
            #expect(before.count > 10 && before.last == 100)
            try add(101, to: store)
            #expect(try ends() == Array(before.dropLast()) + [101])
        }
    }

    @Test("Of a long list, only the operations are judged, whatever the rest of it is")
    func longList() async throws {
        try store.edit("Many") { edit in
            let rows = (0..<50_001).map { NewRow(id: .integer($0), content: [0x31]) }
            try edit.insertSection(NewSection(id: 1, items: rows))
        }
        try store.edit("Move and check") { edit in
            try edit.move(.item(7), to: .section(1, at: 0))
            try edit.toggle(.item(8))
        }
        try await inspecting(store) { _, browser in
            let answer = try browser.get("/api/batches?from=1&to=2")
            #expect(answer["accepted"] == .bool(true))
            #expect(answer["verdict"]?.text?.contains("were not compared") == true)
            let batches = answer["batches"]?.elements ?? []
            #expect(!batches.isEmpty && batches.allSatisfy { $0["verdict"] == .string("accepted") })
        }
    }

    /// Whether this process has a file open.
    private func isOpen(_ path: String) -> Bool {
        var (file, other) = (stat(), stat())
        guard stat(path, &file) == 0 else { return false }
        return (0..<4096).contains { descriptor in
            fstat(descriptor, &other) == 0 && other.st_ino == file.st_ino && other.st_dev == file.st_dev
        }
    }

    /// A store whose rows are in its file, and not in memory.
    private func reopened() throws -> UntypedStore {
        try store.edit("Many") { edit in
            for section: Int64 in 0..<100 {
                let rows = (0..<100).map { NewRow(id: .integer(section * 100 + $0), content: [0x31]) }
                try edit.insertSection(NewSection(id: .integer(section), items: rows))
            }
        }
        try store.checkpoint()
        try add(-1, to: store)
        try store.close()
        return try UntypedStore.open(at: store.path)
    }

    @Test(
        "The inspector does not hold the file of a store that is closed, while it runs or after it was stopped",
        arguments: [true, false])
    func file(isStoppedFirst: Bool) async throws {
        let store = try reopened()
        let inspector = Inspector(store, port: 0)
        let link = try await inspector.start().absoluteString
        try await waiting {
            let browser = try Browser(link)
            #expect(try browser.get("/api/rows?at=1&from=5000&limit=1")["lines"]?.elements.count == 1)
        }
        #expect(isOpen(store.path))
        if isStoppedFirst { await inspector.stop() }
        try store.close()
        if !isStoppedFirst {
            // A task forgets what is kept. The closed store itself has the file open, until another one takes it over and closes it.
            for _ in 0..<300 where isOpen(store.path) {
                try await Task.sleep(for: .milliseconds(20))
                try UntypedStore.open(at: store.path).close()
            }
        }
        #expect(!isOpen(store.path))
        await inspector.stop()
    }
}
