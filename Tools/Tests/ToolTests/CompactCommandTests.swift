// `listory compact`, and the other commands on the store that it leaves.

import Foundation
import Testing
import ToolSupport

@Suite struct CompactCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// A store of 21 versions: a section with three rows, and twenty toggles of the first.
    init() throws {
        let rows = (1...3).map { "{\"id\":\($0),\"content\":\"row \($0)\"}" }.joined(separator: ",")
        var lines = "{\"begin\":\"Fill\"}\n{\"insertSection\":{\"id\":\"today\"}}\n"
        lines += "{\"insert\":{\"items\":[\(rows)],\"section\":\"today\"}}\n{\"end\":{}}\n"
        lines += String(repeating: "{\"toggle\":{\"id\":1}}\n", count: 20)
        (folder, store) = try ToolProcess.makeStore(lines)
    }

    /// Runs a command and expects one line of JSON.
    private func json(_ arguments: String...) throws -> JSONValue {
        let result = try ToolProcess(arguments + ["--format", "json"]).finish()
        #expect(result.status == .success, "\(arguments): \(result.errors)")
        return try #require(result.json().first)
    }

    @Test func `With everything kept, commits are packed and every command answers as before`() throws {
        let commands = [
            ["show", store], ["show", store, "--at", "2"], ["log", store], ["log", store, "--from", "3", "--to", "5"],
            ["diff", store, "1", "6"], ["diff", store, "20", "0"], ["log", store, "--limit", "2", "--format", "json"],
        ]
        let before = try commands.map { try ToolProcess($0).finish().output }
        let text = try ToolProcess.run("compact", store, "--unpacked", "5").output
        #expect(text.contains("packed      16 commits in "))
        #expect(text.contains("unpacked    5 commits\n"))
        #expect(text.contains("dropped     0 commits\n"))
        for (command, expected) in zip(commands, before) {
            #expect(try ToolProcess(command).finish().output == expected, "\(command)")
        }
        #expect(try ToolProcess.run("undo", store, "20").status == .success)
        #expect(try ToolProcess.run("show", store).output == ToolProcess.run("show", store, "--at", "1").output)
        #expect(try ToolProcess.run("verify", store).status == .success)
    }

    @Test func `The report tells the same numbers in both formats, and statistics agree`() throws {
        let size = try FileManager.default.attributesOfItem(atPath: store)[.size] as? Int64
        let report = try json("compact", store, "--from", "11", "--unpacked", "4", "--spacing", "3")
        #expect(report["version"] == 21)
        #expect(report["oldestVersion"] == 11)
        #expect(report["dropped"] == 11)
        #expect(report["packed"] == 6)
        #expect(report["unpacked"] == 4)
        #expect(report["events"] == 10)
        #expect(report["bytesBefore"] == size.map { .integer($0) })
        let statistics = try json("stats", store)
        #expect(statistics["fileBytes"] == report["bytesAfter"])
        #expect(statistics["oldestVersion"] == 11)
        #expect(statistics["lastPackedVersion"] == 17)
        #expect(statistics["packedCommits"] == 6)
        #expect(statistics["commits"] == 10)
        #expect(statistics["events"] == 10)
        #expect(statistics["undoDepth"] == 10)
        #expect(statistics["checkpointVersion"] == 21)
        #expect(statistics["checkpoints"] == 5)
        let text = try ToolProcess.run("stats", store).output
        for line in ["oldest      11\n", "packed      6 commits\n", "checkpoint  21\n", "checkpoints 5 with "] {
            #expect(text.contains(line), "\(line)")
        }
        let verified = try json("verify", store)
        #expect(verified["sound"] == .bool(true))
        #expect(verified["checkpoints"] == 5)
        #expect(verified["hash"] == statistics["hash"])
        let sound = try ToolProcess.run("verify", store).output
        #expect(sound.hasPrefix("sound: version 21, 10 commits, 10 events, 5 checkpoints with "))
    }

    @Test func `The log begins after the oldest version, and what was dropped is refused with 1`() throws {
        _ = try json("compact", store, "--from", "11", "--no-pack")
        let log = try ToolProcess.log(store)
        #expect(log.map { $0["version"] } == (12...21).map { .integer($0) })
        #expect(try ToolProcess.run("log", store, "--limit", "100", "--format", "json").json().count == 10)
        #expect(try ToolProcess.run("show", store, "--at", "11").status == .success)
        #expect(try ToolProcess.run("diff", store, "11", "12").status == .success)
        for arguments in [
            ["show", store, "--at", "10"], ["show", store, "--at", "0"], ["diff", store, "10", "21"],
            ["diff", store, "21", "5"], ["log", store, "--from", "11"], ["log", store, "--to", "3"],
            ["compact", store, "--from", "10"], ["undo", store, "11"],
        ] {
            let result = try ToolProcess(arguments).finish()
            #expect(result.status == .refused, "\(arguments)")
            #expect(result.output == "")
            if arguments[0] != "undo" { #expect(result.errors.contains("dropped"), "\(result.errors)") }
        }
    }

    @Test func `A dry run prints what would be, and changes nothing, also while an app has the store open`() throws {
        let app = try ToolProcess(["exec", store])
        _ = try app.ask(#"{"toggle":{"id":1}}"#)
        let planned = try json("compact", store, "--from", "11", "--dry-run")
        #expect(planned["dropped"] == 11 && planned["version"] == 22)
        _ = try app.ask(#"{"undo":1}"#)
        _ = try app.finish()
        let now = try json("stats", store)
        #expect(now["oldestVersion"] == 0 && now["version"] == 23)
        let again = try json("compact", store, "--from", "11", "--dry-run")
        #expect(try json("compact", store, "--from", "11") == again)
        #expect(try ToolProcess.run("compact", store, "--from", "3", "--dry-run").status == .refused)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.contains("~") })
    }

    @Test func `A size and a date bound what is kept`() throws {
        let log = try ToolProcess.log(store)
        let time = try #require(log[14]["time"]?.text)
        let dated = try json("compact", store, "--since", time)
        #expect(dated["oldestVersion"] == 14)
        let all = try json("compact", store, "--since", "2001-01-01")
        #expect(all["dropped"] == 0)
        let none = try json("compact", store, "--size", "0")
        #expect(none["oldestVersion"] == 21)
        #expect(try ToolProcess.run("log", store).output == "")
        #expect(try ToolProcess.run("show", store).output == "today\n[ ] \"row 1\"\n[ ] \"row 2\"\n[ ] \"row 3\"\n")
        #expect(try ToolProcess.run("undo", store).status == .refused)
        #expect(try json("verify", store)["commits"] == 0)
    }

    @Test func `What compact cannot do ends with the code that says why, and the store stays as it is`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let text = try folder.write(String(repeating: "no database\n", count: 1_000), to: "text")
        for (arguments, status) in [
            (["compact", store, "--from", "22"], ExitStatus.refused),
            (["compact", folder.file("missing")], .unusable), (["compact", text], .unusable),
            (["compact", store, "--from", "3", "--size", "9"], .usage), (["compact", store, "--size=-1"], .usage),
            (["compact", store, "--unpacked=-1"], .usage), (["compact", store, "--spacing", "0"], .usage),
            (["compact", store, "--since", "soon"], .usage), (["compact"], .usage),
        ] {
            let result = try ToolProcess(arguments).finish()
            #expect(result.status == status, "\(arguments): \(result.errors)")
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("listory: ") && result.errors.split(separator: "\n").count == 1)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)

        let writer = try ToolProcess(["exec", store])
        _ = try writer.ask("{\"toggle\":{\"id\":2}}")
        let result = try ToolProcess.run("compact", store)
        #expect(result.status == .refused && result.errors.contains("open"), "\(result.errors)")
        #expect(try writer.finish().status == .success)
        #expect(try json("stats", store)["version"] == 22)

        var data = try Data(contentsOf: URL(fileURLWithPath: store))
        let name = try #require(data.range(of: Data("Fill".utf8)))
        data[name.lowerBound] = UInt8(ascii: "f")
        try data.write(to: URL(fileURLWithPath: store))
        #expect(try ToolProcess.run("compact", store).status == .damaged)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == data)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == ["store", "store-lock", "store-processes", "text"])
    }
}
