// Tests `listory trash`, and `listory restore` of a row or a section.

import ListModel
import Listory
import Testing
import ToolSupport

@Suite struct TrashCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// Versions 1 to 6: of four rows, one is deleted and comes back, one is deleted, and a section is deleted with two.
    init() throws {
        (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"today","title":"Today\\u001b[31m"}}
            {"insert":{"items":[{"id":7,"content":"Oat milk"},{"id":8,"content":"Tea"},{"id":9,"content":"Crème"},{"id":10,"content":"Jam"}],"section":"today","at":0}}
            {"delete":{"id":7}}
            {"undo":1}
            {"delete":{"id":9}}
            {"deleteSection":{"id":"today"}}

            """)
    }

    @Test func `The trash has the rows that are gone, with the commits that took them away`() throws {
        let lines = try ToolProcess.run("trash", store, "--json").json()
        #expect(lines.map { $0["row"]?["id"] } == [7, 8, 10, 9])
        #expect(lines.map { $0["deleted"]?["version"] } == [6, 6, 6, 5])
        #expect(lines.allSatisfy { $0["section"] == "today" })
        let text = try ToolProcess.run("trash", store, "--limit", "2").output
        #expect(text.hasPrefix("6  ") && text.contains(#""Oat milk" (id 7) in "Today"#) && !text.contains("\u{1B}"))
        #expect(text.split(separator: "\n").count == 2)
        #expect(try ToolProcess.run("trash", store, "--before", "6", "--json").json().map { $0["row"]?["id"] } == [9])
        #expect(try ToolProcess.run("trash", store, "--text", "creme").output.contains("(id 9)"))
        #expect(try ToolProcess.run("trash", store, "--text", "nothing").output.isEmpty)
    }

    @Test func `A row and a section come back, from a version or as they were last`() throws {
        #expect(try ToolProcess.run("restore", store, "--section", "today").output.contains("Restore Section"))
        #expect(try ToolProcess.run("trash", store, "--json").json().map { $0["row"]?["id"] } == [9])
        let result = try ToolProcess.run("restore", store, "--row", "9", "--origin", "anna")
        #expect(result.status == .success && result.output.contains("Restore Row"), "\(result.errors)")
        #expect(try ToolProcess.run("trash", store).output.isEmpty)
        #expect(try ToolProcess.run("show", store).output.split(separator: "\n").count == 5)
        #expect(try ToolProcess.run("restore", store, "2", "--row", "7").output.contains("nothing to do"))
        #expect(try ToolProcess.run("restore", store, "2", "--section", "today").output.contains("nothing to do"))
    }

    @Test func `What cannot be restored is refused`() throws {
        for (arguments, expected) in [
            (["--row", "99"], "expected one that the log has"), (["--section", "99"], "expected one that the log has"),
            (["1", "--row", "7"], "version 1 has no row 7"), (["99", "--row", "7"], "99"),
        ] {
            let result = try ToolProcess(["restore", store] + arguments).finish()
            #expect(result.status == .refused && result.errors.contains(expected), "\(arguments): \(result.errors)")
        }
        try #require(try ToolProcess.run("restore", store, "--row", "7").status == .success)
        let result = try ToolProcess(["restore", store, "--row", "7"]).finish()
        #expect(result.status == .refused && result.errors.contains("because it is in the list"), "\(result.errors)")
        for arguments in [[], ["--row", "7", "--section", "today"]] {
            #expect(try ToolProcess(["restore", store] + arguments).finish().status == .usage, "\(arguments)")
        }
    }
}
