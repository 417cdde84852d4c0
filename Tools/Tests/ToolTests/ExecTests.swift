// Tests `exec` from end to end: the built tool, through its pipes.

import Dispatch
import Foundation
import ListModel
import Listory
import Synchronization
import Testing
import ToolSupport

@Suite struct ExecTests {
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

    private static let today = #"{"insertSection":{"id":"today","title":"Today","at":0}}"#

    private static func insert(_ id: Int, at index: Int) -> String {
        #"{"insert":{"id":\#(id),"content":{"title":"Row \#(id)"},"section":"today","at":\#(index)}}"#
    }

    @Test func `Each edit is a commit and answers with its changeset and hash`() throws {
        let result = try exec(
            Self.today, Self.insert(7, at: 0), Self.insert(8, at: 1), "",
            #"{"move":{"id":7,"section":"today","at":1}}"#, #"{"toggle":{"id":7}}"#,
            #"{"update":{"path":[0,0],"content":"new"}}"#, #"{"delete":{"id":8}}"#,
            #"{"renameSection":{"id":"today","title":"Now"}}"#)
        #expect(result.status == .success)
        #expect(result.errors == "")
        let answers = try result.json()
        #expect(answers.map { $0["version"] } == (1...8).map { .integer($0) })
        #expect(
            answers.map { $0["changeset"].map(JSONValue.text) } == [
                #"{"sections":{"inserted":[0]}}"#, #"{"items":{"inserted":[[0,0]]}}"#,
                #"{"items":{"inserted":[[0,1]]}}"#,
                #"{"items":{"moved":[[[0,0],[0,1]]]}}"#, #"{"items":{"updated":[[0,1]]}}"#,
                #"{"items":{"updated":[[0,0]]}}"#, #"{"items":{"deleted":[[0,0]]}}"#, #"{"sections":{"updated":[0]}}"#,
            ])
        #expect(answers.allSatisfy { $0["hash"]?.text?.count == 16 })
        let shown = try ToolProcess.run("show", store, "--format", "json").json()[0]
        #expect(shown["hash"] == answers.last?["hash"])
    }

