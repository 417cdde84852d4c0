// Tests commands that read a store or use its history, and their exit codes.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@Suite struct CommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// A store of three versions: a section, two rows, and the second row checked before the first.
    init() throws {
        (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"today","title":"Today"}}
            {"insert":{"items":[{"id":1,"content":{"title":"Milk"}},{"id":2,"content":"a\\nb"}],"section":"today"}}
            {"begin":"Tidy"}
            {"move":{"id":2,"before":1}}
            {"toggle":{"id":2}}
            {"end":{}}

            """)
    }

    @Test func `Rows are shown as text, as JSON and raw, at any version`() throws {
        #expect(try ToolProcess.run("show", store).output == "Today\n[x] \"a\\nb\"\n[ ] Milk\n")
        #expect(try ToolProcess.run("show", store, "--at", "2").output == "Today\n[ ] Milk\n[ ] \"a\\nb\"\n")
        #expect(try ToolProcess.run("show", store, "--at", "0").output == "")
        #expect(try ToolProcess.run("show", store, "--format", "raw").output == "a\nb")
        let shown = try ToolProcess.run("show", store, "--format", "json", "--at", "1").json()
        #expect(shown.count == 1)
        #expect(shown[0]["version"] == 1)
        #expect(shown[0]["sections"].map(JSONValue.text) == #"[{"id":"today","items":[],"title":"Today"}]"#)
    }

    @Test func `The difference of two versions is shown in both directions`() throws {
        #expect(
            try ToolProcess.run("diff", store, "1", "3").output == """
                version 1 → 3
                + [0, 0] [x] "a\\nb"
                + [0, 1] [ ] Milk

                """)
        #expect(try ToolProcess.run("diff", store, "2", "3").output.hasSuffix("~ [0, 0] [x] \"a\\nb\"\n"))
        #expect(try ToolProcess.run("diff", store, "2", "2").output == "version 2 → 2\nno difference\n")
        let back = try ToolProcess.run("diff", store, "3", "1", "--format", "json").json()[0]
        #expect(back["version"] == 1)
        #expect(back["changeset"].map(JSONValue.text) == #"{"items":{"deleted":[[0,0],[0,1]]}}"#)
    }

    @Test func `The log tells commits and their events`() throws {
        let log = try ToolProcess.log(store)
        #expect(log.map { $0["version"] } == [1, 2, 3])
        #expect(log.map { $0["cause"] } == ["edit", "edit", "edit"])
        #expect(
            log[2]["events"].map(JSONValue.text)
                == #"[{"itemsMoved":{"from":[0,1],"ids":[2],"to":[0,0]}},"#
                + #"{"itemToggled":{"at":[0,0],"checked":true,"id":2}}]"#)
        let text = try ToolProcess.run("log", store, "--from", "2", "--to", "3").output.split(separator: "\n")
        #expect(text[0].hasPrefix("version 3  20") && text[0].hasSuffix("Z  edit  \"Tidy\""))
        #expect(
            text[1...].map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.hasPrefix("version") } == [
                "moved [0, 1] to [0, 0]: id 2", "checked [0, 0]: id 2", "inserted [0, 0]: Milk (id 1)",
                #"inserted [0, 1]: "a\nb" (id 2)"#,
            ])
        let newest = try ToolProcess.run("log", store, "--limit", "1", "--format", "json").json()
        #expect(newest.map { $0["version"] } == [3])
        #expect(try ToolProcess.run("log", store, "--limit", "0").output == "")
        #expect(try ToolProcess.run("log", store, "--from", "3", "--to", "2").output == "")
    }

    /// Counts events.
    private struct EventCount: Projection, Codable {
        static let name = "count\u{1B}"
        static let version = 2
        var count = 0
        mutating func apply(_ event: ListEvent, in context: EventContext) { count += 1 }
    }

    @Test func `The stored states of projections are told`() throws {
        #expect(try ToolProcess.run("projections", store).output == "no projections\n")
        #expect(try ToolProcess.run("projections", store, "--json").output == "")
        let open = try UntypedStore.open(at: store)
        let count = try open.projection(EventCount.self)
        #expect(try count.value.count == 4)
        try count.checkpoint()
        try open.close()
        let size = #"{"count":4}"#.utf8.count
        #expect(
            try ToolProcess.run("projections", store).output
                == "count\\u{1B}  rules 2, folded to version 3, \(size) bytes\n")
        let found = try ToolProcess.run("projections", store, "--json").json()
        #expect(
            found.map(JSONValue.text) == [
                #"{"beginning":0,"bytes":\#(size),"name":"count\u001b","rules":2,"version":3}"#
            ])
    }

    @Test func `Undo and redo tell what they did`() throws {
        let undone = try ToolProcess.run("undo", store, "2")
        #expect(undone.output == "undid \"Tidy\" (version 3)\nundid \"Insert\" (version 2)\nversion 5\n")
        let statistics = try ToolProcess.run("stats", store, "--format", "json").json()[0]
        #expect(statistics["undoDepth"] == 1)
        #expect(statistics["redoDepth"] == 2)
        #expect(statistics["items"] == 0)
        #expect(statistics["commits"] == 5)
        let redone = try ToolProcess.run("redo", store, "2", "--format", "json").json()[0]
        #expect(redone["version"] == 7)
        #expect(redone["changeset"].map(JSONValue.text) == #"{"items":{"inserted":[[0,0],[0,1]]}}"#)
        #expect(try ToolProcess.run("show", store).output == "Today\n[x] \"a\\nb\"\n[ ] Milk\n")
    }

    @Test func `Statistics tell the same in both formats`() throws {
        let text = try ToolProcess.run("stats", store).output
        let json = try ToolProcess.run("stats", store, "--format", "json").json()[0]
        for (line, name) in [
            ("version", "version"), ("events", "events"), ("undo steps", "undoDepth"), ("redo steps", "redoDepth"),
            ("oldest", "oldestVersion"), ("checkpoint", "checkpointVersion"),
        ] {
            let value = try #require(json[name])
            let label = line.padding(toLength: 12, withPad: " ", startingAt: 0)
            #expect(text.contains("\(label)\(JSONValue.text(of: value))\n"))
        }
        #expect(json["events"] == 4)
        #expect(json["hash"]?.text.map { text.contains($0) } == true)
    }

    @Test func `What is refused ends with 1 and one line`() throws {
        for arguments in [
            ["new", store], ["show", store, "--at", "4"], ["diff", store, "1", "9"], ["undo", store, "4"],
            ["redo", store], ["log", store, "--from", "9"], ["log", store, "--to", "0"], ["go", store, "9"],
            ["revert", store, "9"], ["revert", store, "0"], ["restore", store, "9"], ["show", store, "--at", "head~4"],
            ["show", store, "--section", "x"], ["show", store, "--row", "9"], ["record", store, "0"],
            ["copy", store, store], ["show", store, "--at", "x"], ["diff", store, "x"], ["go", store, "name:1"],
        ] {
            let result = try ToolProcess(arguments).finish()
            #expect(result.status == .refused, "\(arguments)")
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("listory: ") && result.errors.split(separator: "\n").count == 1)
        }
    }

    @Test func `Every command takes --json, and its errors are JSON then`() throws {
        let help = try ToolProcess.run("--help").output
        let listed = try #require(help.range(of: "SUBCOMMANDS:\n")).upperBound
        let commands = help[listed...].split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        for command in commands where command != "See" {
            #expect(try ToolProcess.run("help", command).output.contains("--json"), "\(command)")
        }
        let missing = folder.file("missing")
        for arguments in [
            ["new", store], ["copy", store, store], ["import", store, missing, "--format", "lines"],
            ["export", missing], ["extract", store, "9..9", missing], ["edit", missing], ["exec", missing],
        ] {
            let result = try ToolProcess(arguments + ["--json"]).finish()
            let error = try JSONValue(parsing: result.errors.utf8)["error"]
            #expect(error?["status"] == result.status.map { .integer(Int64($0.rawValue)) }, "\(arguments)")
            #expect(result.status != .success && result.output == "", "\(arguments)")
        }
    }

    /// The tool, beside another program that prints its arguments. The tool takes the program that stands beside it.
    private func tool(beside program: String) throws -> URL {
        let tool = URL(fileURLWithPath: folder.file("listory"))
        // A program that another test starts just then would have the files open, and a file that is written cannot be run.
        let isMade = try startingAlone {
            try FileManager.default.copyItem(at: ToolProcess.executable("listory"), to: tool)
            return FileManager.default.createFile(
                atPath: folder.file(program), contents: Data("#!/bin/sh\necho \"$@\"\n".utf8),
                attributes: [.posixPermissions: 0o755])
        }
        try #require(isMade)
        return tool
    }

    @Test func `The program that serves the page gets all options, also --json`() throws {
        let tool = try tool(beside: "listory-inspect")
        func output(_ options: String...) throws -> String {
            try ToolProcess(["inspect", store] + options, of: tool).finish().output
        }
        #expect(try output() == "-- \(store)\n")
        #expect(
            try output("--json", "--allow-write", "--port", "80")
                == "--port 80 --allow-write --json -- \(store)\n")
    }

    @Test func `The program that synchronises gets all arguments, also a --json before them`() throws {
        let tool = try tool(beside: "listory-sync")
        func output(_ arguments: String...) throws -> String {
            try ToolProcess(["sync"] + arguments, of: tool).finish().output
        }
        #expect(try output(store, "--list", "a") == "\(store) --list a\n")
        #expect(try output(store, "--json", "--list", "a") == "\(store) --json --list a\n")
        #expect(try output("--json", store, "--list", "a") == "\(store) --list a --json\n")
        #expect(try output("--json", "status", "--", store) == "status --json -- \(store)\n")
    }

    @Test func `Results of commands that write a store are JSON`() throws {
        let new = folder.file("new")
        func json(_ arguments: String...) throws -> JSONValue {
            let result = try ToolProcess(arguments + ["--json"]).finish(Data("a\nb\n".utf8))
            #expect(result.status == .success && result.errors == "", "\(arguments): \(result.errors)")
            return try #require(try result.json().first)
        }
        #expect(try json("new", new)["version"] == 0)
        let imported = try json("import", new, "-", "--format", "lines", "--timing")
        #expect(imported["version"] == 1 && imported["items"] == 2 && imported["seconds"]?["parse"] != nil)
        #expect(try imported["hash"] == json("stats", new)["hash"])
        let bytes = try FileManager.default.attributesOfItem(atPath: new)[.size] as? Int64
        let copied = try json("copy", new, folder.file("copied"))["bytes"]
        #expect(copied != nil && bytes != nil)
        #expect(try json("extract", new, "1", folder.file("extracted"))["items"] == 2)
        let reduced = try json("extract", new, "1", folder.file("reduced"), "--where", "count > 1")
        #expect(reduced["badVersion"] == 1 && reduced["events"] == 2 && reduced["timeUp"] == .bool(false))
    }

    @Test func `A command line that cannot be understood ends with 2 and one line`() throws {
        for arguments in [
            ["show"], ["show", store, "--at", ""], ["show", store, "--format", "xml"], ["unknown"],
            ["diff", store, "@x"], ["undo", store, "0"], ["log", store, "--limit=-1"], ["import", store, "-"],
            ["go", store], ["go", store, "head~x"], ["revert", store], ["restore", store, "1", "--skip-conflicts"],
            ["earlier", store, "0"], ["earlier", store, "5y"], ["later", store, "m"], ["later", store, "+1"],
            ["earlier", store, "9223372036854775807d"], ["branches", store, "--limit=-1"],
            ["show", store, "--at", "2026-13-01"], ["show", store, "--at", "2026-03-01T12"],
            ["show", store, "--at", "head~"], ["show", store, "--at=-1"],
            ["show", store, "--row", "1", "--limit", "1"],
            ["log", store, "--kind", "x"], ["log", store, "--graph", "--row", "1"], ["log", store, "--since", "head"],
            ["undo", store, "--skip-conflicts", "--override-conflicts"],
            ["log", store, "--oneline", "--stat"], ["log", store, "--follow", "--from", "1"], ["search", store, " "],
        ] {
            let result = try ToolProcess(arguments).finish()
            #expect(result.status == .usage, "\(arguments)")
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("listory: ") && result.errors.split(separator: "\n").count == 1)
        }
    }

    @Test func `With closed standard descriptors, what is printed goes into no file`() throws {
        let tool = try ToolProcess.executable("listory").path
        for closed in ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"] {
            let path = folder.file("closed.listory")
            try FileManager.default.copyItem(atPath: store, toPath: path)
            let files = ["", "-lock", "-processes"].map { path + $0 }
            defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-c", "\"$0\" undo \"$1\" --format json \(closed); true", tool, path]
            try withoutBlockedSignals { try shell.run() }
            shell.waitUntilExit()
            #expect(try ToolProcess.run("verify", path).status == .success, "\(closed)")
            for file in files {
                let bytes = (try? Data(contentsOf: URL(fileURLWithPath: file))) ?? Data()
                #expect(bytes.range(of: Data("\"version\"".utf8)) == nil, "\(closed): \(file)")
            }
        }
    }

    @Test func `An option that would be ignored beside the others is refused`() throws {
        let target = folder.file("target")
        for (arguments, expected) in [
            (["play", store, "--longest-pause", "1"], "--longest-pause: expected --speed"),
            (["extract", store, "1", target, "--seconds", "1"], "--seconds: expected --where or --failing"),
            (["import", target, "-", "--format", "lines", "--coalesce"], "--coalesce: expected --format editing"),
            (["compact", store, "--no-pack", "--unpacked", "5"], "expected one of --no-pack and --unpacked"),
            (["show", store, "--format", "raw", "--json"], "expected one of --json and --format raw"),
        ] {
            let result = try ToolProcess(arguments).finish()
            #expect(result.status == .usage && result.output == "", "\(arguments)")
            #expect(result.errors.contains(expected), "\(arguments): \(result.errors)")
        }
    }

    @Test func `A store that is missing or something else ends with 3`() throws {
        let text = try folder.write(String(repeating: "no database\n", count: 1_000), to: "text")
        let empty = try folder.write("", to: "empty")
        for path in [folder.file("missing"), text, empty, folder.path] {
            for command in [["show", path], ["exec", path], ["verify", path], ["undo", path]] {
                let result = try ToolProcess(command).finish()
                #expect(result.status == .unusable, "\(command): \(result.errors)")
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: empty)).isEmpty)
    }

    @Test func `A store that cannot be looked at is not called missing, and ends with 5`() throws {
        let loop = folder.file("loop")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        for command in [["show", loop], ["exec", loop], ["verify", loop], ["verify", loop, "--quick"]] {
            let result = try ToolProcess(command).finish()
            #expect(result.status == .inputOutput, "\(command): \(result.errors)")
            #expect(result.errors.contains("loop cannot be read: "), "\(command): \(result.errors)")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may look into every folder"))
    func `A store that this process may not look at is told as that, and ends with 5`() throws {
        let closed = folder.file("closed")
        try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: store, toPath: closed + "/store")
        try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: closed)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: closed) }
        for command in ["show", "exec", "verify"] {
            let result = try ToolProcess([command, closed + "/store", "--json"]).finish()
            #expect(result.status == .inputOutput, "\(command): \(result.errors)")
            #expect(try JSONValue(parsing: result.errors.utf8)["error"]?["code"] == "notPermitted", "\(command)")
        }
    }

    private static let setpriv = "/usr/bin/setpriv"

    @Test(
        .enabled(
            if: geteuid() != 0 || FileManager.default.isExecutableFile(atPath: CommandTests.setpriv),
            "root may write every file"))
    func `A store that may only be read is backed up, and copy says that backup does that`() throws {
        let (closed, open) = (folder.file("closed"), folder.file("open"))
        for path in [closed, open] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(atPath: store, toPath: closed + "/store")
        for (path, mode) in [(folder.path, 0o755), (closed + "/store", 0o444), (closed, 0o555), (open, 0o777)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: closed) }
        // Another user than root may not be able to reach the tool where it was built.
        let tool = URL(fileURLWithPath: folder.file("listory"))
        // By another process: a program that is open for writing, in any process that was started meanwhile, does not start.
        let copying = ["-p", try ToolProcess.executable("listory").path, tool.path]
        try #require(ToolProcess(copying, of: URL(fileURLWithPath: "/bin/cp")).finish().status == .success)
        func run(_ command: String) throws -> ToolProcess.Result {
            let arguments = [command, closed + "/store", open + "/" + command]
            if geteuid() != 0 { return try ToolProcess(arguments).finish() }
            let user = ["--reuid=65534", "--regid=65534", "--clear-groups", tool.path]
            return try ToolProcess(user + arguments, of: URL(fileURLWithPath: CommandTests.setpriv)).finish()
        }
        let copied = try run("copy")
        #expect(copied.status == .inputOutput && copied.errors.contains("listory backup"), "\(copied.errors)")
        let saved = try run("backup")
        #expect(saved.status == .success, "\(saved.errors)")
    }

    @Test func `A damaged store ends with 4 in both formats of verify`() throws {
        let damaged = folder.file("damaged")
        try FileManager.default.copyItem(atPath: store, toPath: damaged)
        try ToolProcess.damage(damaged, at: "Tidy")
        let json = try ToolProcess.run("verify", damaged, "--format", "json")
        #expect(json.status == .damaged)
        #expect(try json.json()[0]["sound"] == .bool(false))
        #expect(try json.json()[0]["error"]?["code"] == "damagedRecord")
        let text = try ToolProcess.run("verify", damaged)
        #expect(text.status == .damaged)
        #expect(text.output == "")
        #expect(try ToolProcess.run("log", damaged).status == .damaged)
        // The rows are those of the checkpoint, which is not damaged.
        #expect(try ToolProcess.run("show", damaged).output == ToolProcess.run("show", store).output)
        let data = try Data(contentsOf: URL(fileURLWithPath: damaged))
        try data.prefix(data.count - 4_096).write(to: URL(fileURLWithPath: damaged))
        #expect(try ToolProcess.run("verify", damaged).status == .damaged)
    }

    @Test func `A sound store ends with 0`() throws {
        let hash = try ToolProcess.run("stats", store, "--format", "json").json()[0]["hash"]
        let json = try ToolProcess.run("verify", store, "--format", "json")
        #expect(json.status == .success)
        #expect(try json.json()[0]["hash"] == hash)
        #expect(try json.json()[0]["sound"] == .bool(true))
        let text = try ToolProcess.run("verify", store)
        #expect(text.output.hasPrefix("sound: version 3, 3 commits, 4 events, 1 checkpoints with "))
        #expect(try json.json()[0]["checkpoints"] == 1)
    }

    @Test func `The tool prints the version of the changelog's first heading`() throws {
        let changelog = try String(contentsOf: root.appending(path: "Docs/Changelog.md"), encoding: .utf8)
        let heading = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
        let version = heading.dropFirst(3).prefix { $0 != "," }
        #expect(try ToolProcess.run("--version").output == "\(version)\n")
    }

    private let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    @Test func `The help has an abstract and an example for every command, and all exit codes`() throws {
        let help = try ToolProcess.run("--help").output
        for status in ExitStatus.allCases { #expect(help.contains("\(status.rawValue)  \(status.meaning)")) }
        let guide = try String(
            contentsOf: root.appending(path: "Sources/Listory/Listory.docc/Tool.md"), encoding: .utf8)
        let listed = try #require(help.range(of: "SUBCOMMANDS:\n")).upperBound
        let end = try #require(help[listed...].range(of: "\n\n")).lowerBound
        let commands = help[listed..<end].split(separator: "\n").filter { !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(commands.count > 30)
        for command in commands {
            #expect(guide.contains(try Regex("[` ]\(command)\\b")), "\(command)")
            let result = try ToolProcess.run("help", command)
            #expect(result.status == .success)
            #expect(result.output.contains("listory \(command)"))
            #expect(result.output.contains("Example:"))
        }
    }
}
