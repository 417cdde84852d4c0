// Tests colours and the pager, in a pseudo-terminal and without one.

import Foundation
import TerminalKit
import TerminalTestSupport
import Testing

@testable import ToolSupport

@Suite(.serialized) struct PagerTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        let toggles = String(repeating: "{\"toggle\":{\"id\":1}}\n", count: 30)
        (folder, store) = try ToolProcess.makeStore(
            #"{"insertSection":{"id":"today"}}"# + "\n" + #"{"insert":{"id":1,"content":"Milk","section":"today"}}"#
                + "\n" + toggles)
    }

    /// Runs a command in a terminal, with a pager.
    private func run(_ pager: String, _ command: String...) throws -> PseudoTerminal {
        let tool = try ToolProcess.executable("listory").path
        let words = ["/usr/bin/env", "PAGER=\(pager)", "TERM=xterm", "NO_COLOR=", tool] + command
        return try PseudoTerminal(words, size: Size(columns: 100, rows: 50), waitingFor: nil)
    }

    @Test func `On a terminal, the pager gets the text with its colours, and the command ends after it`() throws {
        let terminal = try run("sed 's/^/P:/'; echo end", "log", store, "--oneline")
        try terminal.wait("the end") { $0.text.contains("end") }
        #expect(try terminal.finish() == 0)
        #expect(terminal.screen.lines[0].hasPrefix("P:version 32 ") && terminal.screen.lines[20] == "end")
        #expect(terminal.screen.styles[0][2] == "1" && terminal.screen.styles[0][0] != "1")
        #expect(terminal.settings == terminal.firstSettings)
    }

    @Test(
        arguments: [
            ["log"], ["show"], ["diff"], ["branches"], ["record", "1"], ["checkpoints"], ["history", "1"], ["blame"],
            ["search", "milk"], ["trash"],
        ])
    func `Every command with a long text is paged`(words: [String]) throws {
        let tool = try ToolProcess.executable("listory").path
        let command = [words[0], store] + words.dropFirst()
        let terminal = try PseudoTerminal(["/usr/bin/env", "PAGER=echo paged; cat", tool] + command, waitingFor: nil)
        try terminal.wait("the pager") { $0.text.contains("paged") }
        #expect(try terminal.finish() == 0)
        let result = try ToolProcess(command).finish()
        #expect(result.status == .success && !result.output.contains("paged"))
    }

    @Test func `A pager that ends early, that does not exist, or that is not wanted, is no error`() throws {
        let early = try run("true", "log", store, "--all")
        #expect(try early.finish() == 0)
        let missing = try run("/none/pager", "log", store)
        try missing.wait("the shell's message") { $0.text.contains("/none/pager") }
        #expect(try missing.finish() == 0)
        let empty = try run("", "log", store, "--oneline")
        try empty.wait("the text") { $0.text.contains("version 13 ") }
        #expect(try empty.finish() == 0)
        let off = try run("echo paged; cat", "log", store, "--no-pager", "--limit", "1")
        try off.wait("the text") { $0.text.contains("version 32 ") }
        #expect(try off.finish() == 0 && !off.screen.text.contains("paged"))
    }

    @Test func `A search that finds nothing ends when nobody waits for it any more`() throws {
        let items = (100..<400).map { #"{"id":\#($0),"content":"Row"}"# }.joined(separator: ",")
        let edits = #"{"insertSection":{"id":"more","items":[\#(items)]}}"# + "\n" + #"{"delete":{"id":100}}"# + "\n"
        try #require(try ToolProcess.run("exec", store, input: edits).status == .success)
        for command in [
            ["search", store, "nothing"], ["log", store, "--text", "nothing"], ["trash", store, "--text", "nothing"],
        ] {
            let read = try ToolProcess(command).finish()
            #expect(read.status == .success && read.output.isEmpty, "\(command): \(read.errors)")
            let unread = try ToolProcess(command, isRead: false).finish()
            #expect(unread.status == .inputOutput && unread.errors.isEmpty, "\(command): \(unread.errors)")
        }
    }

    @Test func `An error of a paged command comes after the pager, with its exit code`() throws {
        let terminal = try run("cat; echo end", "log", store, "--from", "99")
        try terminal.wait("the error") { $0.text.contains("99") }
        #expect(try terminal.finish() == ExitStatus.refused.rawValue << 8)
        #expect(terminal.screen.lines[0] == "end")
    }

    @Test func `Colours are there when they are asked for`() throws {
        func output(_ words: String...) throws -> String {
            try ToolProcess(["log", store, "--limit", "1"] + words).finish().output
        }
        #expect(try output("--color", "always").hasPrefix("\u{1B}[1mversion 32\u{1B}[0m"))
        #expect(try output() == output("--color", "never") && !output().contains("\u{1B}"))
        #expect(try output("--color", "auto") == output())
        #expect(try ToolProcess.run("log", store, "--color", "blue").status == .usage)
        let edits = """
            {"insertSection":{"id":"more"}}
            {"insert":{"id":99,"content":"One more row","section":"more"}}
            {"delete":{"id":1}}

            """
        try #require(try ToolProcess.run("exec", store, input: edits).status == .success)
        for command in [
            ["show"], ["diff"], ["branches"], ["record", "1"], ["checkpoints"], ["play"], ["history", "1"], ["blame"],
            ["why", "1"], ["trash"], ["search", "row"],
        ] {
            let words = [command[0], store] + command.dropFirst()
            let (plain, styled) = (
                try ToolProcess(words).finish(), try ToolProcess(words + ["--color", "always"]).finish()
            )
            #expect(styled.output.contains("\u{1B}["), "\(words)")
            #expect(try styled.output.replacing(Regex("\u{1B}\\[[0-9]*m"), with: "") == plain.output, "\(words)")
        }
    }

    @Test func `The pager is that of the environment, or less if there is one`() throws {
        let bin = folder.file("bin")
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        #expect(Pager.command(["PATH": bin]) == nil && Pager.command([:]) == nil)
        let isMade = FileManager.default.createFile(
            atPath: bin + "/less", contents: Data(), attributes: [.posixPermissions: 0o755])
        #expect(isMade)
        #expect(Pager.command(["PATH": "/none:" + bin]) == "less")
        #expect(Pager.command(["PATH": bin, "PAGER": "more"]) == "more")
        #expect(Pager.command(["PATH": bin, "PAGER": ""]) == nil)
    }
}
