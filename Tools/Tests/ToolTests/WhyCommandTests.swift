// Tests `listory why`.

import ListModel
import Listory
import Testing
import ToolSupport

@Suite struct WhyCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// Versions 1 to 7: rows of two sections, of which one is renamed, one checked and one deleted.
    init() throws {
        (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"today","title":"Today"}}
            {"insertSection":{"id":"later","title":"Later"}}
            {"insert":{"items":[{"id":7,"content":{"title":"Milk","due":3}},{"id":8,"content":{"title":"Tea","due":1}}],"section":"today","at":0}}
            {"insert":{"items":[{"id":9,"content":{"title":"Rice milk","due":2}},{"id":10,"content":"Bread"}],"section":"today","at":2}}
            {"begin":"Rename\\u001b[31m"}
            {"update":{"id":7,"content":{"title":"Oat milk","due":3}}}
            {"end":{}}
            {"toggle":{"id":8}}
            {"delete":{"id":10}}

            """)
    }

    private func lines(_ arguments: String...) throws -> [String] {
        let result = try ToolProcess(["why", store] + arguments).finish()
        #expect(result.status == .success, "\(result.errors)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func `Of a row of the list, it names the commits, and what the content was before`() throws {
        let text = try lines("7")
        #expect(text[0] == #"The row 7 is at [0, 0], in the section "today" at version 7."#)
        #expect(text[1].hasPrefix("It came into the list with 3 "))
        #expect(text[2].hasPrefix(#"Its content was last changed by 5 "Rename\u{1B}[31m""#), "\(text[2])")
        #expect(text.last == #"Before 5, it was Milk."#, "\(text)")
        let then = try lines("7", "--at", "4")
        #expect(then.count == 3 && then[2] == "Its content is Milk.", "\(then)")
    }

    @Test func `Of a view, it says what each part decides about the row`() throws {
        let view = ["--section", "today", "--unchecked", "--search", "milk", "--sort", "due", "--limit", "1"]
        let json = try ToolProcess(["why", store, "7", "--json"] + view).finish().json()[0]
        #expect(json["version"] == 7 && json["shown"] == nil)
        #expect(json["list"]?["section"] == "today" && json["row"]?["id"] == 7)
        #expect(json["commits"]?["updated"]?["version"] == 5 && json["commits"]?["moved"] == nil)
        #expect(json["previousContent"]?["title"] == "Milk")
        guard case .array(let decisions)? = json["decisions"] else {
            Issue.record("\(json)")
            return
        }
        #expect(decisions.map { $0["part"] } == ["sections", "filter", "search", "sorted", "prefix"])
        #expect(decisions.map { $0["passed"] } == [true, true, true, true, false].map { .bool($0) })
        #expect(decisions[3]["key"] == "3" && decisions[3]["after"]?["id"] == 9 && decisions[3]["before"] == nil)
        #expect(decisions[4]["rank"] == 2 && decisions[4]["limit"] == 1)
        let checked = try ToolProcess(["why", store, "8"] + view).finish().output
        #expect(checked.contains("It does not pass the filter.\nNot reached: search, sorted, prefix.\n"), "\(checked)")
        #expect(checked.contains("Its checkmark was last changed by 6 "))
        let backwards = try lines("7", "--sort", "title", "--descending")
        #expect(backwards.contains(#"Its sort key is "Oat milk": it stands after 9 ("Rice milk")."#), "\(backwards)")
    }

    @Test func `A view may be filtered by a member, and have a section for each value of one`() throws {
        func why(_ id: String, _ options: String...) throws -> JSONValue {
            let result = try ToolProcess(["why", store, id, "--json"] + options).finish()
            #expect(result.status == .success, "\(result.errors)")
            return try #require(try result.json().first)
        }
        let grouped = try why("7", "--group", "due")
        #expect(grouped["shown"]?["section"] == 3 && grouped["shown"]?["at"].map(JSONValue.text) == "[2,0]")
        #expect(grouped["decisions"]?[0]?["title"] == "3", "\(grouped)")
        #expect(try why("9", "--filter", "due=2")["shown"] != nil)
        #expect(try why("9", "--filter", "title=Rice milk", "--group", "title")["shown"]?["section"] == "Rice milk")
        let failed = try why("8", "--filter", "due=1", "--unchecked", "--filter", "title=Milk")
        #expect(failed["shown"] == nil && failed["decisions"]?[0]?["failed"] == 0)
        let other = try why("9", "--filter", "due=2", "--filter", "title=Milk")
        #expect(other["decisions"]?[0]?["failed"] == 1 && other["decisions"]?[0]?["filters"] == 2)
        #expect(try ToolProcess.run("why", store, "7", "--filter", "due").status == .usage)
    }

    @Test func `Texts of others do nothing to a terminal, however long they are`() throws {
        let id = "\\u202e\\u001b[2J<script>\\n"
        let text = id + String(repeating: "long ", count: 100_000)
        let (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"\(id)"}}
            {"insert":{"items":[{"id":"\(id)","content":"\(text)"}],"at":0,"section":"\(id)"}}

            """)
        defer { withExtendedLifetime(folder) {} }
        let known = "\u{202e}\u{1b}[2J<script>\n"
        let output = try ToolProcess.run("why", store, known, "--sort", "title", "--search", "long").output
        #expect(output.contains("is shown at [0, 0]"))
        for line in output.split(separator: "\n", omittingEmptySubsequences: false) {
            #expect(line.utf8.count < 1_000 && String(line).visible == line)
        }
    }

    @Test func `A row that was deleted leads to the commit, and one that never was is refused`() throws {
        let text = try lines("10", "--unchecked")
        #expect(text[0].hasPrefix("The row 10 is not in the list at version 7: it was deleted by 7 "), "\(text)")
        for arguments in [["11"], ["7", "--section", "nowhere"], ["10", "--at", "2"]] {
            let result = try ToolProcess(["why", store] + arguments).finish()
            #expect(result.status == .refused && result.errors.contains("expected"), "\(arguments): \(result.errors)")
        }
    }
}
