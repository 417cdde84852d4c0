// Tests imports with the built tool: files, pipes, compressed files, real recordings.

import Foundation
import ListModel
import TestSupport
import Testing
import ToolSupport

@Suite struct ImportCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("store")
    }

    @Test(.enabled(if: RecordedTrace.isAvailable, "the recordings are not there"))
    func `A real recording ends with its text, and can be undone from end to begin`() throws {
        let path = RecordedTrace.svelteComponent.path
        let trace = try EditingTrace(json: ImportInput(path: path).bytes)
        let imported = try ToolProcess.run("import", store, path, "--format", "editing-trace", "--timing")
        #expect(imported.status == .success)
        let timing = imported.errors.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(timing.map(\.first) == ["parse", "apply", "commit"])
        #expect(timing.allSatisfy { $0.count == 3 && Double($0[1]) != nil && $0[2] == "s" })
        #expect(try ToolProcess.run("show", store, "--format", "raw").output == trace.endContent)
        let statistics = try #require(ToolProcess.run("stats", store, "--format", "json").json().first)
        #expect(statistics["commits"] == .integer(Int64(trace.transactions.count)))
        #expect(try ToolProcess.run("undo", store, "\(trace.transactions.count)").status == .success)
        #expect(try ToolProcess.run("show", store, "--format", "raw").output == "")
        #expect(try ToolProcess.run("redo", store, "\(trace.transactions.count)").status == .success)
        #expect(try ToolProcess.run("show", store, "--format", "raw").output == trace.endContent)
        #expect(try ToolProcess.run("verify", store).status == .success)
    }

    @Test func `A trace with a start has a commit for it, and one for each transaction`() throws {
        let text =
            #"{"startContent":"añb😀","endContent":"aXYb\n","txns":["#
            + #"{"patches":[[1,1,"XY"]]},{"patches":[]},{"patches":[[4,1,""],[4,0,"\n"]]}]}"#
        let path = try folder.write(text, to: "trace.json")
        #expect(try ToolProcess.run("import", store, path, "--format", "editing-trace").status == .success)
        #expect(try ToolProcess.run("show", store, "--format", "raw").output == "aXYb\n")
        #expect(try ToolProcess.run("show", store, "--format", "raw", "--at", "1").output == "añb😀")
        let log = try ToolProcess.log(store)
        #expect(log.map { $0["name"] } == ["start", "type", "type"])
        #expect(log.last?["events"]?[0]?["itemsDeleted"]?["at"] == .array([0, 4]))
        #expect(log.last?["events"]?[1]?["itemsInserted"]?["at"] == .array([0, 4]))
        // A second import makes a new section with new ids.
        #expect(try ToolProcess.run("import", store, path, "--format", "editing-trace").status == .success)
        let shown = try #require(ToolProcess.run("show", store, "--format", "json").json().first)
        #expect(shown["sections"]?[1]?["id"] == "text-2")
        #expect(shown["sections"]?[1]?["items"]?[0]?["id"] == 8)
    }

    @Test func `A compressed input is decompressed, from standard input too`() throws {
        let path = try folder.write("a\nb\n", to: "plain.txt")
        let gzip = Process()
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["gzip", path]
        try startingAlone { try gzip.run() }
        gzip.waitUntilExit()
        let data = try Data(contentsOf: URL(fileURLWithPath: path + ".gz"))
        let tool = try ToolProcess(["import", store, "-", "--format", "lines"])
        #expect(try tool.finish(data).status == .success)
        #expect(try ToolProcess.run("show", store).output == "lines\n[ ] a\n[ ] b\n")
        try data.prefix(20).write(to: URL(fileURLWithPath: path))
        let broken = try ToolProcess.run("import", folder.file("other"), path, "--format", "lines")
        #expect(broken.status == .inputOutput)
        #expect(broken.errors.hasPrefix("listory: plain.txt cannot be decompressed"))
    }

    @Test func `An import is one commit into new sections with ids that count up`() throws {
        _ = try ToolProcess.run("new", store)
        _ = try ToolProcess.run(
            "exec", store,
            input: #"{"insertSection":{"id":"shop","items":[{"id":41,"content":1},{"id":"x","content":2}]}}"#)
        let path = try folder.write("# Shop\n- [x] milk\n- bread\ntext\n# Später!\n", to: "todo.md")
        let imported = try ToolProcess.run("import", store, path, "--format", "markdown")
        #expect(imported.status == .success)
        #expect(imported.errors == "listory: left out what is no item: line 4\n")
        let log = try ToolProcess.run("log", store, "--limit", "1", "--format", "json").json()
        #expect(log[0]["version"] == 2)
        #expect(log[0]["name"] == "Import todo.md")
        let shown = try #require(ToolProcess.run("show", store, "--format", "json").json().first)
        let milk = #"{"checked":true,"content":{"title":"milk"},"id":42}"#
        let bread = #"{"checked":false,"content":{"title":"bread"},"id":43}"#
        #expect(
            shown["sections"]?[1].map(JSONValue.text)
                == #"{"id":"shop-2","items":[\#(milk),\#(bread)],"title":"Shop"}"#)
        #expect(shown["sections"]?[2]?["id"] == "später")
        // The rows were inserted as one run.
        #expect(log[0]["events"]?[1]?["itemsInserted"]?["items"]?[1]?["id"] == 43)
    }

    @Test func `JSON lines go to the sections they name, and an id that is taken stops all of them`() throws {
        let first = try ToolProcess.run(
            "import", store, "-", "--format", "jsonl",
            input: "{\"id\":3,\"content\":\"a\",\"section\":\"s\"}\n\"b\"\n")
        #expect(first.status == .success)
        #expect(first.errors == "")
        _ = try ToolProcess.run(
            "import", store, "-", "--format", "jsonl", input: "{\"content\":\"c\",\"section\":\"s\"}")
        #expect(try ToolProcess.run("show", store).output == "s\n[ ] \"a\"\n[ ] \"c\"\n\nitems\n[ ] \"b\"\n")
        let taken = try ToolProcess.run(
            "import", store, "-", "--format", "jsonl", input: "\"d\"\n{\"id\":3,\"content\":\"e\"}\n")
        #expect(taken.status == .refused)
        #expect(taken.errors == "listory: there is a row with the id 3 already\n")
        #expect(try ToolProcess.run("stats", store, "--format", "json").json()[0]["version"] == 2)
    }

    @Test func `A long list is printed whole in every format`() throws {
        let lines = (0..<5_000).map { "\"line \($0)\"\n" }.joined()
        _ = try ToolProcess.run("import", store, "-", "--format", "jsonl", input: lines)
        let items = try ToolProcess.run("show", store, "--format", "json").json()[0]["sections"]?[0]?["items"]
        #expect(items?[4_999]?["content"] == "line 4999")
        #expect(items?[5_000] == nil)
        let raw = try ToolProcess.run("show", store, "--format", "raw").output
        #expect(raw == (0..<5_000).map { "line \($0)" }.joined())
        let text = try ToolProcess.run("show", store).output
        #expect(text == "items\n" + (0..<5_000).map { "[ ] \"line \($0)\"\n" }.joined())
    }

    @Test func `An input that is wrong makes no store`() throws {
        let wrong = try ToolProcess.run("import", store, "-", "--format", "jsonl", input: "{")
        #expect(wrong.status == .refused)
        #expect(wrong.errors.hasPrefix("listory: line 1: expected JSON"))
        // No id is left for the second row.
        let full = try ToolProcess.run(
            "import", store, "-", "--format", "jsonl", input: "{\"id\":9223372036854775807,\"content\":\"a\"}\n\"b\"\n")
        #expect(full.status == .refused && full.errors.contains("expected integer ids below"), "\(full.errors)")
        #expect(try ToolProcess.run("import", store, folder.file("none"), "--format", "lines").status == .inputOutput)
        #expect(try ToolProcess.run("import", store, "-", "--format", "csv").status == .usage)
        #expect(!FileManager.default.fileExists(atPath: store))
    }
}
