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
                "/api/diff?from=1&to=2", "/api/log", "/api/log?text=alert", "/api/history?id=\(id)",
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

    @Test("Commits that are large are read a few at a time, and the contents of one come in several answers")
    func largeCommits() async throws {
        let folder = try TemporaryFolder.inMemory()
        var options = StoreOptions()
        options.coalescing = .never
        let store = try UntypedStore.create(at: folder.file("large.listory"), options: options)
        func content(_ letter: String) -> [UInt8] { Array("\"\(String(repeating: letter, count: 600_000))\"".utf8) }
        for section in 0..<Int64(10) {
            let rows = (0..<7).map { NewRow(id: .integer(section * 7 + $0), content: content("z")) }
            try store.edit("Large") { try $0.insertSection(NewSection(id: .integer(section), items: rows)) }
        }
        try store.edit("Updates") { edit in
            for id in 0..<Int64(6) { try edit.update(.integer(id), content: content("y")) }
        }
        try store.waitUntilDurable()
        var limits = Limits()
        // An answer ends with the first part of the log.
        limits.answerTime = .zero
        try await inspecting(store, limits: limits) { _, browser in
            var (versions, before, answers): ([Int], Int?, Int) = ([], 12, 0)
            while let place = before {
                let answer = try browser.get("/api/log?before=\(place)&limit=100")
                versions += answer["commits"]?.elements.compactMap { $0["version"]?.number } ?? []
                before = answer["next"]?.number
                answers += 1
            }
            // After five of these commits, there are more than 16 MiB.
            #expect(versions == Array((1...11).reversed()) && answers >= 3, "\(answers) answers")

            var (found, skip): ([Int], Int) = ([], 0)
            while skip < 6 {
                let answer = try browser.ask("/api/commit?version=11&skip=\(skip)&limit=50")
                #expect(answer.body.count < 3_000_000)
                let events = try #require(try answer.json["events"]?.elements)
                try #require(!events.isEmpty)
                found += events.compactMap { $0["event"]?["itemUpdated"]?["id"]?.number }
                skip += events.count
            }
            #expect(found == Array(0..<6))
        }
    }
}

// MARK: - Damage

extension HostileTests {
    /// With time to look at everything.
    private static var patient: Limits {
        var limits = Limits()
        limits.answerTime = .seconds(3600)
        return limits
    }

    /// A store of 204 commits, of which 4, 6 and 10 are damaged.
    private static func damagedStore(_ folder: TemporaryFolder) throws -> UntypedStore {
        var options = StoreOptions()
        (options.coalescing, options.unpackedCount) = (.never, .max)
        let path = folder.file("damaged.listory")
        let sound = try UntypedStore.create(at: path, options: options)
        // Long enough for the commits to be indexed, so that the trash need not read all of them.
        let note = JSONValue.string(String(repeating: "x", count: 1000))
        func content(_ title: String) -> [UInt8] { JSONValue.object(["title": .string(title), "note": note]).bytes }
        try sound.edit("New") { try $0.insertSection(NewSection(id: "all", title: "All")) }
        // The version of a row is the one after its id.
        for id in 1...Int64(200) {
            let title = [3, 5, 9].contains(id) ? "Lost \(id)" : "Row \(id)"
            try sound.edit("Add \(id)", durability: .deferred) {
                try $0.insert([NewRow(id: .integer(id), content: content(title))], at: .end(ofSection: "all"))
            }
        }
        try sound.edit("Update") { try $0.update(5, content: content("Row 5")) }
        try sound.edit("Delete") { try $0.delete(.item(7)) }
        try sound.edit("Delete") { try $0.delete(.item(9)) }
        try sound.checkpoint()
        try sound.close()
        try damageFile(path, at: "Lost")
        return try UntypedStore.open(at: path, options: options)
    }

    @Test("When time is over, an answer about the log ends after a damaged commit, and the next one goes on there")
    func slowDamage() async throws {
        let folder = try TemporaryFolder.inMemory()
        let store = try Self.damagedStore(folder)
        var limits = Limits()
        limits.answerTime = .zero
        try await inspecting(store, limits: limits) { _, browser in
            var (found, before): ([[Int?]], Int?) = ([], 205)
            while let place = before {
                let answer = try browser.get("/api/log?before=\(place)&limit=200&text=Row+150")
                let commits = answer["commits"]?.elements ?? []
                if !commits.isEmpty { found.append(commits.map { $0["version"]?.number }) }
                before = answer["next"]?.number
            }
            // Of these, only 151 has the words.
            #expect(found == [[204], [202], [151], [10], [6], [4]])
        }
    }

