// `listory name`, and the other commands on versions that have names.

import ListModel
import Listory
import Testing
import ToolSupport

@Suite struct NameCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"today"}}
            {"insert":{"items":[{"id":1,"content":"Milk"}],"section":"today"}}
            {"insert":{"items":[{"id":2,"content":"Bread"}],"section":"today"}}
            {"delete":{"id":1}}

            """)
    }

    private func output(_ arguments: String...) throws -> String {
        let result = try ToolProcess(arguments).finish()
        #expect(result.status == .success, "\(arguments): \(result.errors)")
        return result.output
    }

    @Test func `A name is given, printed, changed and taken away`() throws {
        #expect(try output("name", store) == "no names\n")
        #expect(try output("name", store, "1.0", "3").hasPrefix("version 3  \"1.0\", named 20"))
        #expect(try output("name", store, "now").hasPrefix("version 4  \"now\", named 20"))
        let listed = try ToolProcess.run("name", store, "--json").json()
        #expect(listed.map { $0["name"] } == ["1.0", "now"] && listed.map { $0["version"] } == [3, 4])
        #expect(try output("name", store, "1.0", "--rename", "1.0.1").hasPrefix("version 3  \"1.0.1\""))
        #expect(try output("name", store, "now", "--remove").hasPrefix("version 3  \"1.0.1\""))
        for (arguments, code) in [
            (["1.0.1"], "duplicateName"), (["2.0", "--remove"], "unknownName"),
            (["2.0", "--rename", "3.0"], "unknownName"), (["2.0", "9"], "unknownVersion"), ([""], "invalidName"),
            (["--remove"], "usage"), (["2.0", "1", "--remove"], "usage"), (["12"], "usage"), (["head"], "usage"),
            (["HEAD"], "usage"), (["first+1"], "usage"), (["01.03.2026"], "usage"), (["12:30"], "usage"),
            (["1.0.1", "--rename", "2026-03-01"], "usage"), (["name:12", "--remove"], "unknownName"),
        ] as [([String], String)] {
            let result = try ToolProcess(["name", store] + arguments + ["--json"]).finish()
            #expect(result.status == (code == "usage" ? .usage : .refused), "\(arguments)")
            #expect(try JSONValue(parsing: result.errors.utf8)["error"]?["code"]?.text == code, "\(arguments)")
        }
        let hostile = "a\u{1B}[31mb"
        #expect(try !output("name", store, hostile, "1").contains("\u{1B}"))
        let again = try ToolProcess(["name", store, hostile]).finish()
        #expect(again.status == .refused && again.errors.contains("already") && !again.errors.contains("\u{1B}"))
        #expect(try output("name", store, "name:2", "3").hasPrefix("version 3  \"2\""))
        #expect(try output("show", store, "--at", "name:2") == output("show", store, "--at", "3"))
        #expect(try output("show", store, "--at", "2") != output("show", store, "--at", "3"))
        #expect(try output("stats", store).contains("version     4\n"))
    }

    @Test func `Commands take names, also of versions before the log, and the log shows them`() throws {
        let rows = try output("show", store, "--at", "3")
        _ = try output("name", store, "with milk", "3")
        _ = try output("name", store, "now")
        #expect(try output("log", store, "--oneline").contains("  named \"with milk\"\n"))
        #expect(
            try ToolProcess.run("log", store, "--from", "with milk", "--json").json().last?["names"]
                == .array(["with milk"]))
        #expect(try output("diff", store, "with milk", "now") == output("diff", store, "3", "4"))
        _ = try output("compact", store, "--from", "now")
        #expect(try output("show", store, "--at", "with milk") == rows)
        #expect(try output("name", store).contains("before the log\n"))
        #expect(try output("checkpoints", store).contains("before the log"))
        #expect(try ToolProcess.run("verify", store, "--json").json()[0]["names"] == 2)
        #expect(try ToolProcess.run("go", store, "with milk").status == .refused)
        #expect(try output("restore", store, "with milk") == "restored version 3\nversion 5\n")
        #expect(try output("show", store) == rows)
    }
}