    @Test func `Answers say what is in the log, although another process commits at the same time`() throws {
        _ = try exec(Self.today, Self.insert(0, at: 0), Self.insert(1, at: 1))
        // So many that each process carries out several batches, and others come between. Both have begun before.
        let (count, path) = (4_000, store)
        @Sendable func toggle(_ id: Int) -> String { #"{"toggle":{"id":\#(id)}}"# }
        nonisolated(unsafe) let tools = try (0...1).map { _ in try ToolProcess(["exec", path]) }
        let first = try (0...1).map { try tools[$0].ask(toggle($0)) }
        let results = Mutex<[Int: ToolProcess.Result]>([:])
        let hasEnded = DispatchSemaphore(value: 0)
        @Sendable func finish(_ id: Int) {
            let lines = repeatElement(toggle(id), count: count - 1).joined(separator: "\n")
            let result = try? tools[id].finish(Data(lines.utf8))
            results.withLock { $0[id] = result }
        }
        Thread {
            finish(0)
            hasEnded.signal()
        }.start()
        finish(1)
        hasEnded.wait()
        let opened = try UntypedStore.open(at: path)
        defer { try? opened.close() }
        var versions: Set<Int64> = []
        for id in 0...1 {
            let result = try #require(results.withLock { $0[id] })
            #expect(result.status == .success)
            let answers = try [first[id]] + result.json()
            let found = answers.compactMap { answer -> Int64? in
                if case .integer(let number)? = answer["version"] { number } else { nil }
            }
            #expect(answers.count == count && found.count == count)
            versions.formUnion(found)
            // Each changeset leads from the rows of the answer before to those of this one.
            for index in stride(from: 1, to: count, by: 7) {
                let rows = try (index - 1...index).map { try opened.snapshot(at: Version(UInt64(found[$0]))) }
                var writer = JSONWriter()
                writer.write(Changeset(from: rows[0], to: rows[1]))
                #expect(answers[index]["hash"]?.text == rows[1].stateHash.description, "\(found[index])")
                #expect(answers[index]["changeset"].map(JSONValue.text) == writer.text, "\(found[index])")
            }
        }
        #expect(try opened.version == Version(UInt64(3 + 2 * count)))
        #expect(versions == Set((4...3 + 2 * count).map(Int64.init)))
    }

    @Test func `An edit that changes nothing makes no version`() throws {
        let answers = try exec(
            Self.today, Self.insert(7, at: 0), #"{"update":{"id":7,"content":{"title":"Row 7"}}}"#,
            #"{"move":{"id":7,"section":"today","at":0}}"#, #"{"begin":"Nothing"}"#, #"{"end":{}}"#
        ).json()
        for answer in [answers[2], answers[3], answers[5]] {
            #expect(answer["version"] == 2)
            #expect(answer["changeset"] == .object([:]))
            #expect(answer["hash"] == answers[1]["hash"])
        }
    }

    @Test func `A group is one commit of its name`() throws {
        let result = try exec(
            #"{"begin":"Set up"}"#, Self.today, Self.insert(1, at: 0), Self.insert(2, at: 0),
            #"{"check":{"ids":[1,2],"checked":true}}"#, #"{"end":{}}"#, #"{"undo":1}"#, #"{"redo":1}"#)
        #expect(result.status == .success)
        let answers = try result.json()
        #expect(answers.prefix(5).map { $0["pending"] } == [0, 1, 2, 3, 5])
        #expect(answers[5]["version"] == 1)
        #expect(
            answers[5]["changeset"].map(JSONValue.text)
                == #"{"items":{"inserted":[[0,0],[0,1]]},"sections":{"inserted":[0]}}"#)
        #expect(answers[6]["version"] == 2)
        #expect(answers[7]["hash"] == answers[5]["hash"])
        #expect(
            try ToolProcess.log(store).map { $0["name"] }
                == ["Set up", "Set up", "Set up"])
    }

    @Test func `A rejected line spoils its group, and nothing of it happens`() throws {
        let result = try exec(
            Self.today, #"{"begin":"Spoiled"}"#, Self.insert(1, at: 0), Self.insert(1, at: 0), "nonsense",
            #"{"undo":1}"#, #"{"begin":"inner"}"#, Self.insert(2, at: 1), #"{"end":{}}"#, Self.insert(3, at: 0))
        #expect(result.status == .rejected)
        let answers = try result.json()
        #expect(
            answers.map { $0["error"]?["code"]?.text ?? "" } == [
                "", "", "", "duplicateItem", "invalidJSON", "insideGroup", "insideGroup", "", "groupSpoiled", "",
            ])
        #expect(answers[7]["pending"] == 2)
        #expect(
            answers[8]["error"]?["message"]?.text
                == "nothing of the group \"Spoiled\" happened: line 4 was rejected: there is a row with the id 1 already"
        )
        #expect(answers[9]["version"] == 2)
        #expect(try ToolProcess.run("show", store).output == "Today\n[ ] Row 3\n")
    }

    @Test func `A rejected request says why and changes nothing`() throws {
        let result = try exec(
            Self.today, Self.insert(7, at: 0), #"{"delete":{"id":9}}"#, Self.insert(7, at: 0), Self.insert(8, at: 5),
            #"{"insertSection":{"id":"today"}}"#, #"{"deleteSection":"none"}"#, #"{"move":{"id":7,"before":7}}"#,
            #"{"undo":3}"#, #"{"redo":1}"#, #"{"end":{}}"#, #"{"toggle":{"path":[0,9]}}"#,
            #"{"toggle":{"path":[9,0]}}"#,
            #"{"move":{"path":[0,0],"count":9007199254740991,"to":[0,9007199254740991]}}"#, #"{"toggle":{"id":7}}"#)
        #expect(result.status == .rejected)
        let answers = try result.json()
        #expect(
            answers[2...13].map { $0["error"]?["code"]?.text ?? "" } == [
                "unknownItem", "duplicateItem", "itemIndexOutOfRange", "duplicateSection", "unknownSection",
                "movedOntoItself", "nothingToUndo", "nothingToRedo", "noGroup", "itemIndexOutOfRange",
                "sectionIndexOutOfRange", "itemIndexOutOfRange",
            ])
        #expect(answers[14]["version"] == 3)
    }

