// Tests `listory history` and `listory blame`.

import ListModel
import Listory
import Testing
import ToolSupport

@Suite struct RowHistoryCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// Versions 1 to 6: two rows, of which one is renamed, moved, deleted and brought back by undo.
    init() throws {
        (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"today","title":"Today"}}
            {"insert":{"items":[{"id":7,"content":"Milk"},{"id":8,"content":"Tea"}],"section":"today","at":0}}
            {"begin":"Rename\\u001b[31m"}
            {"update":{"id":7,"content":"Oat milk"}}
            {"end":{}}
            {"move":{"id":7,"section":"today","at":1}}
            {"delete":{"id":7}}
            {"undo":1}

            """)
    }

    @Test func `A history has the commits that changed a row, with what they did`() throws {
        let result = try ToolProcess.run("history", store, "7", "--json")
        #expect(result.status == .success, "\(result.errors)")
        let lines = try result.json()
        #expect(lines.map { $0["version"] } == [6, 5, 4, 3, 2])
        #expect(lines.map { $0["cause"] } == ["undo", "edit", "edit", "edit", "edit"])
        let kinds = ["inserted", "deleted", "moved", "updated", "inserted"]
        #expect(lines.map { $0["kinds"] } == kinds.map { .array([.string($0)]) })
        let text = try ToolProcess.run("history", store, "7", "--limit", "1", "--before", "4").output
        #expect(text.hasPrefix("3  ") && text.contains("\"Rename") && !text.contains("\u{1B}"))
        #expect(
            try ToolProcess.run("history", store, "today", "--section", "--json").json().map { $0["version"] } == [1])
    }

    @Test func `Blame has the commits that a row is as it is from`() throws {
        let lines = try ToolProcess.run("blame", store, "--section", "today", "--json").json()
        #expect(lines.map { $0["inserted"]?["version"] } == [2, 6])
        #expect(lines.allSatisfy { $0["updated"] == nil && $0["moved"] == nil })
        let text = try ToolProcess.run("blame", store, "--skip", "1", "--limit", "1").output
        #expect(text.contains(#""Oat milk" (id 7)"#) && text.contains("inserted  6  ") && !text.contains("Tea"))
    }

    @Test func `Blame of an earlier version has its rows and no later commits`() throws {
        let lines = try ToolProcess.run("blame", store, "--at", "4", "--json").json()
        #expect(lines.map { $0["row"]?["content"] } == ["Tea", "Oat milk"])
        #expect(lines.map { $0["inserted"]?["version"] } == [2, 2])
        #expect(lines.map { $0["updated"]?["version"] } == [nil, 3])
        #expect(lines.map { $0["moved"]?["version"] } == [nil, 4])
        #expect(try ToolProcess.run("blame", store, "--at", "5").output.contains("Oat") == false)
        #expect(try ToolProcess.run("blame", store, "--at", "9").status == .refused)
    }

    @Test func `A long history is printed to its end if that is asked for, and otherwise the newest twenty`() throws {
        let toggles = String(repeating: #"{"toggle":{"id":8}}"# + "\n", count: 1_100)
        #expect(try ToolProcess.run("exec", store, input: toggles).status == .success)
        func versions(_ options: String...) throws -> [JSONValue?] {
            try ToolProcess(["history", store, "8", "--json"] + options).finish().json().map { $0["version"] }
        }
        let all = (7...1_106).reversed().map { JSONValue.integer($0) } + [2]
        #expect(try versions() == Array(all.prefix(20)))
        #expect(try versions("--all") == all)
        #expect(try versions("--limit", "1050") == Array(all.prefix(1_050)))
        #expect(try versions("--all", "--before", "9") == [8, 7, 2])
        #expect(try versions("--limit", "0") == [])
    }

    @Test func `A row or a section that never was is refused`() throws {
        for arguments in [
            ["history", store, "9"], ["history", store, "7", "--section"], ["blame", store, "--section", "x"],
        ] {
            let result = try ToolProcess(arguments).finish()
            #expect(result.status == .refused && result.errors.contains("expected"), "\(arguments): \(result.errors)")
        }
    }
}
