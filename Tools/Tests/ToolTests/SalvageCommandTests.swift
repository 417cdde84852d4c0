// `listory verify`, `repair`, `salvage` and `backup`, and their exit codes.

import Foundation
import Testing
import ToolSupport

@Suite struct SalvageCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// A store of 31 versions: a section with a row, twenty more rows, and ten toggles.
    init() throws {
        var lines = "{\"insertSection\":{\"id\":\"today\"}}\n"
        for number in 1...20 {
            lines += "{\"insert\":{\"id\":\(number),\"content\":\"number \(number).\",\"section\":\"today\"}}\n"
        }
        lines += String(repeating: "{\"toggle\":{\"id\":1}}\n", count: 10)
        (folder, store) = try ToolProcess.makeStore(lines)
    }

    /// Changes every copy of a text in the file.
    private func spoil(_ text: String) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: store))
        var start = data.startIndex
        while let found = data.range(of: Data(text.utf8), in: start..<data.endIndex) {
            data[found.lowerBound] ^= 1
            start = found.upperBound
        }
        #expect(start > data.startIndex)
        try data.write(to: URL(fileURLWithPath: store))
    }

    @Test func `A store without damage is sound, opens, needs no repair, and can be backed up and salvaged`() throws {
        let quick = try ToolProcess.run("verify", store, "--quick", "--json")
        #expect(quick.status == .success)
        #expect(try quick.json()[0]["version"] == 31 && quick.json()[0]["rows"] == 20)
        let repaired = try ToolProcess.run("repair", store, "--json")
        #expect(repaired.status == .success)
        #expect(try repaired.json()[0]["repaired"] == .bool(false))
        let copy = folder.file("copy")
        let backup = try ToolProcess.run("backup", store, copy, "--json")
        #expect(backup.status == .success)
        #expect(try backup.json()[0]["version"] == 31)
        #expect(try ToolProcess.run("backup", store, copy).status == .refused)
        let new = folder.file("new")
        let salvaged = try ToolProcess.run("salvage", store, new, "--json")
        #expect(salvaged.status == .success)
        #expect(try salvaged.json()[0]["complete"] == .bool(true))
        let rows = try ToolProcess.run("show", store).output
        for path in [copy, new] {
            #expect(try ToolProcess.run("show", path).output == rows)
            #expect(try ToolProcess.run("log", path).output == ToolProcess.run("log", store).output)
        }
    }

    @Test func `A backup is made while another process edits, with all that it has saved`() throws {
        let writer = try ToolProcess(["exec", store])
        _ = try writer.ask("{\"toggle\":{\"id\":2}}")
        let copy = folder.file("copy")
        let backup = try ToolProcess.run("backup", store, copy, "--json")
        #expect(backup.status == .success, "\(backup.errors)")
        #expect(try backup.json()[0]["version"] == 32)
        #expect(try writer.finish().status == .success)
        #expect(try ToolProcess.run("show", copy).output == ToolProcess.run("show", store).output)
    }

    @Test func `A lost commit is counted by verify, refused by repair, and the rest is salvaged`() throws {
        try spoil("number 10.")
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let verified = try ToolProcess.run("verify", store, "--json")
        #expect(verified.status == .damaged)
        let survey = try #require(try verified.json()[0]["salvage"])
        #expect(survey["lostCommits"] == 1 && survey["newestVersion"] == 31 && survey["rows"] == 19)
        #expect(try ToolProcess.run("verify", store, "--quick").status == .damaged)
        let repaired = try ToolProcess.run("repair", store)
        #expect(repaired.status == .damaged && repaired.errors.contains("salvage saves the rest"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)

        let new = folder.file("new")
        let salvaged = try ToolProcess.run("salvage", store, new)
        #expect(salvaged.status == .lost, "\(salvaged.errors)")
        #expect(salvaged.output.contains("lost        1 commits, 1 rows, 1 contents\n"))
        #expect(
            salvaged.output.contains("20 commits in \(new)\n") && salvaged.output.contains("10 commits in \(new)-1\n"))
        #expect(salvaged.errors == "")
        for path in [new, new + "-1"] { #expect(try ToolProcess.run("verify", path).status == .success) }
        let rows = try ToolProcess.run("show", new).output
        #expect(!rows.contains("number 10.") && rows.contains("number 9.") && rows.contains("number 20."))
        #expect(try ToolProcess.run("salvage", store, new).status == .refused)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test func `What these commands cannot do ends with the code that says why`() throws {
        let text = try folder.write(String(repeating: "no database\n", count: 1_000), to: "text")
        let new = folder.file("new")
        for (arguments, status) in [
            (["salvage", folder.file("missing"), new], ExitStatus.unusable), (["salvage", text, new], .unusable),
            (["salvage", store], .usage), (["repair", folder.file("missing")], .unusable),
            (["repair", text], .unusable), (["backup", text, new], .unusable), (["backup", store], .usage),
            (["backup", store, folder.file("no/folder")], .inputOutput), (["verify", "--quick", text], .unusable),
        ] {
            let result = try ToolProcess(arguments).finish()
            #expect(result.status == status, "\(arguments): \(result.errors)")
            #expect(result.output == "" && result.errors.split(separator: "\n").count == 1)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == ["store", "store-lock", "store-processes", "text"])
    }
}
