// Tests the commands that use the history: branches, go, earlier, later, revert, restore, and conflicts.

import Foundation
import ListModel
import Listory
import Testing
import ToolSupport

@Suite struct HistoryCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// A store with two branches: versions 1 to 3 make a section and two rows, 4 undoes the second row, and 5 makes
    /// another one.
    init() throws {
        (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"s","title":"Today"}}
            {"insert":{"id":1,"content":{"title":"Milk"},"section":"s"}}
            {"insert":{"id":2,"content":{"title":"Bread"},"section":"s"}}
            {"undo":1}
            {"begin":"Add eggs"}
            {"insert":{"id":3,"content":{"title":"Eggs"},"section":"s"}}
            {"end":{}}

            """)
    }

    private func rows() throws -> String {
        try ToolProcess.run("show", store).output.split(separator: "\n").dropFirst().joined(separator: " ")
    }

    @Test func `Branches are told with tip, name, steps and where they part`() throws {
        let text = try ToolProcess.run("branches", store).output.split(separator: "\n").map(String.init)
        try #require(text.count == 2)
        #expect(text[0].hasPrefix("* version 5  20") && text[0].hasSuffix("Z  \"Add eggs\"  3 steps"))
        #expect(text[1].hasPrefix("  version 3  20") && text[1].hasSuffix("Z  \"Insert\"  3 steps, from version 2"))
        let json = try ToolProcess.run("branches", store, "--format", "json").json()
        #expect(json.map { $0["tip"] } == [5, 3])
        #expect(json.map { $0["name"] } == ["Add eggs", "Insert"])
        #expect(json.map { $0["steps"] } == [3, 3])
        #expect(json.map { $0["fork"] } == [5, 2])
        #expect(json.map { $0["current"] } == [.bool(true), .bool(false)])
        #expect(json.map { $0["position"] } == [5, nil])
        let log = try ToolProcess.log(store)
        #expect(json.map { $0["time"] } == [log[4]["time"], log[2]["time"]])
        #expect(try ToolProcess.run("branches", store, "--limit", "1").output.split(separator: "\n").count == 1)
        _ = try ToolProcess.run("undo", store, "2")
        #expect(try ToolProcess.run("branches", store).output.contains("\"Add eggs\"  3 steps, now at version 1\n"))
        let empty = folder.file("empty")
        _ = try ToolProcess.run("new", empty)
        #expect(try ToolProcess.run("branches", empty).output == "")
    }

    @Test func `Twenty branches are printed unless another number is asked for`() throws {
        let branches = (10..<40).map { "{\"undo\":1}\n{\"insertSection\":{\"id\":\($0)}}\n" }.joined()
        #expect(try ToolProcess.run("exec", store, input: branches).status == .success)
        for (options, count) in [([], 20), (["--all"], 32), (["--limit", "25"], 25)] {
            let result = try ToolProcess(["branches", store, "--json"] + options).finish()
            #expect(try result.json().count == count, "\(options)")
        }
    }

    @Test func `Going to another branch is one commit, and undo goes on from there`() throws {
        #expect(try ToolProcess.run("go", store, "3").output == "went to \"Insert\" (version 3)\nversion 6\n")
        #expect(try rows() == "[ ] Milk [ ] Bread")
        #expect(try ToolProcess.run("go", store, "3").output == "nothing to do\nversion 6\n")
        #expect(try ToolProcess.run("undo", store, "2").output.hasSuffix("version 8\n"))
        #expect(try rows() == "")
        let back = try ToolProcess.run("go", store, "5", "--format", "json").json()[0]
        #expect(back["version"] == 9)
        #expect(back["changeset"].map(JSONValue.text) == #"{"items":{"inserted":[[0,0],[0,1]]}}"#)
        #expect(try rows() == "[ ] Milk [ ] Eggs")
        #expect(try ToolProcess.run("go", store, "0").output == "went to version 0\nversion 10\n")
        #expect(try ToolProcess.run("show", store).output == "")
        // A checkout is not a revision, so it cannot be checked out.
        let move = try ToolProcess.run("go", store, "4")
        #expect(move.status == .refused && move.errors.contains("version 4"))
    }

    @Test func `Going to a time, or back from the newest version, goes to what the list was then`() throws {
        _ = try ToolProcess.run("undo", store)
        #expect(try rows() == "[ ] Milk")
        // Version 4 is an undo that led back to version 2, and version 6 is the undo just made.
        #expect(try ToolProcess.run("go", store, "head").output == "nothing to do\nversion 6\n")
        #expect(try ToolProcess.run("go", store, "head~1").output.hasSuffix("(version 5)\nversion 7\n"))
        #expect(try ToolProcess.run("go", store, "head~3").output == "went to \"Insert\" (version 2)\nversion 8\n")
        #expect(try ToolProcess.run("go", store, "2999-01-01").output == "nothing to do\nversion 8\n")
        #expect(try ToolProcess.run("go", store, "2020-01-01").output == "went to version 0\nversion 9\n")
        #expect(try ToolProcess.run("go", store, "8").status == .refused)
        let asked = try ToolProcess.run("exec", store, input: #"{"go":"head~1"}"# + "\n").json()
        #expect(asked[0]["version"] == 10)
        #expect(try rows() == "[ ] Milk")
        // Nobody else's history is gone through.
        #expect(try ToolProcess.run("go", store, "head", "--origin", "anna").output == "nothing to do\nversion 10\n")
    }

    @Test func `Earlier and later go through all branches in the order in which they were made`() throws {
        for (command, distance, expected) in [
            ("earlier", "1", "[ ] Milk [ ] Bread"), ("earlier", "1", "[ ] Milk"), ("later", "2", "[ ] Milk [ ] Eggs"),
            ("earlier", "99", ""), ("later", "99", "[ ] Milk [ ] Eggs"), ("earlier", "1d", ""),
            ("later", "99", "[ ] Milk [ ] Eggs"),
        ] {
            let result = try ToolProcess.run(command, store, distance)
            #expect(result.status == .success, "\(result.errors)")
            #expect(try rows() == expected, "\(command) \(distance)")
        }
        #expect(try ToolProcess.run("later", store).output.hasPrefix("nothing to do\n"))
        #expect(try ToolProcess.run("earlier", store).output.hasPrefix("went to \"Insert\" (version 3)\n"))
    }

    @Test func `A time goes to what the list was then, and so does a date`() throws {
        let path = folder.file("dated")
        let store = try UntypedStore.create(at: path)
        let noon: Int64 = 1_772_368_200_000_000 - 30 * 60_000_000
        for (index, minutes) in [0, 10, 60].enumerated() {
            try store.edit("Edit \(index)", time: Timestamp(microseconds: noon + Int64(minutes) * 60_000_000)) {
                try $0.insertSection(NewSection(id: .integer(Int64(index)), title: "\(index)"))
            }
        }
        try store.close()
        for (date, expected) in [
            ("2026-03-01", ""), ("2026-03-01T11:59:59Z", ""), ("2026-03-01T12:00:00Z", "0\n"),
            ("2026-03-01T12:30:00Z", "0\n\n1\n"), ("2026-03-01T12:30:00+02:00", ""), ("2026-03-02", "0\n\n1\n\n2\n"),
        ] {
            #expect(try ToolProcess.run("show", path, "--at", date).output == expected, "\(date)")
        }
        #expect(try ToolProcess.run("undo", path).status == .success)
        #expect(try ToolProcess.run("earlier", path, "10m").output.contains("(version 1)"))
        #expect(try ToolProcess.run("later", path, "1h").output.contains("(version 3)"))
    }

    @Test func `A revert takes one commit back and leaves the others`() throws {
        let reverted = try ToolProcess.run("revert", store, "2")
        #expect(reverted.output == "reverted \"Insert\" (version 2)\nversion 6\n")
        #expect(try rows() == "[ ] Eggs")
        #expect(try ToolProcess.run("revert", store, "2").output == "nothing to do\nversion 6\n")
        #expect(try ToolProcess.run("undo", store).status == .success)
        #expect(try rows() == "[ ] Milk [ ] Eggs")
    }

    @Test func `Rows that were changed since are conflicts, all of them printed`() throws {
        let edits = try ToolProcess.run(
            "exec", store,
            input: """
                {"begin":"Check"}
                {"check":{"ids":[1,3],"checked":true}}
                {"insert":{"id":4,"content":{"title":"Tea"},"section":"s"}}
                {"end":{}}
                {"check":{"ids":[1,3],"checked":false}}
                {"update":{"id":4,"content":{"title":"Green tea"}}}
                {"check":{"id":3,"checked":true}}
                """)
        try #require(edits.status == .success)
        let before = try ToolProcess.run("show", store, "--format", "json").output
        let refused = try ToolProcess.run("revert", store, "6")
        #expect(refused.status == .conflicts)
        #expect(refused.output == "")
        #expect(refused.errors.split(separator: "\n").count == 1)
        #expect(refused.errors.contains("row 4 was changed since"))
        #expect(try ToolProcess.run("show", store, "--format", "json").output == before)
        let json = try ToolProcess.run("revert", store, "6", "--format", "json")
        #expect(json.status == .conflicts)
        let answer = try json.json()[0]
        #expect(answer["version"] == 9)
        #expect(answer["changeset"] == .object([:]))
        #expect(answer["error"]?["code"] == "conflicts")
        #expect(answer["error"]?["conflicts"].map(JSONValue.text) == #"[{"item":4,"reason":"changed"}]"#)
        let skipped = try ToolProcess.run("revert", store, "6", "--skip-conflicts", "--format", "json")
        #expect(skipped.status == .success)
        #expect(try skipped.json()[0]["conflicts"].map(JSONValue.text) == #"[{"item":4,"reason":"changed"}]"#)
        #expect(try rows() == "[ ] Milk [ ] Eggs [ ] Green tea")
    }

    @Test func `An undo that meets what others did stops there, and tells what it did before`() throws {
        let other = try UntypedStore.open(at: store)
        try other.edit("Sync", origin: "sync", tracking: .untracked, isDiscardable: true) { list in
            try list.update(1, content: Array(#"{"title":"Oat milk"}"#.utf8))
        }
        try other.close()
        let refused = try ToolProcess.run("undo", store, "3", "--format", "json")
        #expect(refused.status == .conflicts)
        let answer = try refused.json()[0]
        #expect(answer["version"] == 7)
        #expect(answer["changeset"].map(JSONValue.text) == #"{"items":{"deleted":[[0,1]]}}"#)
        #expect(answer["error"]?["conflicts"].map(JSONValue.text) == #"[{"item":1,"reason":"changed"}]"#)
        #expect(try rows() == "[ ] Oat milk")
        let skipped = try ToolProcess.run("undo", store, "--skip-conflicts")
        #expect(
            skipped.output
                == "undid \"Insert\" (version 2)\nleft as it is: row 1 was changed since\nversion 8\n")
        #expect(try rows() == "[ ] Oat milk")
        let log = try ToolProcess.run("log", store, "--from", "6", "--to", "6").output
        #expect(log.contains("edit  \"Sync\" by sync  untracked  discardable\n"))
        let json = try ToolProcess.run("log", store, "--from", "5", "--to", "6", "--format", "json").json().reversed()
        #expect(json.map { $0["tracking"] } == [nil, "untracked"])
        #expect(json.map { $0["discardable"] } == [nil, .bool(true)])
    }

    @Test func `A restore makes the rows those of a version, whatever the branch`() throws {
        #expect(try ToolProcess.run("restore", store, "3").output == "restored version 3\nversion 6\n")
        #expect(try rows() == "[ ] Milk [ ] Bread")
        #expect(try ToolProcess.run("restore", store, "3").output == "nothing to do\nversion 6\n")
        #expect(try ToolProcess.run("undo", store).status == .success)
        #expect(try rows() == "[ ] Milk [ ] Eggs")
        #expect(try ToolProcess.run("verify", store).status == .success)
    }

    @Test func `The log tells why commits were made, and of which`() throws {
        for arguments in [["redo", store], ["go", store, "3"], ["revert", store, "2"], ["restore", store, "5"]] {
            _ = try ToolProcess(arguments).finish()
        }
        _ = try ToolProcess.run("undo", store)
        _ = try ToolProcess.run("redo", store)
        let log = try ToolProcess.log(store)
        #expect(
            log.map { $0["cause"]?.text }
                == ["edit", "edit", "edit", "undo", "edit", "go", "revert", "restore", "undo", "redo"])
        #expect(log.map { $0["of"] } == [nil, nil, nil, 3, nil, nil, 2, 5, 8, 8])
        #expect(log.map { $0["to"] } == [nil, nil, nil, nil, nil, 3, nil, nil, nil, nil])
        let text = try ToolProcess.run("log", store).output
        for cause in ["  undo of 3  ", "  go to 3  ", "  revert of 2  ", "  restore of 5  ", "  redo of 8  "] {
            #expect(text.contains(cause))
        }
    }

    @Test func `With an origin, its own history is walked`() throws {
        let path = folder.file("own")
        _ = try ToolProcess.run("new", path)
        let lines = { (id: Int) in #"{"insert":{"id":\#(id),"content":\#(id),"section":"s"}}"# }
        let section = #"{"insertSection":{"id":"s"}}"#
        _ = try ToolProcess.run("exec", path, "--origin", "a", input: section + "\n" + lines(1))
        _ = try ToolProcess.run("exec", path, "--origin", "b", input: lines(2))
        #expect(try ToolProcess.run("undo", path).status == .refused)
        #expect(try ToolProcess.run("undo", path, "--origin", "a").status == .success)
        #expect(try ToolProcess.run("show", path).output == "s\n[ ] 2\n")
        #expect(try ToolProcess.run("branches", path, "--origin", "a").output.contains("now at version 1"))
        #expect(try ToolProcess.run("redo", path, "--origin", "b").status == .refused)
        let undo = try ToolProcess.run("log", path, "--limit", "1").output
        #expect(undo.contains("undo of 2  \"Insert\" by a  own history\n"))
    }
}
