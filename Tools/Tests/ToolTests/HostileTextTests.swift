// Tests that nothing that a row, a title, a name or an id says reaches a terminal as anything but text.

import Foundation
import ListModel
import Listory
import Testing
import ToolSupport

@Suite struct HostileTextTests {
    private let folder: TemporaryFolder
    private let store: String

    private static let hostile =
        "\u{1B}[2J\u{1B}]0;title\u{7}\u{9B}31m\u{202E}gnp.\u{2066}x\u{200B}\r\n\u{2028}\u{8}<script>\u{0}"

    /// A store in which everything that can be named is hostile, and one row has 1 MiB.
    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("store")
        let list = try UntypedStore.create(at: store)
        let text = HostileTextTests.hostile
        func content(_ text: String) -> [UInt8] { JSONValue.object(["title": .string(text)]).bytes }
        try list.edit(text, origin: text) { edit in
            try edit.insertSection(NewSection(id: .string(text), title: text))
            try edit.insert(
                [
                    NewRow(id: .string(text + "1"), content: content(text)),
                    NewRow(id: 2, content: content(String(repeating: "y", count: 1 << 20))),
                    NewRow(id: 3, content: Array(text.utf8)),
                ], at: .end(ofSection: .string(text)))
            edit.annotate(text, with: Array(text.utf8))
        }
        try list.edit("Rename", origin: text) { edit in
            try edit.renameSection(.section(.string(text)), to: text + "2")
            try edit.update(.string(text + "1"), content: content(text + "2"))
            try edit.toggle(.item(.string(text + "1")))
            try edit.move(.item(3), to: .section(.string(text), at: 0))
        }
        try list.undo(origin: text)
        try list.close()
    }

    private func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
    }

    @Test(arguments: [
        ["show"], ["show", "--at", "1"], ["show", "--row", "3"], ["show", "--row", HostileTextTests.hostile],
        ["show", "--section", HostileTextTests.hostile], ["show", "--section", "\u{1B}[31m"], ["log"],
        ["log", "--graph"],
        ["log", "--oneline"], ["log", "--stat"], ["diff"], ["diff", "0"], ["diff", "head", "0"], ["play"], ["branches"],
        ["search", "script"], ["record", "1"], ["checkpoints"], ["stats"], ["who"], ["verify"], ["redo"],
        ["revert", "1"], ["bisect", "--where", "contains gnp"], ["bisect", "--where", "row \u{1B}[31m x"],
        ["show", "--at", "\u{1B}[31m"], ["show", "\u{1B}[31m"], ["\u{1B}[31m"], ["replay"], ["go", "\u{202E}"],
    ])
    func `What is printed moves no cursor and changes no direction`(arguments: [String]) throws {
        var arguments = arguments
        arguments.insert(store, at: 1)
        let result = try ToolProcess(arguments).finish()
        #expect(result.status != nil)
        #expect(isHarmless(result.output), "\(arguments)")
        #expect(isHarmless(result.errors), "\(arguments): \(result.errors.debugDescription)")
        // The long row is cut off, except where it is asked for.
        #expect(result.output.utf8.count < 100_000, "\(arguments)")
    }

    @Test func `A path and a row of its own are harmless too, and nothing of a row is lost`() throws {
        let path = folder.file("a\u{1B}[31m\u{202E}b")
        for arguments in [["show", path], ["verify", path], ["export", path], ["copy", path, "x"]] {
            let result = try ToolProcess(arguments).finish()
            #expect(result.status == .unusable && isHarmless(result.errors), "\(result.errors.debugDescription)")
        }
        #expect(try ToolProcess.run("show", store, "--row", "2").output.utf8.count > 1 << 20)
        let exported = try ToolProcess.run("export", store).output
        let copy = folder.file("copy")
        #expect(try ToolProcess.run("import", copy, "-", "--format", "log", input: exported).status == .success)
        let rows = try ToolProcess.run("show", store, "--json").json()
        #expect(try ToolProcess.run("show", copy, "--json").json() == rows)
    }

    @Test(
        arguments: [
            (["show", "--at", "9"], "unknownVersion", 1), (["show", "--at", "head~x"], "usage", 2),
            (["show", "--at", "x"], "unknownName", 1),
            (["log", "--limit=-1"], "usage", 2),
            (["undo", "99"], "nothingToUndo", 1), (["export", "--unknown"], "usage", 2),
            (["show", "--row", "nobody"], "refused", 1),
            (["bisect", "--where", "count >"], "usage", 2),
            (["replay", "--against", "/no/such/file"], "inputOutput", 5),
            (["record", "0"], "unknownVersion", 1),
        ] as [([String], String, Int64)])
    func `An error is JSON if that was asked for, and one line`(
        arguments: [String], code: String, status: Int64
    ) throws {
        for option in [["--json"], ["--format", "json"], ["--format=json"]] {
            var all = arguments + option
            all.insert(store, at: 1)
            let result = try ToolProcess(all).finish()
            #expect(result.status?.rawValue == Int32(status) && result.output == "")
            let lines = result.errors.split(separator: "\n")
            #expect(lines.count == 1)
            let error = try JSONValue(parsing: Array(lines[0].utf8))["error"]
            #expect(error?["code"]?.text == code && error?["status"] == .integer(status), "\(result.errors)")
            #expect(error?["message"]?.text?.isEmpty == false)
        }
    }

    @Test func `The processes that have a store open are told`() throws {
        #expect(try ToolProcess.run("who", store).output == "no other process\n")
        let editor = try ToolProcess(["exec", store])
        _ = try editor.ask(#"{"branches":{}}"#)
        let reader = try ToolProcess(["log", store, "--follow", "--json", "--limit", "1"])
        _ = try reader.readLine()
        let found = try ToolProcess.run("who", store, "--json").json()
        #expect(Set(found.map { $0["edits"] }) == [.bool(true), .bool(false)])
        #expect(try ToolProcess.run("who", store).output.split(separator: "\n").count == 2)
        // A copy has what was saved, also while it is edited.
        let copy = folder.file("copied")
        #expect(try ToolProcess.run("copy", store, copy).status == .success)
        #expect(try ToolProcess.run("show", copy, "--json").json() == ToolProcess.run("show", store, "--json").json())
        #expect(try ToolProcess.run("copy", store, copy).status == .refused)
        editor.kill()
        reader.kill()
        #expect(try ToolProcess.run("who", store).output == "no other process\n")
    }

    @Test func `Rows are shown in part, and searched`() throws {
        let (_folder, list) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"a","title":"Alpha"}}
            {"insertSection":{"id":5,"title":"Beta"}}
            {"insert":{"items":[{"id":1,"content":{"title":"Crème"}},{"id":2,"content":{"title":"Milk","n":42}}],"section":"a"}}
            {"insert":{"items":[{"id":"2","content":"Oat milk"},{"id":4,"content":"x"}],"section":5}}

            """)
        #expect(try ToolProcess.run("show", list, "--section", "5").output == "Beta\n[ ] \"Oat milk\"\n[ ] \"x\"\n")
        #expect(
            try ToolProcess.run("show", list, "--limit", "3").output
                == "Alpha\n[ ] Crème\n[ ] Milk\n\nBeta\n[ ] \"Oat milk\"\n")
        let part = try ToolProcess.run("show", list, "--section", "a", "--limit", "1", "--json").json()[0]
        #expect(part["sections"].map(JSONValue.text)?.contains("Milk") == false)
        let row = try ToolProcess.run("show", list, "--row", "4", "--json").json()[0]
        #expect(row["at"] == .array([1, 1]) && row["section"] == 5 && row["row"]?["content"] == "x")
        // The id 2 is meant before the id "2".
        #expect(try ToolProcess.run("show", list, "--row", "2").output.contains("section  a\nposition [0, 1]\n"))
        #expect(
            try ToolProcess.run("show", list, "--row", "2", "--at", "head~1").output.contains("content  {\"n\":42,"))
        #expect(
            try ToolProcess.run("search", list, "MILK").output
                == "[0, 1] [ ] Milk (id 2)\n[1, 0] [ ] \"Oat milk\" (id \"2\")\n")
        #expect(try ToolProcess.run("search", list, "milk oat").output.split(separator: "\n").count == 1)
        #expect(try ToolProcess.run("search", list, "creme", "--json").json()[0]["row"]?["id"] == 1)
        #expect(try ToolProcess.run("search", list, "42", "--limit", "1").output.contains("Milk"))
        #expect(try ToolProcess.run("search", list, "title").output == "")
        let checkpoints = try ToolProcess.run("checkpoints", list, "--json").json()
        #expect(checkpoints.last?["version"] == 4 && checkpoints.last?["items"] == 4)
        _ = _folder
    }
}
