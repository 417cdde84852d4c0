// Tests the completions that the tool makes for shells.

import Foundation
import TestSupport
import Testing
import ToolSupport

@Suite struct CompletionTests {
    private let folder: TemporaryFolder
    private let script: String

    init() throws {
        folder = try TemporaryFolder()
        let completions = try ToolProcess.run("--generate-completion-script", "bash").output
        script = try folder.write(completions, to: "completions")
        for name in ["todo.listory", "todo.md"] { _ = try folder.write("", to: name) }
    }

    /// What bash offers for the last of some words, in a folder with two files.
    private func offered(_ words: String...) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        let command = """
            source "$1"; shift
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            _listory listory "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        process.arguments = ["bash", "-c", command, "bash", script, "listory"] + words
        let output = try startingAlone {
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            return output
        }
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init).sorted()
    }

    @Test func `Files are offered where a file is named`() throws {
        let both = ["todo.listory", "todo.md"]
        #expect(try offered("show", "tod") == both)
        #expect(try offered("import", "todo.listory", "tod") == both)
        #expect(try offered("backup", "todo.listory", "tod") == both)
        #expect(try offered("extract", "todo.listory", "first..head", "tod") == both)
        #expect(try offered("extract", "todo.listory", "1", "target", "--test", "tod") == both)
        #expect(try offered("replay", "todo.listory", "--against", "tod") == both)
        #expect(try offered("salvage", "tod") == both)
    }

    @Test func `Names are offered where one of a few is meant`() throws {
        #expect(try offered("log", "todo.listory", "--cause", "re") == ["redo", "restore", "revert"])
        #expect(try offered("log", "todo.listory", "--kind", "itemT") == ["itemToggled"])
        #expect(try offered("show", "todo.listory", "--color", "al") == ["always"])
    }
}
