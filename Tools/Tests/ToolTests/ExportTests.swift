// Tests `export` and `import --format log`: what is written down of a store is all of it.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@Suite struct ExportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What is written down of a store.
    private func lines(of path: String) throws -> [UInt8] {
        let store = try StoreFile(path: path).open(isReadOnly: true)
        var lines: [UInt8] = []
        try ExportReport(store).print(progress: { _ in }, send: { lines += $0 })
        try store.close()
        return lines
    }

    @Test(arguments: 0..<8 * Soak.factor)
    func `A random history comes back with the same hash at every version, and nothing is missing`(round: Int) throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        let scope: UndoScope = round % 3 == 0 ? .origin : .shared
        let (path, target) = (folder.file("old"), folder.file("new"))
        var history = RandomHistory(seed: seed)
        try history.make(at: path, edits: 80, undoScope: scope)
        // Packed, and with a part of its history dropped.
        if round % 4 == 1 { try UntypedStore.compact(at: path) }
        if round % 4 == 2 { try UntypedStore.compact(at: path, Compaction(keeping: .from(Version(30)))) }
        // With contents that are erased, also of the oldest version.
        if round % 4 >= 2 { try UntypedStore.erase(Erasure(origins: ["anna"]), at: path) }
        if round % 4 == 2 {
            let store = try UntypedStore.open(at: path)
            let rows = try store.snapshot(at: store.oldestVersion).sections.flatMap { $0.items.prefix(2).map(\.id) }
            try store.close()
            try UntypedStore.erase(Erasure(rows: Set(rows)), at: path)
        }
        let lines = try lines(of: path)
        let file = folder.file("lines")
        try Data(lines).write(to: URL(fileURLWithPath: file))
        _ = try LogImport(path: file).write(to: target)
        #expect(try self.lines(of: target) == lines, "seed \(seed)")

        var options = StoreOptions()
        options.undoScope = scope
        let old = try UntypedStore.open(at: path, options: options)
        let new = try UntypedStore.open(at: target, options: options)
        let newest = try old.version
        #expect(try new.version == newest, "seed \(seed)")
        #expect(new.oldestVersion == old.oldestVersion, "seed \(seed)")
        for number in old.oldestVersion.rawValue...newest.rawValue {
            let version = Version(number)
            let hashes = try (old.snapshot(at: version).stateHash, new.snapshot(at: version).stateHash)
            #expect(hashes.0 == hashes.1, "seed \(seed), version \(number)")
            if version == old.oldestVersion { continue }
            let (one, other) = (try old.commit(version), try new.commit(version))
            #expect(CommitTranscript(one) == CommitTranscript(other), "seed \(seed), version \(number)")
            #expect(one.history == other.history && one.parent == other.parent, "seed \(seed), version \(number)")
            #expect(try one.annotations() == other.annotations(), "seed \(seed), version \(number)")
        }
        for origin in ["", "anna", "bén \u{202E}"] {
            #expect(try old.branches(origin: origin) == new.branches(origin: origin), "seed \(seed)")
            // What was written down can be undone and redone as before.
            let count = try new.history(of: origin).undoCount
            for store in [old, new] {
                if count > 0, try store.undo(origin: origin, onConflict: .skip).conflicts.isEmpty {
                    try store.redo(origin: origin, onConflict: .skip)
                }
            }
            #expect(try old.snapshot.stateHash == new.snapshot.stateHash, "seed \(seed)")
        }
        try old.close()
        try new.close()
    }

    @Test func `The commands copy a store through a pipe, and refuse lines that do not fit`() throws {
        let (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"s","title":"Today"}}
            {"insert":{"id":{"$uuid":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"},"content":"Milk","section":"s"}}
            {"insert":{"id":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8","content":{"$base64":"AAE="},"section":"s"}}
            {"undo":1}
            {"go":1}

            """)
        let lines = try ToolProcess.run("export", store).output
        #expect(lines.hasPrefix(#"{"listory":{"format":1,"version":5}}"#))
        let copy = folder.file("copy")
        let made = try ToolProcess.run("import", copy, "-", "--format", "log", input: lines)
        #expect(made.status == .success && made.output.hasPrefix("sound: version 5, 5 commits"), "\(made.errors)")
        #expect(try ToolProcess.run("export", copy).output == lines)
        #expect(try ToolProcess.run("import", copy, "-", "--format", "log", input: lines).status == .refused)
        let wrong = folder.file("wrong")
        let all = lines.split(separator: "\n", omittingEmptySubsequences: false)
        for (line, expected) in [
            (
                lines.replacing("\"Milk\"", with: "\"Silk\"", maxReplacements: 1),
                "line 4: state hash of version 2: expected"
            ),
            (lines.replacing("\"at\":0", with: "\"at\":1"), "line 2: "),
            (lines.replacing("\"version\":2", with: "\"version\":3"), "line 4: "),
            (lines.replacing("sectionInserted", with: "sectionInvented"), "line 3: expected an event"),
            (lines.replacing("\"format\":1", with: "\"format\":2"), "line 1: listory.format: expected 1"),
            (all.dropLast(2).joined(separator: "\n"), "found the end of the input"),
            ("nonsense\n", "line 1: expected JSON"),
            (
                #"{"listory":{"format":1,"version":9,"base":{"version":5,"histories":[{"numbers":[6,0,0,0,0,0,0]}],"#
                    + #""sections":[]}}}"# + "\n", "line 1: history of all: expected seven numbers up to 5"
            ),
            (lines + "{}\n", "expected the end of the input"),
        ] {
            let result = try ToolProcess.run("import", wrong, "-", "--format", "log", input: line)
            #expect(result.status == .refused && result.errors.contains(expected), "\(expected): \(result.errors)")
            #expect(!FileManager.default.fileExists(atPath: wrong))
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.contains("wrong") } == false)
    }

    @Test func `A log that ends with another version or another hash than its list makes no store`() throws {
        let (empty, made, base) = (folder.file("empty"), folder.file("made"), folder.file("base"))
        for path in [empty, made, base] {
            let store = try UntypedStore.create(at: path)
            if path != empty {
                try store.edit("Add") { list in
                    try list.insertSection(NewSection(id: "s", items: [NewRow(id: 7, content: Array("Milk".utf8))]))
                }
            }
            try store.close()
        }
        // Its rows are in the first line, so that nothing but the end has their hash.
        try UntypedStore.compact(at: base, Compaction(keeping: .from(Version(1))))
        for path in [empty, made, base] {
            let lines = String(decoding: try self.lines(of: path), as: UTF8.self)
            let target = path + "-copy"
            let end = try #require(lines.split(separator: "\n").last)
            let wrong: [(end: Substring, expected: String)] = [
                (end.replacing(/"version":[0-9]+/, with: #""version":9"#), "end.version: expected "),
                (end.replacing(/[0-9a-f]{16}/, with: "0123456789abcdef"), "end.hash: expected "),
                (#"{"end":{}}"#, "end.version: expected "),
            ]
            for (wrongEnd, expected) in wrong {
                let file = try folder.write(lines.replacing(end, with: wrongEnd), to: "lines")
                let error = #expect(throws: ImportError.self) { _ = try LogImport(path: file).write(to: target) }
                #expect(error?.description.contains(expected) == true, "\(path): \(error?.description ?? "none")")
                #expect(!FileManager.default.fileExists(atPath: target), "\(path)")
            }
            _ = try LogImport(path: folder.write(lines, to: "lines")).write(to: target)
            #expect(try self.lines(of: target) == Array(lines.utf8), "\(path)")
        }
    }

    @Test func `Lines that somebody has changed make the same rows, or an error that says where`() throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var history = RandomHistory(seed: seed)
        let path = folder.file("old")
        try history.make(at: path, edits: 25, undoScope: .origin)
        let base = folder.file("base")
        try FileManager.default.copyItem(atPath: path, toPath: base)
        try UntypedStore.compact(at: base, Compaction(keeping: .from(Version(8))))
        let target = folder.file("new")
        let words = [
            "0", "1", "-1", "63", "64", "281474976710656", "9007199254740991", "1e300", "null", "[]", "\"\"", "true",
        ]
        for source in [path, base] {
            let lines = String(decoding: try self.lines(of: source), as: UTF8.self).split(separator: "\n")
            for round in 0..<60 * Soak.factor {
                var changed = lines.map(String.init)
                let index = Int.random(in: 0..<lines.count, using: &random)
                // A number, a word or a string in it, or the whole line.
                let places = changed[index].ranges(of: /-?[0-9]+|true|false|"[^"]*"/)
                if let place = places.randomElement(using: &random), round % 10 != 0 {
                    changed[index].replaceSubrange(place, with: words.randomElement(using: &random)!)
                } else {
                    changed.swapAt(index, Int.random(in: 0..<lines.count, using: &random))
                }
                let file = try folder.write(changed.joined(separator: "\n"), to: "changed")
                do {
                    _ = try LogImport(path: file).write(to: target)
                    try FileManager.default.removeItem(atPath: target)
                } catch is ImportError {
                } catch let error as ListError {
                    #expect([.damaged, .refused].contains(ExitStatus(error)), "seed \(seed), round \(round): \(error)")
                }
                #expect(!FileManager.default.fileExists(atPath: target), "seed \(seed), round \(round)")
            }
        }
    }
}
