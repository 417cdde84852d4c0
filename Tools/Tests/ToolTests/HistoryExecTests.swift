// Tests the requests of `exec` to the history, and groups of commits.

import ListModel
import Listory
import Testing
import ToolSupport

@Suite struct HistoryExecTests {
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

    private static let section = #"{"insertSection":{"id":"s"}}"#

    private static func insert(_ id: Int) -> String { #"{"insert":{"id":\#(id),"content":\#(id),"section":"s"}}"# }

    private func rows() throws -> String {
        try ToolProcess.run("show", store).output.split(separator: "\n").dropFirst().map { $0.dropFirst(4) }
            .joined(separator: " ")
    }

    @Test func `Commits that come at once are steps of their own, unless a group has them`() throws {
        let result = try exec(
            Self.section, Self.insert(1), Self.insert(2), #"{"beginGroup":"Add three"}"#, Self.insert(3),
            #"{"beginGroup":{}}"#, Self.insert(4), #"{"endGroup":{}}"#, Self.insert(5), #"{"endGroup":{}}"#,
            Self.insert(6), #"{"undo":2}"#)
        #expect(result.status == .success)
        let answers = try result.json()
        #expect(answers.map { $0["openGroups"] } == [nil, nil, nil, 1, nil, 2, nil, 1, nil, 0, nil, nil])
        #expect(answers.last?["version"] == 9)
        #expect(
            answers.last?["changeset"].map(JSONValue.text) == #"{"items":{"deleted":[[0,2],[0,3],[0,4],[0,5]]}}"#)
        #expect(try rows() == "1 2")
        let log = try ToolProcess.log(store)
        #expect(log[3...6].map { $0["name"] } == ["Add three", "Add three", "Add three", "Insert"])
        #expect(log[3...6].map { $0["continuesStep"] } == [nil, .bool(true), .bool(true), nil])
        let text = try ToolProcess.run("log", store, "--from", "4", "--to", "5").output
        let marks = text.split(separator: "\n").map { $0.hasSuffix("  continues the step") }
        #expect(marks == [true, false, false, false])
        #expect(try ToolProcess.run("stats", store, "--format", "json").json()[0]["undoDepth"] == 3)
        #expect(try ToolProcess.run("redo", store).output == "redid \"Add three\" (version 6)\nversion 10\n")
        #expect(try rows() == "1 2 3 4 5")
    }

    @Test func `Inside a group of commits nothing is undone, and its end is expected`() throws {
        let result = try exec(
            Self.section, #"{"endGroup":{}}"#, #"{"beginGroup":"Open"}"#, Self.insert(1), #"{"undo":1}"#, #"{"go":1}"#,
            Self.insert(2))
        #expect(result.status == .rejected)
        #expect(result.errors.contains("before endGroup"))
        #expect(
            try result.json().map { $0["error"]?["code"] }
                == [nil, "groupMismatch", nil, nil, "groupMismatch", "groupMismatch", nil])
        #expect(try rows() == "1 2")
        #expect(try ToolProcess.run("undo", store).output == "undid \"Open\" (version 3)\nversion 4\n")
        #expect(try rows() == "")
    }

    @Test func `The history is walked by requests, and branches are told`() throws {
        let answers = try exec(
            Self.section, Self.insert(1), #"{"undo":1}"#, Self.insert(2), #"{"branches":{}}"#, #"{"go":2}"#,
            #"{"branches":{"limit":1}}"#, #"{"later":1}"#, #"{"earlier":"1h"}"#, #"{"later":{"by":9}}"#,
            #"{"revert":4}"#, #"{"restore":2}"#, #"{"restore":2}"#
        ).json()
        #expect(answers.allSatisfy { $0["error"] == nil })
        #expect(answers.map { $0["version"] } == [1, 2, 3, 4, nil, 5, nil, 6, 7, 8, 9, 10, 10])
        let branches = try #require(answers[4]["branches"])
        #expect(branches[0]?["tip"] == 4 && branches[0]?["position"] == 4)
        #expect(branches[1]?["tip"] == 2 && branches[1]?["fork"] == 1)
        #expect(branches[2] == nil)
        #expect(answers[6]["branches"]?[0]?["tip"] == 2)
        #expect(answers[6]["branches"]?[1] == nil)
        let hashes = answers.map { $0["hash"] }
        #expect(hashes[5] == hashes[1] && hashes[7] == hashes[3])
        #expect(hashes[9] == hashes[3] && hashes[10] == hashes[0] && hashes[11] == hashes[1])
        #expect(try rows() == "1")
    }

    @Test func `Conflicts are answered, whether they are refused or skipped`() throws {
        let first = try exec(Self.section, Self.insert(1), Self.insert(2), Self.insert(3))
        #expect(first.status == .success)
        let other = try UntypedStore.open(at: store)
        try other.edit("Sync", tracking: .untracked) { try $0.update(2, content: Array("22".utf8)) }
        try other.close()
        let result = try exec(#"{"undo":3}"#, #"{"undo":1}"#, #"{"undo":{"count":1,"skipConflicts":true}}"#)
        #expect(result.status == .rejected)
        let answers = try result.json()
        let conflicts: JSONValue = .array([.object(["item": 2, "reason": "changed"])])
        #expect(answers[0]["version"] == 6)
        #expect(answers[0]["changeset"].map(JSONValue.text) == #"{"items":{"deleted":[[0,2]]}}"#)
        #expect(answers[1]["version"] == nil)
        for answer in answers[..<2] {
            #expect(answer["error"]?["code"] == "conflicts")
            #expect(answer["error"]?["conflicts"] == conflicts)
        }
        #expect(answers[2]["error"] == nil)
        #expect(answers[2]["version"] == 7)
        #expect(answers[2]["conflicts"] == conflicts)
        #expect(try rows() == "1 22")
    }

    @Test func `A row and a section come back by requests; one that is there, or never was, is refused`() throws {
        let answers = try exec(
            Self.section, Self.insert(1), Self.insert(2), #"{"delete":{"id":1}}"#, #"{"restoreRow":{"id":1}}"#,
            #"{"deleteSection":{"id":"s"}}"#, #"{"restoreRow":{"id":2,"version":3}}"#,
            #"{"restoreSection":{"id":"s","version":"head~2"}}"#, #"{"restoreRow":{"id":1}}"#,
            #"{"restoreRow":{"id":9}}"#, #"{"restoreRow":{"id":9,"version":1}}"#, #"{"undo":1}"#
        ).json()
        #expect(answers.map { $0["version"] } == [1, 2, 3, 4, 5, 6, 7, 8, nil, nil, nil, 9])
        #expect(
            answers.compactMap { $0["error"]?["code"] } == ["refused", "refused", "notInVersion"])
        #expect(answers[4]["hash"] == answers[2]["hash"] && answers[7]["hash"] == answers[2]["hash"])
        #expect(try rows() == "2")
    }

    @Test func `A version that there is not, or not any more, is refused, and the edits around it are made`() throws {
        let unknown = try exec(
            Self.section, Self.insert(1), #"{"go":"head~99"}"#, Self.insert(2), #"{"revert":"head~99"}"#,
            Self.insert(3), #"{"restoreRow":{"id":1,"version":99}}"#, Self.insert(4))
        #expect(unknown.status == .rejected)
        #expect(
            try unknown.json().map { $0["error"]?["code"] }
                == [nil, nil, "unknownVersion", nil, "unknownVersion", nil, "unknownVersion", nil])
        #expect(try rows() == "1 2 3 4")
        try #require(try ToolProcess.run("compact", store, "--from", "3").status == .success)
        let dropped = try exec(
            Self.insert(5), #"{"restore":2}"#, #"{"restoreRow":{"id":1,"version":2}}"#, Self.insert(6))
        #expect(dropped.status == .rejected)
        #expect(
            try dropped.json().map { $0["error"]?["code"] } == [nil, "droppedVersion", "droppedVersion", nil])
        #expect(try rows() == "1 2 3 4 5 6")
    }

    @Test func `Between begin and end only edits can stand`() throws {
        for line in [
            #"{"go":1}"#, #"{"earlier":1}"#, #"{"revert":1}"#, #"{"restore":1}"#, #"{"branches":{}}"#,
            #"{"beginGroup":"x"}"#, #"{"endGroup":{}}"#,
        ] {
            let answers = try exec(#"{"begin":"Spoiled"}"#, line, #"{"end":{}}"#).json()
            #expect(answers.map { $0["error"]?["code"] } == [nil, "insideGroup", "groupSpoiled"], "\(line)")
        }
        #expect(try ToolProcess.run("log", store).output == "")
    }
}
