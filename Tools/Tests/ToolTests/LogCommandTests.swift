// Tests `listory log`: its order, its filters, its shapes, and that it follows.

import Foundation
import ListModel
import Listory
import Testing
import ToolSupport

@Suite struct LogCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// Versions 1 to 7, made an hour apart from 12:00 on: two sections, three rows, an undo, and a second branch.
    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("store")
        var time = Timestamp(microseconds: 1_772_366_400_000_000)
        var options = StoreOptions()
        options.coalescing = .never
        let list = try UntypedStore.create(at: store, options: options)
        func edit(_ name: String, origin: String = "", _ body: (inout UntypedEditor) throws -> Void) throws {
            try list.edit(name, origin: origin, time: time, body)
            time = Timestamp(microseconds: time.microseconds + 3_600_000_000)
        }
        func row(_ id: UntypedID, _ title: String) -> NewRow {
            NewRow(id: id, content: Array(#"{"title":"\#(title)"}"#.utf8))
        }
        try edit("Set up") { list in
            try list.insertSection(NewSection(id: "today", title: "Today"))
            try list.insertSection(NewSection(id: "done", title: "Done"))
        }
        try edit("Add milk", origin: "anna") { try $0.insert(row(7, "Milk"), at: .end(ofSection: "today")) }
        try edit("Add crème", origin: "ben") { try $0.insert(row("7", "Crème"), at: .end(ofSection: "done")) }
        try edit("Sort") { try $0.moveSection(.section("done"), to: .at(0)) }
        try edit("Finish milk", origin: "anna") { list in
            try list.move(.item(7), to: .end(ofSection: "done"))
            try list.setChecked(true, for: .item(7))
        }
        try list.undo(origin: "anna")
        time = Timestamp(microseconds: time.microseconds + 3_600_000_000)
        try edit("Oat milk") { try $0.update(7, content: Array(#"{"title":"Oat"}"#.utf8)) }
        try list.close()
    }

    private func versions(_ options: String...) throws -> [JSONValue?] {
        let result = try ToolProcess(["log", store, "--json"] + options).finish()
        #expect(result.status == .success, "\(options): \(result.errors)")
        return try result.json().map { $0["version"] }
    }

    @Test func `The newest commit comes first, and twenty are printed unless another number is asked for`() throws {
        #expect(try versions() == [7, 6, 5, 4, 3, 2, 1])
        #expect(try versions("--limit", "2") == [7, 6])
        #expect(try versions("--limit", "2", "--to", "4") == [4, 3])
        let requests = (0..<600).map { #"{"insertSection":{"id":"s\#($0)"}}"# + "\n" }.joined()
        _ = try ToolProcess.run("exec", store, input: requests)
        #expect(try versions().count == 20)
        #expect(try versions("--all") == (1...607).reversed().map { .integer($0) })
        #expect(try versions("--limit", "300") == (308...607).reversed().map { .integer($0) })
        #expect(try versions("--name", "milk") == [7, 6, 5, 2])
    }

    @Test func `Filters let commits through that fit all of them`() throws {
        #expect(try versions("--cause", "undo") == [6])
        #expect(try versions("--kind", "itemsMoved", "--kind", "itemUpdated", "--cause", "edit") == [7, 5])
        // An id is meant as it is printed, whatever its kind.
        #expect(try versions("--row", "7") == [7, 6, 5, 3, 2])
        #expect(try versions("--row", "8") == [])
        #expect(try versions("--origin", "anna") == [6, 5, 2])
        #expect(try versions("--origin", "") == [7, 4, 1])
        #expect(try versions("--text", "creme") == [3])
        #expect(try versions("--text", "milk") == [7, 2])
        #expect(try versions("--text", "title") == [])
        #expect(try versions("--section", "today") == [7, 6, 5, 2, 1])
        #expect(try versions("--section", "done") == [6, 5, 4, 3, 1])
        #expect(try versions("--section", "done", "--to", "3") == [3, 1])
        #expect(try versions("--section", "done", "--limit", "1", "--row", "7", "--origin", "anna") == [6])
    }

    @Test func `A section is found although a bound of time leaves out commits that moved it`() throws {
        let list = try UntypedStore.open(at: store)
        let noon = Timestamp(microseconds: 1_772_366_400_000_000)
        // Version 8 moves the sections, before all others by its time.
        try list.edit("Sort back", time: Timestamp(microseconds: noon.microseconds - 3_600_000_000)) {
            try $0.moveSection(.section("today"), to: .at(0))
        }
        try list.edit("Later", time: Timestamp(microseconds: noon.microseconds + 20 * 3_600_000_000)) {
            try $0.insert(NewRow(id: 9, content: []), at: .end(ofSection: "done"))
        }
        try list.close()
        #expect(try versions("--section", "today") == [8, 7, 6, 5, 2, 1])
        #expect(try versions("--section", "today", "--since", "2026-03-01T12:00") == [7, 6, 5, 2, 1])
        #expect(try versions("--section", "done", "--since", "2026-03-01T12:00") == [9, 6, 5, 4, 3, 1])
    }

    @Test func `Times bound what is printed`() throws {
        #expect(try versions("--since", "2026-03-01T14:00", "--until", "2026-03-01T15:00") == [4, 3])
        #expect(try versions("--until", "2026-03-01T12:59") == [1])
        #expect(try versions("--until", "2026-02-01") == [])
        #expect(try versions("--from", "first", "--until", "2026-03-01T13:00:00Z") == [2, 1])
    }

    @Test func `A line for each commit, counts, and the tree of commits`() throws {
        let lines = try ToolProcess.run("log", store, "--oneline").output.split(separator: "\n")
        #expect(lines.count == 7 && lines[1].hasSuffix("undo of 5  \"Finish milk\" by anna"))
        let counts = try ToolProcess.run("log", store, "--stat").output
        #expect(counts.contains("    1 moved, 1 checked\n") && counts.contains("    2 sections inserted\n"))
        let json = try ToolProcess.run("log", store, "--stat", "--json", "--limit", "1").json()
        #expect(json[0]["counts"].map(JSONValue.text) == #"{"updated":1}"#)
        #expect(json[0]["events"] == nil)
        let graph = try ToolProcess.run("log", store, "--graph", "--oneline").output.split(separator: "\n")
        #expect(
            graph.map { $0.prefix { $0 != "v" } } == ["◉ ", "│ · ", "│ ● ", "├─╯ ", "● ", "● ", "● ", "● "])
    }

    @Test func `Of very large commits only the beginning is printed, unless all is asked for`() throws {
        let list = try UntypedStore.open(at: store)
        try list.edit("Many rows") { editor in
            let rows = (100..<400).map { NewRow(id: .integer(Int64($0)), content: []) }
            try editor.insert(rows, at: .end(ofSection: "today"))
        }
        try list.edit("Many events") { editor in
            for id in 100..<400 { try editor.toggle(.item(.integer(Int64(id)))) }
        }
        try list.close()
        func lines(_ options: String...) throws -> [Substring] {
            try ToolProcess(["log", store, "--limit", "2"] + options).finish().output.split(separator: "\n")
        }
        let short = try lines()
        #expect(short.count == 1 + 100 + 1 + 1 + 20 + 1)
        #expect(short[101] == "    … and 200 events more (--full)" && short.last == "    … and 280 rows more (--full)")
        #expect(try lines("--full").count == 1 + 300 + 1 + 300)
        let json = try ToolProcess(["log", store, "--limit", "2", "--json"]).finish().json()
        #expect(json[0]["omittedEvents"] == 200 && json[0]["omittedRows"] == nil)
        #expect(json[1]["omittedRows"] == 280 && json[1]["omittedEvents"] == nil)
    }

    @Test func `A commit of another process is printed when it is made`() throws {
        let tool = try ToolProcess(["log", store, "--follow", "--json", "--limit", "2"])
        #expect(try [tool.readLine()["version"], tool.readLine()["version"]] == [6, 7])
        for index in 8...9 {
            _ = try ToolProcess.run("exec", store, input: #"{"insertSection":{"id":\#(index)}}"# + "\n")
            #expect(try tool.readLine()["version"] == .integer(Int64(index)))
        }
        tool.kill()
    }

    @Test func `A log without commits is followed from its next one on`() throws {
        try #require(try ToolProcess.run("compact", store, "--size", "0").status == .success)
        let new = folder.file("new")
        try UntypedStore.create(at: new).close()
        for (path, version) in [(store, 8), (new, 1)] as [(String, JSONValue)] {
            let tool = try ToolProcess(["log", path, "--follow", "--json"])
            // It has opened the store, without a commit, before there is one.
            var isOpen = false
            for _ in 0..<100 where !isOpen { isOpen = try !ToolProcess.run("who", path, "--json").output.isEmpty }
            _ = try ToolProcess.run("exec", path, input: #"{"insertSection":{"id":"first"}}"# + "\n")
            #expect(try tool.readLine()["version"] == version)
            tool.kill()
        }
    }

    @Test func `Commits of a compacted store are printed and filtered as before`() throws {
        let before = try [versions("--section", "done"), versions("--text", "milk"), versions("--all")]
        #expect(try ToolProcess.run("compact", store, "--unpacked", "2").status == .success)
        #expect(try [versions("--section", "done"), versions("--text", "milk"), versions("--all")] == before)
        #expect(try ToolProcess.run("compact", store, "--from", "4").status == .success)
        #expect(try versions() == [7, 6, 5])
        #expect(try versions("--from", "first") == [7, 6, 5])
        #expect(try ToolProcess.run("log", store, "--graph").status == .success)
    }
}
