// Tests creating a store: if the creation is interrupted at any moment, the file is a store, or becomes one when it is
// opened again.

import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("Making a store", .serialized)
struct CreationTests {
    /// Files that a process leaves if it ends while it creates a store.
    private static func unfinished(_ folder: TemporaryFolder) throws -> [(name: String, bytes: [UInt8])] {
        let path = folder.file("made")
        try Environment.open(path: path).close()
        let empty = try bytes(path)
        DataFile.remove(path)
        try UntypedStore.create(at: path).close()
        let whole = try bytes(path)
        DataFile.remove(path)
        let page = empty.count / 2
        let zeros = [UInt8](repeating: 0, count: page)
        return [
            ("no bytes", []),
            ("the first meta page", Array(empty[..<page])),
            ("meta pages that no device has", zeros + zeros),
            ("the second meta page only", zeros + empty[page...]),
            ("the first meta page only", empty[..<page] + zeros),
            ("an environment without databases", empty),
            ("pages of a transaction that was not committed", empty + whole[empty.count...]),
        ]
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static func write(_ bytes: [UInt8], _ path: String) throws {
        DataFile.remove(path)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    @Test("The file of an interrupted creation becomes a store, and is refused without createIfMissing")
    func unfinished() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        for (name, bytes) in try Self.unfinished(folder) {
            try Self.write(bytes, path)
            #expect(throws: (any Error).self, "\(name)") { try UntypedStore.open(at: path) }
            for make in [UntypedStore.openOrCreate, UntypedStore.create]
                as [(String, StoreOptions) throws -> UntypedStore]
            {
                try Self.write(bytes, path)
                let store = try make(path, StoreOptions())
                try store.edit("Begin") { try $0.insertSection(NewSection(id: "rows")) }
                try store.close()
                #expect(try StoreVerification(path: path).version == Version(1), "\(name)")
                let again = try UntypedStore.openOrCreate(at: path, options: StoreOptions())
                #expect(try again.version == Version(1), "\(name)")
                try again.close()
                #expect { try UntypedStore.create(at: path) } throws: { ($0 as? ListError)?.code == "alreadyExists" }
            }
        }
    }

    @Test("A file of another format is not changed")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let other = folder.file("other")
        let environment = try Environment.open(path: other)
        _ = try environment.openDatabase(named: "theirs", of: String.self, String.self, create: true)
        try environment.close()
        let empty = try #require(try Self.unfinished(folder).first { $0.name == "an environment without databases" })
            .bytes
        var written = empty
        written[empty.count - 1] = 7
        let files: [[UInt8]] = [
            Array("a text".utf8), [UInt8](repeating: 255, count: 8_192), [UInt8](repeating: 0, count: 1 << 20),
            Array(written[..<(empty.count / 2)] + written[(empty.count / 2)...].map { $0 ^ 1 }), try Self.bytes(other),
        ]
        let path = folder.file("list.listory")
        for (number, bytes) in files.enumerated() {
            try Self.write(bytes, path)
            #expect(throws: (any Error).self, "file \(number)") {
                try UntypedStore.openOrCreate(at: path, options: StoreOptions())
            }
            #expect { try UntypedStore.create(at: path) } throws: { ($0 as? ListError)?.code == "alreadyExists" }
            #expect(try Self.bytes(path) == bytes, "file \(number)")
        }
    }

    @Test("After 110 kills during the creation of stores, every file can be opened")
    func kills() throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        for round in 0..<110 {
            let folder = try TemporaryFolder()
            let child = try ChildProcess("StoreWriter", [folder.file("list"), "create", "1000000"])
            if !generator.oneIn(6) { _ = child.read() }
            usleep(UInt32.random(in: 0...8_000, using: &generator))
            _ = child.kill()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                !$0.hasSuffix("-lock") && !$0.hasSuffix("-processes")
            }
            for name in names.sorted(by: { $0.count == $1.count ? $0 < $1 : $0.count < $1.count }).suffix(2) {
                let comment: Comment = "seed \(seed), round \(round), \(name)"
                do {
                    let store = try UntypedStore.openOrCreate(at: folder.file(name), options: StoreOptions())
                    try store.edit("More") { try $0.insertSection(NewSection(id: 1_000_000)) }
                    try store.close()
                    _ = try StoreVerification(path: folder.file(name))
                } catch { Issue.record(error, comment) }
            }
        }
        Soak.count(110)
    }

    @Test("If two processes create the same store at once, both succeed, and acknowledged commits are in it")
    func together() throws {
        let folder = try TemporaryFolder()
        let children = try (0..<2).map { _ in
            try ChildProcess("StoreWriter", [folder.file("list"), "create", "60"])
        }
        for child in children {
            let (code, output) = child.finish()
            #expect(code == 0, "\(output)")
            // Number, version and hash of each acknowledged commit.
            for line in output.split(separator: "\n") {
                let words = line.split(separator: " ").map(String.init)
                let store = try UntypedStore.open(at: folder.file("list\(words[0])"))
                #expect(try store.commit(Version(UInt64(words[1])!)).stateHash.description == words[2], "\(line)")
                try store.close()
            }
        }
        for number in 0..<60 { _ = try StoreVerification(path: folder.file("list\(number)")) }
    }
}
