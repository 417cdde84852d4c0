// Tests the program in a process of its own: it follows what others write, ends by itself, and says what is wrong.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@testable import ListoryInspector

/// A running `listory-inspect`.
private final class Program: @unchecked Sendable {
    // @unchecked Sendable: used by one test at a time; `Process` itself is not declared Sendable.
    private let process = Process()
    private let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    /// The first line of its output.
    private(set) var link = ""

    init(_ arguments: String...) throws {
        #if os(macOS)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
        let folder = bundle.deletingLastPathComponent()
        #else
        let folder = Bundle.main.bundleURL
        #endif
        process.executableURL = folder.appendingPathComponent("listory-inspect")
        process.arguments = arguments
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        // Tests run on threads that block all signals, which the program would inherit.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
            link.append(Character(UnicodeScalar(byte)))
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    func endInput() throws { try input.fileHandleForWriting.close() }

    func interrupt(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for its end; a program that does not end is killed, and its status is then 9.
    func finish() -> (status: Int32, errors: String) {
        let number = process.processIdentifier
        let force = DispatchWorkItem { kill(number, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: force)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        force.cancel()
        return (process.terminationStatus, text)
    }
}

@Suite("Program")
struct ProgramTests {
    private let folder: TemporaryFolder
    private let store: UntypedStore

    init() throws {
        folder = try TemporaryFolder.inMemory()
        store = try RandomList.store(in: folder, seed: 2, edits: 30)
    }

    @Test("A page follows the commits of another process, without a gap")
    func follows() throws {
        let program = try Program(store.path, "--until-input-ends")
        let browser = try Browser(program.link)
        let listener = try browser.listen()
        #expect(try listener.next()?.data["version"]?.number == Int(store.version.rawValue))
        for round in 0..<20 {
            try store.edit("Round \(round)") { edit in
                try edit.insertSection(NewSection(id: .string("round \(round)"), title: "Round \(round)"))
            }
            let version = Int(try store.version.rawValue)
            try listener.wait(for: version)
            let state = try browser.get("/api/state")
            #expect(state["version"]?.number == version)
            #expect(try state["hash"]?.text == store.snapshot.stateHash.description)
            #expect(
                try browser.get("/api/log?limit=1")["commits"]?.elements.first?["name"] == .string("Round \(round)"))
            #expect(try browser.get("/api/rows")["sections"]?.number == store.snapshot.sectionCount)
        }
    }

    @Test("Edits through the page reach the other process", .timeLimit(.minutes(10)))
    func writes() async throws {
        let program = try Program(store.path, "--allow-write", "--until-input-ends")
        let browser = try Browser(program.link)
        let updates = try store.updates()
        let answer = try browser.exec(#"{"insertSection":{"id":"from the page","title":"Page"}}"#)
        #expect(answer.status == 200)
        let version = try #require(try answer.json["version"]?.number)
        for await update in updates where update.snapshot.version.rawValue >= version { break }
        #expect(try store.snapshot.sections.contains { $0.id == "from the page" })
    }

    @Test(
        "It ends with its input or a signal, tells the pages, and the store can be used",
        arguments: [0, SIGINT, SIGTERM])
    func ends(_ signal: Int32) throws {
        let program = try Program(store.path, "--allow-write", "--until-input-ends")
        let browser = try Browser(program.link)
        let listener = try browser.listen()
        _ = try listener.next()
        let idle = try Connection(port: browser.port)
        if signal == 0 { try program.endInput() } else { program.interrupt(signal) }
        #expect(try listener.next()?.kind == "end")
        #expect(try listener.next() == nil)
        let (status, errors) = program.finish()
        #expect(status == 0 && errors.isEmpty)
        #expect(throws: Trouble.self) { try Connection(port: browser.port) }
        let version = try store.version
        try store.close()
        #expect(try StoreFile(path: store.path).check().version == version)
        withExtendedLifetime(idle) {}
    }

    @Test("Wrong arguments, a missing store and a port in use have a reason and the documented status")
    func refusals() throws {
        for (arguments, status) in [
            ([], ExitStatus.usage), (["a", "b"], .usage), (["--port", "x", store.path], .usage),
            (["--port", "65536", store.path], .usage), (["--nothing", store.path], .usage),
            ([folder.file("missing")], .unusable), ([folder.path], .unusable),
        ] {
            let program: Program
            switch arguments.count {
            case 0: program = try Program()
            case 1: program = try Program(arguments[0])
            case 2: program = try Program(arguments[0], arguments[1])
            default: program = try Program(arguments[0], arguments[1], arguments[2])
            }
            let (found, errors) = program.finish()
            #expect(found == status.rawValue && errors.hasPrefix("listory: ") && program.link.isEmpty, "\(errors)")
        }
        let first = try Program(store.path, "--until-input-ends")
        let port = try #require(URL(string: first.link)?.port)
        let second = try Program(store.path, "--port", "\(port)")
        let (found, errors) = second.finish()
        #expect(found == ExitStatus.inputOutput.rawValue && errors.contains("port \(port)"), "\(errors)")
    }

    @Test("With --json, the link and errors are JSON")
    func json() throws {
        let program = try Program(store.path, "--json", "--until-input-ends")
        let link = try #require(JSONValue(parsing: program.link.utf8)["link"]?.text)
        #expect(try Browser(link).get("/api/state")["version"]?.number == Int(store.version.rawValue))
        let missing = try Program("--json", folder.file("missing"))
        let wrong = try Program(store.path, "--nothing", "--json")
        for (program, status, code) in [(missing, ExitStatus.unusable, "notFound"), (wrong, .usage, "usage")] {
            let (found, errors) = program.finish()
            let error = try JSONValue(parsing: errors.utf8)["error"]
            #expect(found == status.rawValue && error?["code"] == .string(code), "\(errors)")
        }
    }

    @Test("An app shows its open store, typed or not, and closes it when it wants")
    func inApp() async throws {
        struct Todo: Codable, Identifiable { var id: Int, title: String }
        let list = try ListStore<String, Todo>.open(at: folder.file("app.listory"), createIfMissing: true)
        try await list.edit("New") { edit in
            try edit.insertSection("today")
            try edit.insert(Todo(id: 1, title: "Milk"), at: .end(of: "today"))
        }
        try await inspecting(list.core) { _, browser in
            #expect(try browser.get("/api/rows")["lines"]?.elements.last?["title"] == .string("Milk"))
            let listener = try browser.listen()
            _ = try listener.next()
            try list.edit("Check") { try $0.setChecked(true, for: 1) }
            try listener.wait(for: 2)
            try list.close()
            #expect(try listener.next()?.kind == "end")
            let answer = try browser.ask("/api/rows")
            #expect(answer.status == 503 && answer.errorCode == "closed")
        }
        // An inspector can begin again, and be stopped when it is.
        let again = try ListStore<String, Todo>.open(at: folder.file("app.listory"))
        let inspector = Inspector(again)
        #expect(inspector.link() == nil)
        let first = try await inspector.start()
        #expect(inspector.link()?.port == first.port)
        await inspector.stop()
        await inspector.stop()
        #expect(inspector.link() == nil)
        let second = try await inspector.start()
        let rows = try await waiting {
            #expect(throws: (any Error).self) { try Browser(first.absoluteString) }
            return try Browser(second.absoluteString).get("/api/state")["rows"]?.number
        }
        #expect(rows == 1)
        // Started twice, it is the same server, also if both happen at once.
        async let (one, other) = (inspector.start(), inspector.start())
        #expect(try await (one.port, other.port) == (second.port, second.port))
        let third = try await inspector.start()
        #expect(third != second && third.port == second.port)
        await inspector.stop()
        let isGone = try await waiting { (try? Browser(third.absoluteString)) == nil }
        #expect(isGone)
    }

    @Test("Without a port, the one of the store's path is tried first, so that browsers find their bookmarks again")
    func ports() async throws {
        // Others on this machine may use the port of one path, but hardly of all.
        var found = 0
        for number in 0..<5 {
            let store = try UntypedStore.create(at: folder.file("port\(number).listory"))
            let inspectors = (0..<2).map { _ in Inspector(store, allowsWriting: false, port: nil, limits: Limits()) }
            let first = try await inspectors[0].start().port
            let second = try await inspectors[1].start().port
            #expect(first != second)
            if first == Inspector.port(of: store.path) { found += 1 }
            for inspector in inspectors { await inspector.stop() }
            try store.close()
        }
        #expect(found > 0)
        #expect(Inspector.port(of: "/a/b") == Inspector.port(of: "/a/../a/b"))
        #expect(Set((0..<100).map { Inspector.port(of: "/\($0)") }).count > 90)
    }
}
