// Tests `listory play`: all versions in order with their changes, forward and backward.

import Foundation
import ListModel
import Listory
import Testing
import ToolSupport

@Suite struct PlayCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// Versions 1 to 3: a section, a row, and its checkmark.
    init() throws {
        (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"s","title":"Today"}}
            {"insert":{"id":1,"content":{"title":"Milk"},"section":"s"}}
            {"toggle":{"id":1}}

            """)
    }

    @Test func `Every version is played, and its changes are those of diff`() throws {
        let text = try ToolProcess.run("play", store)
        #expect(text.status == .success)
        for (from, to) in [(0, 1), (1, 2), (2, 3)] {
            #expect(text.output.contains(try ToolProcess.run("diff", store, "\(from)", "\(to)").output))
        }
        let json = try ToolProcess.run("play", store, "--format", "json").json()
        #expect(json.map { $0["commit"] } == [1, 2, 3] && json.map { $0["version"] } == [1, 2, 3])
        let log = try ToolProcess.log(store)
        #expect(json.map { $0["hash"] } == log.map { $0["hash"] } && json.map { $0["name"] } == log.map { $0["name"] })
    }

    @Test func `The later version may come first, and dates will do`() throws {
        let backward = try ToolProcess.run("play", store, "3", "1", "--format", "json").json()
        #expect(backward.map { $0["commit"] } == [3, 2] && backward.map { $0["version"] } == [2, 1])
        let text = try ToolProcess.run("play", store, "3", "1").output
        #expect(text.contains("before edit  \"Toggle") && text.contains("- [0, 0] [ ] Milk"))
        let all = try ToolProcess.run("play", store, "0", "2100-01-01", "--format", "json").json()
        #expect(all.count == 3)
    }

    @Test func `It says why and by whom a commit was made`() throws {
        _ = try ToolProcess.run("undo", store)
        let own = #"{"insertSection":{"id":"own"}}"# + "\n"
        _ = try ToolProcess.run("exec", store, "--origin", "anna", input: own)
        let text = try ToolProcess.run("play", store, "3", "5").output
        #expect(text.contains("  undo of 3  \"") && text.contains("\" by anna  own history\n"), "\(text)")
        let json = try ToolProcess.run("play", store, "3", "5", "--json").json()
        let log = try ToolProcess.log(store).suffix(2)
        for member in ["cause", "of", "time", "name", "origin", "tracking", "hash"] {
            #expect(json.map { $0[member] } == log.map { $0[member] }, "\(member)")
        }
        #expect(json.map { $0["cause"] } == ["undo", "edit"])
        let backward = try ToolProcess.run("play", store, "4", "3", "--json").json()
        #expect(backward[0]["version"] == 3 && backward[0]["commit"] == 4 && backward[0]["cause"] == "undo")
    }

    @Test func `Slowed down a million times, it ends all the same if no pause is long`() throws {
        let result = try ToolProcess.run("play", store, "1", "3", "--speed", "0.000001", "--longest-pause", "0.05")
        #expect(result.status == .success)
        #expect(try result.output == ToolProcess.run("play", store, "1", "3").output)
        for (option, wrong) in [
            ("--speed", "0"), ("--speed", "nan"), ("--longest-pause", "-1"), ("--longest-pause", "inf"),
        ] {
            #expect(try ToolProcess.run("play", store, "\(option)=\(wrong)").status == .usage)
        }
        #expect(try ToolProcess.run("play", store, "9").status != .success)
    }
}
