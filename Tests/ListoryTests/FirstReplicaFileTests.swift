// Tests the first file of a replica, which several programs may make at the same time.

import Foundation
import ListModel
import TestSupport
import Testing

@_spi(Sync) @testable import Listory

@Suite("The first file of a replica")
struct FirstReplicaFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/list"
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private static func fill(_ path: String, _ title: String) throws {
        let store = try UntypedStore.create(at: path)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: 1, title: title)) }
        try store.beginSharing()
        try store.close()
    }

    private func title() throws -> String {
        let store = try UntypedStore.open(at: path)
        defer { try? store.close() }
        return try store.snapshot.sections[0].title
    }

    @Test("It is there when it is complete, and alone; another one is not made")
    func made() throws {
        let isMade = try UntypedStore.makeReplica(at: path) { scratch in
            try Self.fill(scratch, "first")
            #expect(!FileManager.default.fileExists(atPath: path))
            return true
        }
        #expect(isMade)
        #expect(try names == ["list"])
        #expect(try !UntypedStore.makeReplica(at: path) { _ in throw ListError.closed })
        #expect(try title() == "first")
    }

    @Test("One that is not wanted, or fails, leaves nothing")
    func refused() throws {
        #expect(
            try !UntypedStore.makeReplica(at: path) { scratch in
                try Self.fill(scratch, "unwanted")
                return false
            })
        #expect(try names == [])
        #expect(throws: ListError.readOnly) {
            try UntypedStore.makeReplica(at: path) { scratch in
                try Self.fill(scratch, "failed")
                throw ListError.readOnly
            }
        }
        #expect(try names == [])
    }

    @Test("What a program has left that was killed is not used")
    func leftover() throws {
        for name in ["", "-lock", "-processes"] {
            try Data("left".utf8).write(to: URL(fileURLWithPath: path + "-beginning" + name))
        }
        #expect(
            try UntypedStore.makeReplica(at: path) { scratch in
                try Self.fill(scratch, "whole")
                return true
            })
        #expect(try names == ["list"] && title() == "whole")
    }

    @Test("Of two programs, the second is told to wait, and a file that an app has made meanwhile stays")
    func together() throws {
        let isMade = try UntypedStore.makeReplica(at: path) { scratch in
            #expect(throws: ListError.inUse(path: path)) {
                try UntypedStore.makeReplica(at: path) { _ in throw ListError.closed }
            }
            try Self.fill(scratch, "program")
            try Self.fill(path, "app")
            return true
        }
        #expect(!isMade)
        #expect(try title() == "app")
        #expect(try names.filter { $0.contains("beginning") || $0.contains("claim") } == [])
    }
}
