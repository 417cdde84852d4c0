// `listory erase`, and the other commands on the store that it leaves.

import Foundation
import ListModel
import Testing
import ToolSupport

@Suite struct EraseCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    /// A store with rows of which one is deleted, another updated.
    init() throws {
        let lines = """
            {"insertSection":{"id":"today"}}
            {"insert":{"items":[{"id":1,"content":"a secret"}],"section":"today"}}
            {"insert":{"items":[{"id":2,"content":{"title":"Bread"}}],"section":"today"}}
            {"update":{"id":1,"content":"another secret"}}
            {"delete":{"id":1}}
            {"update":{"id":2,"content":{"title":"Butter"}}}

            """
        (folder, store) = try ToolProcess.makeStore(lines)
    }

    @Test func `What is erased is shown as erased, and everything else as before`() throws {
        let hashes = try ToolProcess.run("replay", store, "--hashes").output
        let dryRun = try ToolProcess.run("erase", store, "1", "--dry-run", "--format", "json")
        let planned = try #require(dryRun.json().first)
        #expect(planned["erased"] == 2 && planned["commits"] == 2 && planned["deleted"] == 0)
        let text = try ToolProcess.run("erase", store, "1").output
        #expect(text.contains("erased      2 contents of 2 commits, 26 bytes\n"))
        #expect(text.contains("deleted     0 rows\n"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)).range(of: Data("secret".utf8)) == nil)
        #expect(try ToolProcess.run("replay", store, "--hashes").output == hashes)
        #expect(try ToolProcess.run("verify", store).status == .success)
        for command in [
            ["show", store, "--at", "3"], ["log", store, "--format", "json"], ["trash", store, "--format", "json"],
            ["history", store, "1", "--format", "json"], ["search", store, "secret", "--at", "3"],
            ["diff", store, "1", "6", "--format", "json"], ["why", store, "1", "--at", "4"], ["export", store],
            ["log", store, "--text", "secret"],
        ] {
            let result = try ToolProcess(command).finish()
            #expect(!result.output.contains("secret") && result.errors.isEmpty, "\(command): \(result.errors)")
        }
        #expect(try ToolProcess.run("show", store, "--at", "3").output.contains("$erased"))
        #expect(try ToolProcess.run("show", store).output.contains("Butter"))
    }

    @Test func `Rows of the list lose their content with the origin that wrote it, and are deleted`() throws {
        let report = try #require(try ToolProcess.run("erase", store, "--origin", "", "--format", "json").json().first)
        #expect(report["erased"] == 4 && report["deleted"] == 1 && report["unknown"] == 0)
        #expect(try !ToolProcess.run("show", store).output.contains("Butter"))
    }

    @Test func `Every row is erased whose id is printed so`() throws {
        let (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"today"}}
            {"insert":{"items":[{"id":7,"content":"a secret"},{"id":"7","content":"another secret"}],"section":"today"}}

            """)
        #expect(try ToolProcess.run("erase", store, "7").status == .success)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)).range(of: Data("secret".utf8)) == nil)
        withExtendedLifetime(folder) {}
    }

    @Test func `A text means an integer only if the integer is printed so`() throws {
        for id in ["002", "+2"] {
            let report = try #require(try ToolProcess.run("erase", store, id, "--format", "json").json().first)
            #expect(report["erased"] == 0 && report["deleted"] == 0, "\(id)")
        }
        #expect(try ToolProcess.run("show", store).output.contains("Butter"))
        for id in [0, -1, Int64.min] as [Int64] { #expect(IdentifierText("\(id)").means(.integer(id))) }
        #expect(!IdentifierText("-0").means(.integer(0)))
    }

    @Test func `Wrong calls change nothing`() throws {
        #expect(try ToolProcess.run("erase", store).status == .usage)
        #expect(try ToolProcess.run("erase", folder.file("missing"), "1").status == .unusable)
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        // Nothing has this id.
        let report = try #require(try ToolProcess.run("erase", store, "77", "--format", "json").json().first)
        #expect(report["erased"] == 0 && report["deleted"] == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)).count <= before.count)
    }
}
