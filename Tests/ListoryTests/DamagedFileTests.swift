// Tests stores with every kind of damage, which are opened with the default gate, read and edited: no damage ends the
// process. Without the checks, some does.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing

@Suite("Damaged files of stores")
struct DamagedFileTests {
    private static let pageSize = 4096

    @Test("No damage in a store's file ends the process that reads and edits it")
    func randomDamage() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let sound = try Self.makeStore(folder)
        let count = Soak.isEnabled ? 4_000 : 40
        let untouched = try Self.write(sound, to: folder.file("untouched"))
        #expect(try ChildProcess("StoreWriter", ["probe", untouched]).finish().output == "sound\n")
        var outcomes: [String: Int] = [:]
        var first = 0
        while first < count {
            let paths = try (first..<first + 40).map { index in
                try Self.write(Self.damaged(sound, index % 8, &generator), to: folder.file("damaged-\(index)"))
            }
            let lines = try ChildProcess("StoreWriter", ["probe"] + paths).finish().output.split(separator: "\n").map(
                String.init)
            #expect(lines.count == paths.count, "seed \(seed)")
            for (index, line) in lines.enumerated() {
                #expect(!line.hasPrefix("signal"), "file \(first + index), \(line), seed \(seed)")
                outcomes[line, default: 0] += 1
            }
            for end in ["", "-lock", "-processes"] {
                for path in paths { try? FileManager.default.removeItem(atPath: path + end) }
            }
            first += 40
        }
        #expect((outcomes["sound"] ?? 0) > 0 && (outcomes["error"] ?? 0) > 0, "seed \(seed): \(outcomes)")
    }

    @Test("Without the checks, some damage ends the process")
    func control() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let sound = try Self.makeStore(folder)
        for round in 0..<10 {
            let paths = try (0..<20).map { index in
                try Self.write(Self.damaged(sound, index % 8, &generator), to: folder.file("damaged-\(round)-\(index)"))
            }
            let (_, output) = try ChildProcess("StoreWriter", ["probe-unchecked"] + paths).finish()
            if output.contains("signal") { return }
        }
        Issue.record("nothing ended the process, seed \(seed)")
    }

    @Test("Damage that comes up while the process that made the store has it open is reported, and ends nothing")
    func damageInTheFirstSession() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("new.listory")
        var options = StoreOptions()
        // Everything goes into the database at once, and is read from there.
        options.journal.isUsed = false
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("section") { try $0.insertSection(NewSection(id: "rows", title: "Rows")) }
        for number in 0..<200 {
            let row = NewRow(id: .integer(Int64(number)), content: [UInt8](repeating: 1, count: 60))
            try store.edit("row") { try $0.insert(row, at: .end(ofSection: "rows")) }
        }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let length = try file.seekToEnd()
        try file.seek(toOffset: UInt64(2 * Self.pageSize))
        try file.write(contentsOf: Data(count: Int(length) - 2 * Self.pageSize))
        #expect(throws: (any Error).self) { try store.commit(Version(7)) }
        try store.edit("row") { try $0.toggle(.item(3)) }
        #expect(throws: ListError.self) { try store.waitUntilDurable() }
        #expect(throws: Never.self) { try store.close(discardingUnappended: true) }
    }

    /// A store with rows, large contents, several checkpoints, and free pages.
    private static func makeStore(_ folder: TemporaryFolder) throws -> [UInt8] {
        var options = StoreOptions()
        options.checkpoints.isBackground = false
        options.checkpoints.nodeWeight = 0
        options.limits = TreeLimits(leafCapacity: 8, innerCapacity: 8)
        let path = folder.file("sound.listory")
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("section") { try $0.insertSection(NewSection(id: "rows", title: "Rows")) }
        for round in 0..<30 {
            for part in 0..<3 {
                try store.edit("rows", durability: .deferred) { list in
                    for row in 0..<30 {
                        let number = round * 90 + part * 30 + row
                        let content = [UInt8](
                            repeating: UInt8(truncatingIfNeeded: number), count: row == 7 ? 9_000 : 60)
                        try list.insert(
                            NewRow(id: .integer(Int64(number)), content: content), at: .end(ofSection: "rows"))
                    }
                    if round > 0 {
                        for row in 0..<10 { try list.delete(.at(ListIndexPath(section: 0, item: row * 5))) }
                    }
                }
            }
            if round % 5 == 4 { try store.checkpoint() }
        }
        try store.undo(2)
        try store.close()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static func write(_ bytes: [UInt8], to path: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// A copy with one kind of damage. Most kinds change LMDB's headers and offsets, not keys and values.
    private static func damaged(_ bytes: [UInt8], _ kind: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var copy = bytes
        let count = bytes.count / pageSize
        let page = Int.random(in: 0..<count, using: &generator) * pageSize
        let random = UInt8.random(in: 0...255, using: &generator)
        switch kind {
        case 0: copy[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1 << (random % 8)
        case 1: copy[page + Int.random(in: 0..<40, using: &generator)] ^= 1 << (random % 8)
        case 2: copy[page + Int.random(in: 0..<160, using: &generator)] = random
        case 3:
            let word = page + 8 * Int.random(in: 0..<pageSize / 8, using: &generator)
            for place in word..<word + 8 { copy[place] = UInt8.random(in: 0...255, using: &generator) }
        case 4: for place in page..<page + pageSize { copy[place] = 0 }
        case 5:
            let other = Int.random(in: 0..<count, using: &generator) * pageSize
            for place in 0..<pageSize { copy.swapAt(page + place, other + place) }
        case 6:
            // A page number, a size or a count in a used page, changed a little.
            let place = page + 2 * Int.random(in: 8..<pageSize / 2, using: &generator)
            copy[place] = copy[place] &+ (random % 2 == 0 ? 1 : 255)
        default: copy = Array(copy.prefix(Int.random(in: 1...bytes.count, using: &generator)))
        }
        return copy
    }
}
