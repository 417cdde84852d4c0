// Tests that what rows, titles, names and ids say leaves the server as text in JSON and as nothing else.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@testable import ListoryInspector

@Suite("Hostile contents")
struct HostileTests {
    private static let hostile =
        "</script><script>alert(1)</script>\u{1B}[2J\u{202E}gnp.\u{2066}x\u{200B}\r\n\r\ndata: {}\n\n\u{2028}\u{8}\u{0}\"'&"

    /// A store in which everything that can be named is hostile, and one row has 1 MiB.
    private static func store(_ folder: TemporaryFolder) throws -> UntypedStore {
        let store = try UntypedStore.create(at: folder.file("a\"b; <script>\r.listory"))
        func content(_ text: String) -> [UInt8] { JSONValue.object(["title": .string(text)]).bytes }
        try store.edit(hostile, origin: hostile) { edit in
            try edit.insertSection(NewSection(id: .string(hostile), title: hostile))
            try edit.insert(
                [
                    NewRow(id: .string(hostile + "1"), content: content(hostile)),
                    NewRow(id: 2, content: content(String(repeating: "y", count: 1 << 20))),
                    NewRow(id: 3, content: Array(hostile.utf8)), NewRow(id: 4, content: [0xFF, 0xFE, 0x00]),
                ], at: .end(ofSection: .string(hostile)))
        }
        try store.edit("Update") { try $0.update(.string(hostile + "1"), content: content(hostile + "2")) }
        try store.waitUntilDurable()
        return store
    }

    /// Control characters, and those that change the direction or are invisible.
    private static func isPlain(_ text: String) -> Bool { text.visible == text }

    private static func titles(_ value: JSONValue) -> [String] {
        switch value {
        case .object(let members):
            (members["bytes"] == nil ? [] : [members["title"]?.text ?? ""]) + members.values.flatMap(titles)
        case .array(let elements): elements.flatMap(titles)
        default: []
        }
    }

    @Test("Every answer is JSON of moderate size, whose titles have no control characters; a whole content is exact")
    func answers() async throws {
        let folder = try TemporaryFolder.inMemory()
        let store = try Self.store(folder)
        try await inspecting(store) { _, browser in
            let text = JSONValue.text(of: .string(Self.hostile + "1"))
            let id = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
            for path in [
                "/api/state", "/api/rows", "/api/changes?from=0&to=2", "/api/batches?from=0&to=2",
                "/api/diff?from=0&to=2",
                "/api/diff?from=1&to=2", "/api/log", "/api/log?text=alert", "/api/history?id=\(id)", "/api/blame",
                "/api/search?words=alert", "/api/timeline", "/api/find?id=\(id)",
                "/api/why?id=\(id)", "/api/blame?id=\(id)", "/api/trash",
            ] {
                let answer = try browser.ask(path)
                #expect(answer.status == 200, "\(path): \(answer)")
                #expect(answer.fields["content-type"] == "application/json; charset=utf-8")
                #expect(answer.body.count < 20_000)
                let titles = Self.titles(try answer.json)
                #expect(titles.allSatisfy(Self.isPlain), "\(path)")
            }
            let row = try browser.get("/api/row?id=2")["row"]?["content"]?["title"]?.text
            #expect(row == String(repeating: "y", count: 1 << 20))
            #expect(try browser.get("/api/row?id=\(id)")["row"]?["content"]?["title"]?.text == Self.hostile + "2")
            let commit = try browser.get("/api/commit?version=1")
            #expect(commit["name"]?.text == Self.hostile)
            // The mistakes of others are text, too.
            let wrong = try browser.ask("/api/rows?at=\(id)")
            let message = try wrong.json["error"]?["message"]?.text ?? "\0"
            #expect(wrong.status == 404 && Self.isPlain(message))
            let file = try browser.ask("/api/export?format=lines")
            #expect(file.fields["content-disposition"] == "attachment; filename=\"a_b___script__-log.jsonl\"")
        }
    }

    /// Waits until so many threads write exports. They begin and end a moment after their connections.
    private static func wait(forExports isExpected: (Int) -> Bool) throws {
        for attempt in 0... {
            let count = ExportStream.writers.load(ordering: .relaxed)
            if isExpected(count) { return }
            try #require(attempt < 6000, "\(count) threads")
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    @Test("An export that is not read to its end leaves no thread")
    func abortedExports() async throws {
        let folder = try TemporaryFolder.inMemory()
        let store = try UntypedStore.create(at: folder.file("long.listory"))
        try store.edit("New") { try $0.insertSection(NewSection(id: 1)) }
        // More than the buffers of a connection hold.
        let long = Array("\"\(String(repeating: "z", count: 1 << 20))\"".utf8)
        for id in 0..<Int64(40) {
            try store.edit("Long") { try $0.insert([NewRow(id: .integer(id), content: long)], at: .end(ofSection: 1)) }
        }
        try await inspecting(store) { _, browser in
            var connections: [Connection] = []
            for format in ["store", "lines", "store", "lines"] {
                let connection = try Connection(port: browser.port)
                let request = ["GET \(browser.prefix)/api/export?format=\(format) HTTP/1.1"] + browser.fields
                connection.send(request.joined(separator: "\r\n") + "\r\n\r\n")
                #expect(try connection.readHead().status == 200)
                connections.append(connection)
            }
            try Self.wait(forExports: { $0 >= 4 })
            connections.removeAll()
            try Self.wait(forExports: { $0 == 0 })
        }
    }

    @Test("A commit of many rows, and one of long rows, is told by its beginning")
    func longCommits() async throws {
        let folder = try TemporaryFolder.inMemory()
        let store = try UntypedStore.create(at: folder.file("long.listory"))
        try store.edit("Many") { edit in
            try edit.insertSection(
                NewSection(id: 1, items: (0..<20_000).map { NewRow(id: .integer($0), content: Array("\"x\"".utf8)) }))
        }
        let long = Array("\"\(String(repeating: "z", count: 400_000))\"".utf8)
        try store.edit("Long") { edit in
            try edit.insert((0..<50).map { NewRow(id: .integer(-1 - $0), content: long) }, at: .end(ofSection: 1))
        }
        try store.edit("Moved") { try $0.move(.items((0..<5000).map { .integer($0) }), to: .end(ofSection: 1)) }
        try store.edit("Reloaded") { edit in
            try edit.reload((0..<500).map { NewSection(id: .string("s\($0)"), items: []) })
        }
        try await inspecting(store) { _, browser in
            for (version, omitted) in [(1, 19_900), (2, 47)] {
                let answer = try browser.ask("/api/commit?version=\(version)")
                #expect(answer.body.count < 3_000_000)
                let events = try answer.json["events"]?.elements ?? []
                #expect(events.reduce(0) { $0 + ($1["omitted"]?.number ?? 0) } == omitted)
            }
            for version in [3, 4] { #expect(try browser.ask("/api/commit?version=\(version)").body.count < 3_000_000) }
            let batches = try browser.get("/api/batches?from=2&to=3")
            #expect(batches["batches"] == .null && batches["accepted"] == .bool(false))
            #expect(try browser.get("/api/changes?from=0&to=4")["changeset"] != nil)
        }
    }
}
