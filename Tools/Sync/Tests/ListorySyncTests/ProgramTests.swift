// Tests the program beside apps: it keeps the file of a store and the log together, while an app has the store open.

import Foundation
import ListModel
@_spi(Sync) import Listory
import LogServers
import SharedLog
import SharedLogs
import TestSupport
import Testing

@Suite("The program beside apps")
struct ProgramTests {
    /// Starts `listory sync` with arguments.
    private static func start(_ arguments: [String], _ url: String, output: URL? = nil) throws -> Process {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appending(path: "listory-sync")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["LISTORY_SYNC_URL": url]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        if let output {
            try Data().write(to: output)
            let file = try FileHandle(forWritingTo: output)
            (process.standardOutput, process.standardError) = (file, file)
        }
        try starting.withLock { _ in try process.run() }
        return process
    }

    /// A `listory sync --follow`.
    private final class Follower {
        private let process: Process

        init(_ path: String, _ url: String) throws {
            process = try ProgramTests.start([path, "--list", "list", "--follow"], url)
        }

        func end() {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// Waits until a store shows a version.
    private func wait(for version: Version, in store: UntypedStore) async throws {
        for await update in try store.updates() where update.snapshot.version >= version { return }
    }

    /// Opens a store when the program has made it, and it is a replica.
    private func open(_ path: String) async throws -> UntypedStore {
        while ((try? UntypedStore.confirmed(at: path)) ?? nil) == nil { try await Task.sleep(for: .milliseconds(50)) }
        return try UntypedStore.open(at: path)
    }

    private struct Todo: Codable, Identifiable, Sendable, Equatable {
        var id: Int
        var title: String
    }

    @Test("An app opens a file that the program has made and goes on with", .timeLimit(.minutes(10)))
    func programFirst() async throws {
        let (server, folder) = (try NATSServer(), try TemporaryFolder())
        defer { server.end() }
        let path = folder.file("first")
        let follower = try Follower(path, server.url)
        defer { follower.end() }
        let made = try await open(path)
        try made.close()
        let store = try ListStore<Int, Todo>.open(at: path)
        try await store.edit("Add") { try $0.insertSection(0, items: [Todo(id: 1, title: "Milk")]) }
        let log = try SharedLogs.open(server.url, list: "list")
        while try await log.end().number < 1 { try await Task.sleep(for: .milliseconds(50)) }
        await log.close()
        #expect(try store.snapshot.rows.map(\.item) == [Todo(id: 1, title: "Milk")])
        try store.close()
    }

    /// Runs `listory sync` with arguments; returns how it ended. It keeps no thread, because other tests wait for one.
    private func run(_ arguments: [String], _ url: String, output: URL? = nil) async throws -> Int32 {
        let process = try Self.start(arguments, url, output: output)
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        return process.terminationStatus
    }

    @Test(
        "Verifying makes no file, no replica and no list, and a key that was cut off is refused",
        .timeLimit(.minutes(10)))
    func verifying() async throws {
        let (server, folder) = (try NATSServer(), try TemporaryFolder())
        defer { server.end() }
        let (path, missing) = (folder.file("own"), folder.file("missing"))
        try UntypedStore.create(at: path).close()
        #expect(try await run(["verify", missing, "--list", "list"], server.url) == 3)
        #expect(!FileManager.default.fileExists(atPath: missing))
        #expect(try await run(["verify", path, "--list", "list"], server.url) == 1)
        #expect(try UntypedStore.confirmed(at: path) == nil)
        let log = try SharedLogs.open(server.url, list: "list", createsList: false)
        await #expect(throws: SharedLogError.notFound(list: "list")) { try await log.end() }
        await log.close()
        let key = folder.file("key")
        for digits in [String(repeating: "a", count: 63), String(repeating: "a", count: 62) + "+f"] {
            try Data(digits.utf8).write(to: URL(fileURLWithPath: key))
            #expect(try await run([path, "--list", "list", "--key-file", key], server.url) == 1)
        }
        #expect(try UntypedStore.confirmed(at: path) == nil)
        try Data(String(repeating: "aB", count: 32).utf8).write(to: URL(fileURLWithPath: key))
        #expect(try await run([path, "--list", "list", "--key-file", key], server.url) == 0)
        #expect(try await run(["verify", path, "--list", "list", "--key-file", key], server.url) == 0)
    }

    @Test(
        "An error has the exit code of its kind, and is one line that changes no terminal", .timeLimit(.minutes(10)))
    func errors() async throws {
        let (server, folder) = (try NATSServer(), try TemporaryFolder())
        defer { server.end() }
        let (own, missing) = (folder.file("own\u{1B}[31m\u{202E}"), folder.file("missing"))
        try UntypedStore.create(at: own).close()
        let output = URL(fileURLWithPath: folder.file("output"))
        #expect(try await run(["status", own], server.url, output: output) == 0)
        let status = try String(contentsOf: output, encoding: .utf8)
        #expect(status.contains(#"own\u{1B}[31m\u{202E} was never"#), "\(status)")
        let (nobody, address) = ("nats://127.0.0.1:1", "postgresql://anna:hush@127.0.0.1:1/lists")
        for (arguments, url, status, code) in [
            (["status", missing], server.url, 3, "notFound"),
            (["verify", own, "--list", "list"], server.url, 1, "refused"),
            ([own, "--list", "list\u{1B}[31m"], nobody, 5, "inputOutput"),
            ([own], nobody, 2, "usage"),
            ([own, address, "--list", "list"], nobody, 2, "usage"),
            ([address, "--list", "list"], nobody, 2, "usage"),
            ([own, "--list", "list", "--follow=\(address)"], nobody, 2, "usage"),
        ] as [([String], String, Int32, String)] {
            #expect(try await run(arguments, url, output: output) == status, "\(arguments)")
            let line = try String(contentsOf: output, encoding: .utf8)
            #expect(line.hasSuffix("\n") && line.hasPrefix("listory: ") && !line.contains("hush"), "\(line)")
            let categories = line.dropLast().unicodeScalars.map(\.properties.generalCategory)
            #expect(!categories.contains(.control) && !categories.contains(.format), "\(line)")
            #expect(try await run(arguments + ["--json"], url, output: output) == status, "\(arguments)")
            #expect(try !String(contentsOf: output, encoding: .utf8).contains("hush"))
            struct Report: Decodable {
                struct Failure: Decodable {
                    var code: String
                    var status: Int32
                }
                var error: Failure
            }
            let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: output))
            #expect(report.error.code == code && report.error.status == status)
        }
    }

    @Test("What is edited in one app appears in the other, which undoes it", .timeLimit(.minutes(10)))
    func twoApps() async throws {
        let (server, folder) = (try NATSServer(), try TemporaryFolder())
        defer { server.end() }
        let paths = ["first", "second"].map { folder.file($0) }
        let followers = try paths.map { try Follower($0, server.url) }
        defer { for follower in followers { follower.end() } }
        let (first, second) = (try await open(paths[0]), try await open(paths[1]))
        try first.edit("Add", origin: "user") { list in
            try list.insertSection(NewSection(id: 0))
            try list.insert(NewRow(id: 1, content: Array("Milk".utf8)), at: .end(ofSection: 0))
        }
        try await wait(for: Version(1), in: second)
        #expect(try second.snapshot.sections.count == 1 && second.snapshot.sections[0].items.count == 1)
        try second.undo(origin: "user")
        try await wait(for: Version(2), in: first)
        #expect(try first.snapshot.sections.isEmpty)
        #expect(try first.snapshot.stateHash == second.snapshot.stateHash)
        try first.close()
        try second.close()
    }
}
