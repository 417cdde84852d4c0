// A Chromium without a window, driven through the DevTools protocol: messages as JSON, each ended by a zero byte, on its
// descriptors 3 and 4. So no port is open and no library is needed.
//
// Always holds: the browser ends with the object, and with the process of the tests, whose end closes the pipe; its folder
// is new and is removed; no call waits forever.

import Foundation
import Synchronization
import ToolSupport

/// A failure of the tests' own means.
struct Trouble: Error, CustomStringConvertible {
    let description: String
}

/// A running browser.
final class Chromium: Sendable {
    /// What the browser reports without being asked.
    struct Event: Sendable {
        let method: String
        let parameters: JSONValue
        /// The tab; empty for the browser itself.
        let session: String
    }

    private struct State {
        var nextID: Int64 = 1
        var waiting: [Int64: CheckedContinuation<JSONValue, any Error>] = [:]
        var listeners: [@Sendable (Event) -> Void] = []
        var hasEnded = false
    }

    private let process: pid_t
    private let folder: URL
    /// The ends of the pipes that this process has.
    private let (requests, answers): (FileHandle, FileHandle)
    private let state = Mutex(State())
    /// Writes whole messages.
    private let writer = DispatchQueue(label: "requests of a browser")

    /// How long the browser may take for an answer. It never needs as long.
    private static let limit = 60.0

    /// Starts a browser.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("chromium-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var arguments = [
            "chromium", "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(folder.path)", "--no-first-run",
            "--no-default-browser-check", "--disable-gpu", "--disable-background-networking", "--disable-extensions",
            "--disable-component-update", "--disable-sync", "--no-proxy-server", "--mute-audio", "--lang=en",
            "--force-color-profile=srgb", "--password-store=basic", "about:blank",
        ]
        // The sandbox does not work as root.
        if geteuid() == 0 { arguments.insert("--no-sandbox", at: 1) }
        let (input, output) = (Pipe(), Pipe())
        process = try Chromium.start(
            arguments, reading: input.fileHandleForReading, writing: output.fileHandleForWriting)
        (requests, answers) = (input.fileHandleForWriting, output.fileHandleForReading)
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        // The thread keeps no reference to the object, which would otherwise never end.
        Thread.detachNewThread { [weak self, answers] in
            var rest = Data()
            while case let part = answers.availableData, !part.isEmpty {
                rest.append(part)
                while let end = rest.firstIndex(of: 0) {
                    self?.receive(rest[rest.startIndex..<end])
                    rest = Data(rest[(end + 1)...])
                }
            }
            self?.end()
        }
    }

    deinit { stop() }

    /// Ends the browser and everything that it started, and removes its folder.
    func stop() {
        let isRunning = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        guard isRunning else { return }
        // It has a process group of its own.
        kill(-process, SIGKILL)
        waitpid(process, nil, 0)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the program in a process group of its own, with the pipes as descriptors 3 and 4 and no others.
    private static func start(
        _ arguments: [String], reading input: FileHandle, writing output: FileHandle
    ) throws -> pid_t {
        // Copies far above 4: `dup2` onto the same number would leave it closed on exec.
        let copies = [input, output].map { fcntl($0.fileDescriptor, F_DUPFD_CLOEXEC, 100) }
        defer { for copy in copies { close(copy) } }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for descriptor in [Int32(1), 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        for (copy, descriptor) in zip(copies, [Int32(3), 4]) {
            posix_spawn_file_actions_adddup2(&actions, copy, descriptor)
        }
        // Tests run on threads that block all signals, which a program would inherit.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var process = pid_t()
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let result = posix_spawnp(&process, "chromium", &actions, &attributes, words, environ)
        guard result == 0 else {
            throw Trouble(
                description:
                    "chromium did not start (\(String(cString: strerror(result)))); install it, as Tools/prepare does")
        }
        return process
    }

    // MARK: - Messages

    /// Calls `body` with each report of the browser, in order, on a thread of its own.
    func listen(_ body: @escaping @Sendable (Event) -> Void) { state.withLock { $0.listeners.append(body) } }

    /// Calls a method, and returns its result.
    ///
    /// - Throws: ``Trouble`` if the browser refuses, has ended, or takes too long.
    @discardableResult
    func call(_ method: String, _ parameters: [String: JSONValue] = [:], session: String = "") async throws -> JSONValue
    {
        try await withCheckedThrowingContinuation { continuation in
            let id: Int64? = state.withLock { state in
                if state.hasEnded { return nil }
                defer { state.nextID += 1 }
                state.waiting[state.nextID] = continuation
                return state.nextID
            }
            guard let id else { return continuation.resume(throwing: Trouble(description: "the browser has ended")) }
            var message: [String: JSONValue] = [
                "id": .integer(id), "method": .string(method), "params": .object(parameters),
            ]
            if !session.isEmpty { message["sessionId"] = .string(session) }
            let bytes = JSONValue.object(message).bytes + [0]
            writer.async { [requests] in try? requests.write(contentsOf: bytes) }
            DispatchQueue.global().asyncAfter(deadline: .now() + Chromium.limit) { [weak self] in
                self?.answer(id, .failure(Trouble(description: "\(method): no answer within \(Chromium.limit) s")))
            }
        }
    }

    private func receive(_ bytes: Data) {
        guard let message = try? JSONValue(parsing: bytes) else { return }
        if case .integer(let id)? = message["id"] {
            if let error = message["error"] {
                answer(id, .failure(Trouble(description: JSONValue.text(of: error))))
            } else {
                answer(id, .success(message["result"] ?? .null))
            }
        } else if let method = message["method"]?.text {
            let event = Event(
                method: method, parameters: message["params"] ?? .null, session: message["sessionId"]?.text ?? "")
            for listener in state.withLock({ $0.listeners }) { listener(event) }
        }
    }

    private func answer(_ id: Int64, _ result: Result<JSONValue, any Error>) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(with: result)
    }

    /// The pipe is closed: nobody answers any more.
    private func end() {
        for continuation in state.withLock({ state in
            defer { state.waiting = [:] }
            return state.waiting.values
        }) { continuation.resume(throwing: Trouble(description: "the browser has ended")) }
    }
}

extension JSONValue {
    /// A member of an object.
    subscript(name: String) -> JSONValue? { members?[name] }

    /// An element of an array.
    subscript(index: Int) -> JSONValue? { elements.indices.contains(index) ? elements[index] : nil }

    /// The elements, if the value is an array.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The number, if the value is one.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}
