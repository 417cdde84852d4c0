// Tests outlines in the tool: edits by `exec`, output of `show`, `log` and `diff`.

import Foundation
import ListModel
import Listory
import Testing
import ToolSupport

@Suite struct OutlineExecTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("store")
        try UntypedStore.create(at: store).close()
    }

    private func exec(_ lines: String...) throws -> ToolProcess.Result {
        try ToolProcess.run("exec", store, input: lines.joined(separator: "\n"))
    }

    private static let plan = [
        #"{"insertSection":{"id":"plan","title":"Plan"}}"#,
        #"{"insert":{"section":"plan","items":[{"id":1,"content":"One","collapsed":true},"#
            + #"{"id":2,"content":"Two","depth":1}]}}"#,
    ]

    private func rows() throws -> String {
        let shown = try ToolProcess.run("show", store, "--format", "json").json()[0]
        guard case .array(let sections) = shown["sections"], case .array(let items) = sections[0]["items"] else {
            return "no rows"
        }
        return items.map { item in
            let depth = if case .integer(let depth) = item["depth"] { Int(depth) } else { 0 }
            let id = item["id"].map(JSONValue.text) ?? "?"
            return String(repeating: ".", count: depth) + id + (item["collapsed"] == .bool(true) ? "-" : "")
        }.joined(separator: " ")
    }

    @Test func `Every edit of an outline is a request, and undoes`() throws {
        let result = try exec(
            Self.plan[0], Self.plan[1],
            #"{"insert":{"id":3,"content":"Three","outline":{"lastChild":2}}}"#,
            #"{"insert":{"items":[{"id":4,"content":"4"},{"id":5,"content":"5","depth":1}],"outline":{"root":"plan"}}}"#,
            #"{"expand":{"id":1}}"#, #"{"moveSubtree":{"id":2,"outline":{"firstChild":4}}}"#,
            #"{"indent":{"id":4}}"#, #"{"outdent":{"id":5}}"#, #"{"collapse":{"id":1,"recursively":true}}"#,
            #"{"changeDepth":{"ids":[5],"by":1}}"#, #"{"deleteSubtree":{"id":2}}"#)
        #expect(result.status == .success)
        #expect(result.errors == "")
        #expect(try rows() == "1- .4- ..5")
        let changesets = try result.json().map { $0["changeset"].map(JSONValue.text) }
        // Two rows changed their depth; one row is collapsed, and then another.
        #expect(changesets[6] == #"{"items":{"updated":[[0,1],[0,2],[0,3],[0,4]]}}"#)
        #expect(try exec(#"{"undo":10}"#).status == .success)
        #expect(try rows() == "")
        #expect(try exec(#"{"redo":10}"#).status == .success)
        #expect(try rows() == "1- .4- ..5")
    }

    @Test func `Rows that are wanted are applied by the fewest events`() throws {
        let result = try exec(
            Self.plan[0], Self.plan[1],
            #"{"apply":{"sections":[{"id":"plan","title":"Plan","items":["#
                + #"{"id":2,"content":"Two"},{"id":1,"content":"One","depth":1}]}]}}"#,
            #"{"apply":{"sections":[{"id":"plan","items":[{"id":2,"content":"Two"},{"id":2,"content":"Two"}]}]}}"#)
        #expect(try rows() == "2 .1")
        #expect(try result.json().last?["error"]?["code"] == "duplicateItem")
        let events = try ToolProcess.run("log", store, "--from", "3", "--format", "json").json()[0]["events"]
        #expect(
            events.map(JSONValue.text)
                == #"[{"itemsMoved":{"from":[0,0],"ids":[1],"to":[0,1]}},"#
                + #"{"itemCollapsed":{"at":[0,1],"collapsed":false,"id":1}},"#
                + #"{"itemsIndented":{"at":[0,0],"by":-1,"ids":[2]}},"#
                + #"{"itemsIndented":{"at":[0,1],"by":1,"ids":[1]}}]"#)
    }

    @Test func `Bad requests are refused by name, and change nothing`() throws {
        let bad = [
            #"{"moveSubtree":{"id":1,"outline":{"after":2}}}"#, #"{"indent":{"id":1}}"#, #"{"outdent":{"id":1}}"#,
            #"{"changeDepth":{"id":2,"by":63}}"#, #"{"expand":{"id":9}}"#, #"{"deleteSubtree":{"ids":[9]}}"#,
            #"{"insert":{"id":9,"content":1,"outline":{"root":"nowhere"}}}"#,
            #"{"insert":{"id":9,"content":1,"depth":64,"section":"plan"}}"#,
            #"{"insert":{"id":9,"content":1,"section":"plan","outline":{"before":1}}}"#,
            #"{"moveSubtree":{"id":1,"outline":{}}}"#, #"{"moveSubtree":{"id":1,"outline":{"before":2,"after":2}}}"#,
            #"{"collapse":{"id":1,"recursively":1}}"#,
        ]
        for line in bad {
            let answers = try exec(Self.plan[0], Self.plan[1], line).json()
            #expect(answers.last?["error"] != nil, "\(line)")
            #expect(try rows() == "1- .2", "\(line)")
        }
    }

    @Test func `Depths are told by show, log and diff`() throws {
        _ = try exec(
            Self.plan[0], Self.plan[1], #"{"changeDepth":{"id":2,"by":2}}"#, #"{"changeDepth":{"id":2,"by":-1}}"#,
            #"{"expand":{"id":1}}"#, #"{"collapse":{"id":2}}"#)
        let text = try ToolProcess.run("show", store).output
        #expect(text.contains("\n[ ] \"One\"\n    [ ] \"Two\" …\n"))
        let log = try ToolProcess.run("log", store).output
        for line in [
            "indented [0, 1] by 2: id 2", "outdented [0, 1] by 1: id 2", "expanded [0, 0]: id 1",
            "collapsed [0, 1]: id 2",
        ] {
            #expect(log.contains(line), "\(line)")
        }
        let json = try ToolProcess.run("log", store, "--format", "json").output
        for event in [
            #"{"itemsIndented":{"at":[0,1],"by":2,"ids":[2]}}"#,
            #"{"itemCollapsed":{"at":[0,0],"id":1,"collapsed":false}}"#,
        ] {
            #expect(json.contains(event), "\(event)")
        }
        #expect(try ToolProcess.run("diff", store, "2", "6").output.contains("~ [0, 1] [ ] \"Two\" (depth 2) …"))
    }
}