    @Test func `Input that ends inside a group leaves nothing of it`() throws {
        let result = try exec(Self.today, #"{"begin":"Half"}"#, Self.insert(1, at: 0))
        #expect(result.status == .rejected)
        #expect(try result.json().count == 3)
        #expect(result.errors == "listory: the input ended inside the group \"Half\": nothing of it happened\n")
        #expect(try ToolProcess.run("stats", store, "--format", "json").json()[0]["version"] == 1)
    }

    @Test func `A driver gets each answer at once, and what was answered survives a kill`() throws {
        let tool = try ToolProcess(["exec", store])
        #expect(try tool.ask(Self.today)["version"] == 1)
        #expect(try tool.ask(Self.insert(1, at: 0))["version"] == 2)
        #expect(try tool.ask(#"{"begin":"Group"}"#)["pending"] == 0)
        #expect(try tool.ask(Self.insert(2, at: 0))["pending"] == 1)
        #expect(try tool.ask(#"{"end":{}}"#)["version"] == 3)
        let last = try tool.ask(#"{"toggle":{"id":2}}"#)
        #expect(try tool.ask(#"{"begin":"Open"}"#)["pending"] == 0)
        #expect(try tool.ask(Self.insert(3, at: 0))["pending"] == 1)
        tool.kill()
        let shown = try ToolProcess.run("show", store, "--format", "json").json()[0]
        #expect(shown["version"] == 4)
        #expect(shown["hash"] == last["hash"])
        #expect(try ToolProcess.run("verify", store).status == .success)
    }

    @Test func `An error that ends the session comes after the answers, and loses no edit before it`() throws {
        let first = try exec(
            Self.today, #"{"begin":"Tidy"}"#, Self.insert(1, at: 0), #"{"end":{}}"#, Self.insert(2, at: 0))
        #expect(first.status == .success)
        try ToolProcess.damage(store, at: "Tidy")
        let result = try exec(Self.insert(3, at: 0), #"{"revert":2}"#, Self.insert(4, at: 0))
        #expect(result.status == .damaged, "\(result.errors)")
        let answers = try result.json()
        #expect(answers.count == 2)
        #expect(answers.first?["version"] == 4 && answers.last?["error"] != nil)
        #expect(try ToolProcess.run("show", store).output == "Today\n[ ] Row 3\n[ ] Row 2\n[ ] Row 1\n")
    }

    @Test func `An edit follows those that another process has made meanwhile`() throws {
        let tool = try ToolProcess(["exec", store])
        #expect(try tool.ask(Self.today)["version"] == 1)
        #expect(try exec(Self.insert(1, at: 0)).status == .success)
        #expect(try tool.ask(Self.insert(2, at: 0))["version"] == 3)
        #expect(try tool.finish().status == .success)
        let rows = try ToolProcess.run("show", store).output
        #expect(rows.contains("[ ] Row 1\n") && rows.contains("[ ] Row 2\n"))
        #expect(try ToolProcess.run("verify", store).status == .success)
    }

    @Test func `A long input has an answer for each line, in order`() throws {
        let count = 20_000
        let lines = [Self.today] + (0..<count).map { Self.insert($0, at: 0) }
        let result = try ToolProcess.run("exec", store, input: lines.joined(separator: "\n") + "\n")
        #expect(result.status == .success)
        let answers = result.output.split(separator: "\n")
        #expect(answers.count == count + 1)
        #expect(answers.indices.allSatisfy { answers[$0].hasPrefix(#"{"version":\#($0 + 1),"#) })
    }

    @Test func `Content keeps what it says and ids keep their kind`() throws {
        _ = try exec(
            Self.today,
            #"{"insert":{"id":1,"content":{"z":[1.0,18446744073709551616,"\u00e9"],"a":null},"section":"today"}}"#,
            #"{"insert":{"id":"1","content":{"$base64":"AP8="},"section":"today"}}"#,
            #"{"insert":{"id":{"$uuid":"e621e1f8-c36c-495a-93fc-0c247a3e6e5f"},"content":"u","section":"today"}}"#,
            #"{"toggle":{"id":{"$uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}}}"#)
        let items = try ToolProcess.run("show", store, "--format", "json").json()[0]["sections"]?[0]?["items"]
        #expect(
            items.map(JSONValue.text) == "["
                + #"{"checked":false,"content":{"a":null,"z":[1,18446744073709551616,"é"]},"id":1},"#
                + #"{"checked":false,"content":{"$base64":"AP8="},"id":"1"},"#
                + #"{"checked":true,"content":"u","id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}]"#)
    }
}
