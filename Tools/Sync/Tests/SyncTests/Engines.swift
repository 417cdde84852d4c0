import Foundation
import LogServers
import MemoryLog
import NATSLog
import PostgresLog
import SharedLog
import Synchronization
import Testing

/// The engines that the tests of the seam run with.
enum Engine: String, CaseIterable, CustomTestStringConvertible {
    case memory
    case postgres
    case nats

    var testDescription: String { rawValue }

    /// Those with a server that can be killed.
    static let servers: [Engine] = [.postgres, .nats]

    /// A list that no other test uses, on a server that the tests share.
    func list(
        _ name: String = UUID().uuidString, maximumSnapshotBytes: Int = LogSnapshot.maximumBytes
    ) throws -> TestList {
        switch self {
        case .memory:
            let server = MemoryServer(maximumEntryBytes: 1 << 20, maximumSnapshotBytes: maximumSnapshotBytes)
            return TestList(engine: self, name: name) { MemoryLog(server) }
        case .postgres:
            let url = try SharedServers.postgres.get().url
            return TestList(engine: self, name: name) {
                var options = PostgresLog.Options()
                options.maximumEntryBytes = 1 << 20
                options.maximumSnapshotBytes = maximumSnapshotBytes
                options.pause = .seconds(60)
                return try PostgresLog(url: url, list: name, options: options)
            }
        case .nats:
            let url = try SharedServers.nats.get().url
            return TestList(engine: self, name: name) {
                var options = NATSLog.Options()
                options.maximumSnapshotBytes = maximumSnapshotBytes
                options.pause = .seconds(60)
                return try NATSLog(url: url, list: name, options: options)
            }
        }
    }

    /// A server of its own, which is killed when the test wants it.
    func server() throws -> any TestServer {
        switch self {
        case .memory: throw TestFailure("the engine in memory has no server")
        case .postgres: try PostgresServer()
        case .nats: try NATSServer()
        }
    }

    /// A connection to a server, which waits a short time for answers.
    func open(_ url: String, list: String, timeout: Duration = .seconds(5)) throws -> any SharedLog {
        switch self {
        case .memory: throw TestFailure("the engine in memory has no server")
        case .postgres:
            var options = PostgresLog.Options()
            options.connectTimeout = .seconds(2)
            options.timeout = timeout
            options.pause = .seconds(2)
            return try PostgresLog(url: url, list: list, options: options)
        case .nats:
            var options = NATSLog.Options()
            options.timeout = timeout
            options.pause = .seconds(2)
            return try NATSLog(url: url, list: list, options: options)
        }
    }
}

/// A list of a test, to which it can connect several times.
struct TestList: Sendable {
    let engine: Engine
    let name: String
    let open: @Sendable () throws -> any SharedLog
}

/// A server that a test can kill.
protocol TestServer: Sendable {
    var url: String { get }
    func start() throws
    func kill() throws
    func suspend(_ suspends: Bool)
    func end()
}

extension PostgresServer: TestServer {
    func start() throws { try start(with: []) }
}
extension NATSServer: TestServer {}

/// The servers that the tests share. They start when they are first used, and end with the process of the tests.
enum SharedServers {
    static let postgres = Result { try PostgresServer(settings: ["max_connections=300"]) }
    static let nats = Result { try NATSServer() }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Numbers that look random and are the same for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The seed of a test: `LISTORY_SEED`, or another one each time.
    static func seed() -> UInt64 {
        ProcessInfo.processInfo.environment["LISTORY_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1_000_000)
    }
}

extension LogPosition {
    /// Entries that follow this position.
    func entries(_ payloads: [[UInt8]]) -> [LogEntry] {
        var position = self
        return payloads.map { payload in
            let entry = LogEntry(after: position, payload: payload)
            position = entry.position
            return entry
        }
    }

    /// Entries with short texts.
    func entries(_ texts: String...) -> [LogEntry] { entries(texts.map { Array($0.utf8) }) }
}

extension SharedLog {
    /// Reads all entries after a number, in pieces, and checks that they are a chain from the beginning.
    func all(maximumBytes: Int = 1 << 20) async throws -> [LogEntry] {
        var result: [LogEntry] = []
        while true {
            let next = try await entries(after: UInt64(result.count), maximumBytes: maximumBytes)
            if next.isEmpty { break }
            result += next
        }
        try LogChain.verify(result, after: .beginning)
        return result
    }

    /// Appends payloads at the end, wherever that is: what a replica does, without its rebase. Returns the numbers.
    func add(_ payloads: [[UInt8]]) async throws -> [UInt64] {
        var end = try await self.end()
        while true {
            let entries = end.entries(payloads)
            switch try await append(entries, after: end) {
            case .appended: return entries.map(\.number)
            case .behind(let found): end = found
            }
        }
    }
}

/// Runs something until it does not throw, or the time is over.
func eventually<Result>(
    within seconds: Double = 20, _ body: () async throws -> Result
) async throws -> Result {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        do {
            return try await body()
        } catch {
            guard ContinuousClock.now < deadline else { throw error }
            try await Task.sleep(for: .milliseconds(30))
        }
    }
}

/// Counts how often a stream yields.
final class WakeUps: Sendable {
    private let count = Mutex(0)
    private let task: Task<Void, Never>

    init(_ stream: AsyncStream<Void>) {
        let (counted, continuation) = AsyncStream.makeStream(of: Void.self)
        task = Task {
            for await _ in stream { continuation.yield() }
            continuation.finish()
        }
        Task { [weak self] in
            for await _ in counted { self?.count.withLock { $0 += 1 } }
        }
    }

    deinit { task.cancel() }

    var total: Int { count.withLock { $0 } }

    /// Waits until there was none for a second.
    func settle() async throws {
        var before = -1
        while before != total {
            before = total
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Waits until there was another one since a total; throws after the time.
    func next(after total: Int, within seconds: Double) async throws {
        try await eventually(within: seconds) {
            guard self.total > total else { throw TestFailure("no wake-up within \(seconds) s") }
        }
    }
}
