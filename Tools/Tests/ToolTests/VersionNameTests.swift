// Tests the names of versions, alone and in every command that takes one.

import ListModel
import Listory
import TestSupport
import Testing

@testable import ToolSupport

@Suite struct VersionNameTests {
    private let folder: TemporaryFolder
    private let path: String

    /// A store of five versions, made at 12:00, 12:10, 13:00, 13:10 and 14:00.
    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("named")
        let store = try UntypedStore.create(at: path)
        for (index, minutes) in [0, 10, 60, 70, 120].enumerated() {
            let time = Timestamp(microseconds: 1_772_366_400_000_000 + Int64(minutes) * 60_000_000)
            try store.edit("Edit \(index + 1)", time: time) {
                try $0.insertSection(NewSection(id: .integer(Int64(index + 1)), title: "\(index + 1)"))
            }
        }
        try store.close()
    }

    @Test(
        arguments: [
            ("0", 0), ("3", 3), ("003", 3), ("head", 5), ("head~0", 5), ("head~3", 2), ("head~5", 0), ("base", 0),
            ("first", 1),
            ("2026-03-01", 0), ("@2026-03-01", 0), ("2026-03-02", 5), ("2026-03-01T12:00", 1), ("@2026-03-01T13:05", 3),
            ("2026-03-01T12:09:59.999999", 1), ("2026-03-01T12:10:00Z", 2), ("2026-03-01T14:10+02:00", 2),
        ] as [(String, UInt64)])
    func `A name means one version`(name: String, version: UInt64) throws {
        let store = try UntypedStore.open(at: path)
        #expect(try VersionName(name).version(in: store) == Version(version))
        try store.close()
    }

    @Test(arguments: [
        "", "-1", "+1", "head~", "head~-1", "head~x", "@", "@5", "2026-3-1", "2026-02-30x", "2026-13-01",
        "2026-03-01T", "2026-03-01T12", "18446744073709551616", "HEAD", "head^", "head-3", "base~1", "first+1",
        "2026/03/01", "01.03.2026", "12:30",
    ])
    func `What looks like a number, a place or a time and is none is refused, with what was expected`(text: String) {
        #expect(throws: VersionNameError(text)) { try VersionName(text) }
        #expect(VersionNameError(text).description.hasPrefix("expected a number, head, head~3, first, base"))
    }

    @Test func `Other texts are names that somebody gave; name: before them means nothing else`() throws {
        let store = try UntypedStore.open(at: path)
        for (name, version) in [("1.0", 2), ("head", 3), ("12", 4), ("First draft", 1), ("٣", 1)] as [(String, UInt64)]
        {
            try store.addName(name, to: Version(version))
            #expect(try VersionName("name:\(name)").version(in: store) == Version(version))
        }
        for (name, version) in [("1.0", 2), ("head", 5), ("12", 12), ("First draft", 1), ("٣", 1)] as [(String, UInt64)]
        {
            #expect(try VersionName(name).version(in: store) == Version(version))
        }
        #expect(throws: ListError.unknownName("x")) { try VersionName("x").version(in: store) }
        try store.close()
    }

    @Test func `A place before the beginning is an unknown version`() throws {
        let result = try ToolProcess.run("show", path, "--at", "head~6", "--json")
        let error = try JSONValue(parsing: result.errors.utf8)["error"]
        #expect(result.status == .refused && error?["code"] == "unknownVersion")
        #expect(error?["message"] == "expected at most head~5, found head~6")
    }

    @Test func `A place in a compacted store is refused or shown as its number is`() throws {
        _ = try ToolProcess.run("name", path, "kept", "1")
        #expect(try ToolProcess.run("compact", path, "--from", "3").status == .success)
        for (place, number, status) in [("head~3", "2", ExitStatus.refused), ("head~4", "1", .success)] {
            for command in [["show", path, "--at"], ["log", path, "--from"], ["log", path, "--to"], ["diff", path]] {
                let result = try ToolProcess(command + [place]).finish()
                let same = try ToolProcess(command + [number]).finish()
                #expect(result.status == same.status && result.output == same.output, "\(command) \(place)")
                #expect(result.errors == same.errors, "\(command) \(place)")
                if command[0] == "show" { #expect(result.status == status, "\(place): \(result.errors)") }
            }
        }
    }

    @Test func `A time before the first commit bounds a range there, while a number has to be a commit`() throws {
        func lines(_ arguments: String...) throws -> Int {
            let result = try ToolProcess(["log", path, "--json"] + arguments).finish()
            #expect(result.status == .success, "\(arguments): \(result.errors)")
            return try result.json().count
        }
        for early in ["2020-01-01", "base", "head~5"] {
            #expect(try lines("--from", early) == 5)
            #expect(try lines("--to", early) == 0)
            #expect(try lines("--from", early, "--to", "first") == 1)
            let target = folder.file("extracted \(early)")
            #expect(try ToolProcess.run("extract", path, "\(early)..head", target).status == .success)
            #expect(try ToolProcess.run("stats", target, "--json").json()[0]["version"] == 5)
            let none = try ToolProcess.run("extract", path, "first..\(early)", folder.file("none"))
            #expect(none.status == .refused && none.errors.contains("expected commits, found none"))
        }
        for option in ["--from", "--to"] {
            #expect(try ToolProcess.run("log", path, option, "0").status == .refused)
            #expect(try ToolProcess.run("log", path, option, "6").status == .refused)
        }
        let empty = folder.file("empty")
        _ = try ToolProcess.run("new", empty)
        for name in ["head", "first", "2020-01-01"] {
            let result = try ToolProcess.run("log", empty, "--from", name)
            #expect(result.status == .success && result.output == "", "\(name): \(result.errors)")
        }
    }

    @Test func `Every command that takes a version takes its names`() throws {
        let rows = try ToolProcess.run("show", path, "--at", "3").output
        #expect(try ToolProcess.run("show", path, "--at", "head~2").output == rows)
        for (names, numbers) in [
            (["diff", path, "first", "@2026-03-01T13:00"], ["diff", path, "1", "3"]),
            (["diff", path, "head~2"], ["diff", path, "3", "5"]), (["diff", path], ["diff", path, "4", "5"]),
            (["log", path, "--from", "head~1", "--to", "head"], ["log", path, "--from", "4", "--to", "5"]),
            (["play", path, "base", "head~3"], ["play", path, "0", "2"]),
            (["record", path, "head~1", "--hex"], ["record", path, "4", "--hex"]),
            (["search", path, "x", "--at", "first"], ["search", path, "x", "--at", "1"]),
        ] {
            let result = try ToolProcess(names).finish()
            #expect(result.status == .success, "\(names): \(result.errors)")
            #expect(try result.output == ToolProcess(numbers).finish().output, "\(names)")
        }
        #expect(try ToolProcess.run("go", path, "head~2").output == "went to \"Edit 3\" (version 3)\nversion 6\n")
        #expect(try ToolProcess.run("restore", path, "2026-03-02").output == "restored version 5\nversion 7\n")
        #expect(try ToolProcess.run("revert", path, "first").output == "reverted \"Edit 1\" (version 1)\nversion 8\n")
        let asked = try ToolProcess.run("exec", path, input: #"{"restore":"head~1"}"# + "\n").json()
        #expect(asked[0]["version"] == 9)
        #expect(try ToolProcess.run("compact", path, "--from", "head~2").status == .success)
        #expect(try ToolProcess.run("stats", path, "--json").json()[0]["oldestVersion"] == 7)
        #expect(try ToolProcess.run("show", path, "--at", "base").status == .success)
    }
}