    @Test("Where contents and commits are damaged, everything else is told, and these say that they cannot be read")
    func damagedCommits() async throws {
        let folder = try TemporaryFolder.inMemory()
        let store = try Self.damagedStore(folder)
        try await inspecting(store, limits: Self.patient) { _, browser in
            func unreadable(_ values: [JSONValue], _ name: String) -> [Int?] {
                values.filter { $0["unreadable"]?.text?.isEmpty == false }.map { $0[name]?.number }
            }
            let rows = try browser.get("/api/rows?limit=500")["lines"]?.elements.filter { $0["at"] != nil } ?? []
            #expect(unreadable(rows, "id") == [3])
            let titles = rows.filter { $0["unreadable"] == nil }.compactMap { $0["title"]?.text }
            let kept = (1...200).filter { ![3, 7, 9].contains($0) }
            #expect(titles == kept.map { "Row \($0)" })
            let row = try browser.get("/api/row?id=3")
            #expect(row["line"]?.number == 3 && row["row"]?["unreadable"] != nil && row["row"]?["content"] == nil)
            let found = try browser.get("/api/search?words=Row+150")["rows"]?.elements ?? []
            #expect(found.map { $0["row"]?["id"]?.number } == [150])
            let changes = try browser.get("/api/diff?from=202&to=204")["changes"]?.elements ?? []
            #expect(changes.map { $0["old"]?["unreadable"] != nil } == [false, true])

            let logs: [(filter: String, versions: [Int], lost: [Int])] = [
                ("", (1...204).reversed(), [10, 6, 4]),
                // Those whose contents cannot be read may be the ones that are looked for.
                ("&text=Row+150", [204, 202, 151, 10, 6, 4], [204, 202, 10, 6, 4]),
            ]
            for (filter, versions, lost) in logs {
                var (commits, before): ([JSONValue], Int?) = ([], 205)
                while let place = before {
                    let answer = try browser.get("/api/log?before=\(place)&limit=100\(filter)")
                    commits += answer["commits"]?.elements ?? []
                    before = answer["next"]?.number
                }
                #expect(commits.map { $0["version"]?.number } == versions)
                #expect(unreadable(commits, "version") == lost)
            }
            let buckets = try browser.get("/api/timeline?buckets=1000")["buckets"]?.elements ?? []
            #expect(buckets.count == 204)
            #expect(buckets.filter { $0["time"] == .null }.map { $0["last"]?.number } == [4, 6, 10])
            let update = try browser.get("/api/commit?version=202")["events"]?.elements ?? []
            let contents = try #require(update.first?["event"]?["itemUpdated"])
            #expect(update.count == 1 && contents["old"]?["$unreadable"]?.text?.isEmpty == false)
            #expect(contents["new"]?["title"]?.text == "Row 5")
            #expect(try browser.ask("/api/commit?version=4").status == 500)
            let trash = try browser.get("/api/trash")["rows"]?.elements.compactMap { $0["row"] } ?? []
            #expect(trash.map { $0["id"]?.number } == [9, 7] && unreadable(trash, "id") == [9])
            #expect(try browser.get("/api/history?id=150")["changes"]?.elements.count == 1)
        }
    }

    @Test("The rows of a damaged node say that they cannot be read, and all others are told and found")
    func damagedNode() async throws {
        let folder = try TemporaryFolder.inMemory()
        let path = folder.file("damaged.listory")
        let sound = try UntypedStore.create(at: path)
        try sound.edit("New") { edit in
            let rows = (0..<1900).map { number in
                let title = JSONValue.object(["title": .string("Row \(number)")]).bytes
                return NewRow(id: .string(number == 1000 ? "lost" : "id \(number)"), content: title)
            }
            try edit.insertSection(NewSection(id: "all", title: "All", items: rows))
        }
        try sound.checkpoint()
        try sound.close()
        // In the commit, and in the node. Contents are read without reading all of the commit.
        try damageFile(path, at: "lost")
        try await inspecting(UntypedStore.open(at: path), limits: Self.patient) { _, browser in
            let lines = try stride(from: 1, to: 1901, by: 500).flatMap { from in
                try browser.get("/api/rows?from=\(from)&limit=500")["lines"]?.elements ?? []
            }
            try #require(lines.count == 1900)
            let lost = lines.indices.filter { lines[$0]["unreadable"] != nil }
            #expect(lost.contains(1000) && lost.count < 1000)
            for index in lines.indices where !lost.contains(index) {
                #expect(lines[index]["title"]?.text == "Row \(index)")
            }
            #expect(try browser.get("/api/find?id=%22id+1899%22")["line"]?.number == 1900)
            let found = try browser.get("/api/search?words=Row+1899")["rows"]?.elements ?? []
            #expect(found.map { $0["line"]?.number } == [1900])
            let hidden = try browser.ask("/api/find?id=%22lost%22")
            #expect(hidden.status == 500 && hidden.errorCode == "damagedNode", "\(hidden)")
            #expect(try browser.get("/api/changes?from=0&to=1")["count"]?.number == 1901)
            let batches = try browser.get("/api/batches?from=0&to=1")
            #expect(batches["accepted"] == .bool(true) && batches["batches"]?.elements.count == 1)
            #expect(batches["verdict"]?.text?.hasSuffix("because some cannot be read") == true)
            // What is in the commit, which cannot be read.
            let state = try browser.get("/api/state")
            #expect(["undo", "time", "branches"].allSatisfy { state[$0] == .null })
            #expect(try browser.get("/api/trash")["unreadable"] != nil)
        }
    }
}
