// Tests that a log of the first format, which was written once and is kept, is read for ever.
//
// `LISTORY_WRITE_FIXTURES=1` writes it anew; that is only right before the first release.

import Foundation
import ListModel
import Listory
import ListorySync
import SharedLog
import TestSupport
import Testing

import class MemoryLog.MemoryLog
import class MemoryLog.MemoryServer

@Suite("The first format of a shared log")
struct FirstFormatTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Fixtures/first-format.txt")

    /// The entries in hexadecimal digits, a line each, and at last the hash of the rows.
    private func kept() throws -> (entries: [LogEntry], hash: String) {
        let lines = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map(String.init)
        let entries = try lines.dropLast().enumerated().map { index, line in
            let bytes = stride(from: 0, to: line.utf8.count, by: 2).map { offset in
                UInt8(line.dropFirst(offset).prefix(2), radix: 16)!
            }
            return try LogEntry(encoded: bytes, number: UInt64(index) + 1)
        }
        return (entries, lines.last!)
    }

    @Test("A replica reads the log that was kept, edits, and one that has read the result agrees with it")
    func reading() async throws {
        if ProcessInfo.processInfo.environment["LISTORY_WRITE_FIXTURES"] != nil { try await write() }
        let (entries, hash) = try kept()
        #expect(entries.count > 20)
        let server = MemoryServer()
        #expect(try await MemoryLog(server).append(entries, after: .beginning) == .appended)
        let folder = try TemporaryFolder.inMemory()
        let stores = try ["a", "b"].map { try UntypedStore.create(at: folder.file($0)) }
        let replicas = try stores.map { try Replica($0, MemoryLog(server), list: "list") }
        try stores[0].edit("Before") { try $0.insertSection(NewSection(id: "new", title: "New")) }
        for replica in replicas { try await replica.synchronize() }
        #expect(try "\(stores[0].snapshot(at: Version(UInt64(entries.count))).stateHash)" == hash)
        try stores[1].undo(origin: "user 0", onConflict: .skip)
        for replica in replicas.reversed() { try await replica.synchronize() }
        #expect(try stores[0].snapshot.stateHash == stores[1].snapshot.stateHash)
        for store in stores { try store.close() }
        _ = try StoreVerification(path: folder.file("a"))
    }

    private func write() async throws {
        let simulation = try Simulation(seed: 7)
        try await simulation.run(steps: 120)
        try await simulation.settle()
        let entries = try await MemoryLog(simulation.server).entries(after: 0, maximumBytes: .max)
        let lines = entries.map { entry in
            entry.encoded().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        }
        let hash = try "\(simulation.devices[0].store.snapshot.stateHash)"
        try FileManager.default.createDirectory(
            at: Self.file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data((lines + [hash, ""]).joined(separator: "\n").utf8).write(to: Self.file)
    }
}
