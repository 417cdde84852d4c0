// Tests `listory replay` and `listory manual`.

import Foundation
import Testing
import ToolSupport

@Suite struct ReplayCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"s"}}
            {"insert":{"id":1,"content":"a","section":"s"}}
            {"undo":1}
            {"insert":{"id":2,"content":"b","section":"s"}}

            """)
    }

    @Test func `The log is folded again, and its hashes are those of another run`() throws {
        #expect(try ToolProcess.run("replay", store).output == "the same: version 4, 4 commits, 4 events\n")
        #expect(try ToolProcess.run("replay", store, "--json").json()[0]["same"] == .bool(true))
        let hashes = try ToolProcess.run("replay", store, "--hashes").output
        #expect(
            try hashes.split(separator: "\n").map { $0.split(separator: " ")[1] }
                == ToolProcess.log(store).compactMap { $0["hash"]?.text?[...] })
        #expect(try ToolProcess.run("replay", store, "--against", "-", input: hashes).status == .success)
        let lines = hashes.split(separator: "\n")
        for (other, expected) in [
            (hashes.replacing("3 ", with: "3 0"), "version 3: expected the hash 0"),
            (lines.dropLast().joined(separator: "\n"), "version 4: expected the hash of another build, which has none"),
            (hashes + "5 00\n", "expected a version 5"), ("x\n", "line 1: expected a version and a hash"),
        ] {
            let result = try ToolProcess.run("replay", store, "--against", "-", input: other)
            #expect(result.status == .refused && result.errors.contains(expected), "\(result.errors)")
        }
    }

    @Test func `A compacted store is folded from its oldest version, packed commits too`() throws {
        let hashes = try ToolProcess.run("replay", store, "--hashes").output.split(separator: "\n")
        #expect(try ToolProcess.run("compact", store, "--from", "2", "--unpacked", "1").status == .success)
        let kept = try ToolProcess.run("replay", store, "--hashes").output.split(separator: "\n")
        #expect(kept == Array(hashes[2...]))
        #expect(try ToolProcess.run("compact", store, "--from", "head").status == .success)
        #expect(try ToolProcess.run("replay", store).output == "the same: version 4, 0 commits, 0 events\n")
    }

    @Test func `The manual has every command with its options, and the shells get completions`() throws {
        let page = try ToolProcess.run("manual").output
        #expect(page.hasPrefix(".TH LISTORY 1 "))
        for command in ["log", "bisect", "export", "manual"] {
            #expect(page.contains("\n.SS \(command)\n"), "\(command)")
        }
        #expect(page.contains("\\fB\\-\\-oneline\\fR\nA line for each commit, without its events.\n"))
        // No text is a request of the page's language.
        let requests = [".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I", ".nf", ".fi"]
        for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains { line == $0 || line.hasPrefix("\($0) ") }, "\(line)")
        }
        for shell in ["bash", "zsh", "fish"] {
            let script = try ToolProcess.run("--generate-completion-script", shell)
            #expect(script.status == .success && script.output.contains("bisect"))
        }
    }
}
