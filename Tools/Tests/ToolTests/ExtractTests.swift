// Tests `listory extract`: the same rows at the same places, and nothing of what they say.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing

@testable import ToolSupport

@Suite struct ExtractTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What stays of rows: everything but their contents, and titles.
    private func structure(_ rows: UntypedSnapshot) -> [[String]] {
        rows.sections.map { section in
            ["\(section.id)"] + section.items.map { "\($0.id) \($0.isChecked) \($0.depth) \($0.isCollapsed)" }
        }
    }

    @Test(arguments: 0..<6 * Soak.factor)
    func `Each version of a random history has the same structure, and with its contents the same hash`(
        round: Int
    ) throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let path = folder.file("old")
        var history = RandomHistory(seed: seed)
        try history.make(at: path, edits: 60, undoScope: .shared)
        let old = try StoreFile(path: path).open(isReadOnly: true)
        let newest = try old.version.rawValue
        let first = UInt64.random(in: 1...newest, using: &random)
        let last = UInt64.random(in: first...newest, using: &random)
        for keepsContents in [false, true] {
            let target = folder.file("new \(keepsContents)")
            let made = try StoreFile(path: target).create { new in
                try Extraction.write(Version(first)...Version(last), of: old, keepsContents: keepsContents, to: new)
            }
            let expected = try old.snapshot(at: Version(last))
            #expect(structure(made) == structure(expected), "seed \(seed)")
            if keepsContents { #expect(made.stateHash == expected.stateHash, "seed \(seed)") }
            let new = try UntypedStore.open(at: target)
            // A commit without effect, as an undo of nothing, is left out; the others are in the same order.
            let structures = try (first...last).map { structure(try old.snapshot(at: Version($0))) }
            var rest = structures[...]
            for number in 1...max(1, try new.version.rawValue) where number > 1 {
                let found = structure(try new.snapshot(at: Version(number)))
                rest = rest.drop { $0 != found }
                #expect(!rest.isEmpty, "seed \(seed), version \(number)")
            }
            try new.close()
        }
        try old.close()
    }

    @Test func `Nothing of what rows, titles and names say is in the new file`() throws {
        let (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"s","title":"Secret plan"}}
            {"begin":"Buy Secret 42"}
            {"insert":{"id":1,"content":{"title":"Secret 42","amount":42.5},"section":"s"}}
            {"end":{}}
            {"update":{"id":1,"content":{"title":"Secret ünï","tags":["Secret"]}}}
            {"insert":{"id":2,"content":{"$base64":"U2VjcmV0"},"section":"s"}}
            {"undo":1}

            """)
        let target = folder.file("report")
        let made = try ToolProcess.run("extract", store, "2..head", target)
        #expect(made.status == .success && made.output.hasPrefix("version 5, 1 items"), "\(made.errors)")
        let shown = try ToolProcess.run("show", target).output
        #expect(shown == "xxxxxx xxxx\n[ ] xxxxxx xxx\n")
        let log = try ToolProcess.log(target)
        #expect(log.map { $0["name"] } == ["Extract", "xxx xxxxxx 00", "xxxxxx", "xxxxxx", "undo of 4"])
        let content = log[1]["events"]?[0]?["itemsInserted"]?["items"]?[0]?["content"]
        #expect(content.map(JSONValue.text) == #"{"amount":0,"title":"xxxxxx 00"}"#)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: target))
        #expect(bytes.range(of: Data("Secret".utf8)) == nil)
        #expect(try ToolProcess.run("verify", target).status == .success)
        #expect(try ToolProcess.run("extract", store, "2..head", target).status == .refused)
        for (range, status) in [("3..2", ExitStatus.refused), ("0..2", .refused), ("2..9", .refused), ("2..", .usage)] {
            let other = folder.file("other")
            #expect(try ToolProcess.run("extract", store, range, other).status == status, "\(range)")
            #expect(!FileManager.default.fileExists(atPath: other))
        }
    }

    @Test func `What a killed tool has made of a store has not the name of one`() throws {
        let (kept, store) = try ToolProcess.makeStore(#"{"insertSection":{"id":"s"}}"# + "\n")
        let (target, mark) = (folder.file("target"), folder.file("mark"))
        let tool = try ToolProcess([
            "extract", store, "first..head", target, "--failing", "touch '\(mark)'; sleep 1",
        ])
        while !FileManager.default.fileExists(atPath: mark) { usleep(1_000) }
        tool.kill()
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(try ToolProcess.run("extract", store, "first..head", target).status == .success)
        withExtendedLifetime(kept) {}
    }

    @Test func `Redacted origins stay apart, and nobody's stays nobody's`() throws {
        let path = folder.file("origins")
        let store = try UntypedStore.create(at: path)
        for (index, origin) in ["anna", "otto", "", "anna", "bén"].enumerated() {
            try store.edit("Edit", origin: origin) {
                try $0.insertSection(NewSection(id: .integer(Int64(index)), title: ""))
            }
        }
        try store.close()
        let target = folder.file("extracted")
        #expect(try ToolProcess.run("extract", path, "first..head", target).status == .success)
        #expect(
            try ToolProcess.log(target).map { $0["origin"] } == ["origin-1", "origin-2", "", "origin-1", "origin-3"])
        #expect(
            try ToolProcess.run("extract", path, "2..3", folder.file("named"), "--keep-contents").status == .success)
        #expect(try ToolProcess.log(folder.file("named")).map { $0["origin"] } == ["", "otto", ""])
    }

    @Test func `It says how many events were left out because nobody knows what they are`() throws {
        // Written down, such an event can be read in again.
        let (kept, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"s"}}
            {"insert":{"id":7,"content":"Milk","section":"s"}}

            """)
        var lines = try ToolProcess.run("export", store).output.split(separator: "\n").map(String.init)
        let last = try #require(lines.lastIndex { $0.contains("itemsInserted") })
        lines[last - 1].replace(#""events":1"#, with: #""events":3"#)
        let event = #"{"unrecognised":{"kind":222,"payload":"AQID"}}"#
        lines.insert(contentsOf: [event, event], at: last + 1)
        let newer = folder.file("newer")
        let made = try ToolProcess.run(
            "import", newer, "-", "--format", "log", input: lines.joined(separator: "\n") + "\n")
        try #require(made.status == .success, "\(made.errors) \(lines)")
        for (index, options) in [[], ["--keep-contents"], ["--where", "row 7 exists"]].enumerated() {
            let target = folder.file("target \(index)")
            let result = try ToolProcess(["extract", newer, "first..head", target] + options).finish()
            let expected = "left out: 2 events that this build of listory does not know\n"
            #expect(result.output.hasSuffix(expected), "\(options): \(result.output)\(result.errors)")
            let json = try ToolProcess(["extract", newer, "first..head", target + "j", "--json"] + options).finish()
            #expect(try json.json()[0]["omittedEvents"] == 2, "\(options)")
        }
        let test = folder.file("Test.swift")
        _ = try ToolProcess.run(
            "extract", newer, "first..head", folder.file("tested"), "--where", "row 7 exists", "--test", test)
        let text = try String(contentsOf: URL(fileURLWithPath: test), encoding: .utf8)
        #expect(text.contains("// Left out: 2 events that this build of listory does not know.\n"), "\(text)")
        #expect(!(try ToolProcess.run("extract", store, "1..2", folder.file("whole")).output.contains("left out")))
        withExtendedLifetime(kept) {}
    }
}
