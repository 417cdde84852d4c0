// How fast the engines append to one list and read it, and how fast replicas exchange commits, beside the client library of the server,
// used directly, with the same bytes in the same run. Servers are started on loopback with their files in the temporary folder.
//
//     sync-bench [--runs 5] [--quick] [--replicas] [--cluster] [postgres] [nats]
//
// With --replicas, the engines are not measured without them. With --cluster, the servers are those of `Tools/run cluster`: a PostgreSQL
// primary that waits for its standby, and three NATS servers that keep each stream; else one of each.

import Foundation
import LogServers
import NATSLog
import PostgresLog
import SharedLog

/// What is appended: so many entries with so many bytes, so many in one call.
struct Load: Sendable {
    let name: String
    let entries: Int
    let bytes: Int
    let batch: Int

    static let all = [
        Load(name: "100 bytes, 1000 at once", entries: 200_000, bytes: 100, batch: 1000),
        Load(name: "10,000 bytes, 100 at once", entries: 10_000, bytes: 10_000, batch: 100),
        Load(name: "100 bytes, one at a time", entries: 2000, bytes: 100, batch: 1),
    ]

    func smaller(by factor: Int) -> Load {
        Load(name: name, entries: max(batch, entries / factor), bytes: bytes, batch: batch)
    }

    /// The payloads of one call: different each time, and not compressible.
    func payloads(_ call: Int) -> [[UInt8]] {
        var state = UInt64(call) &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<batch).map { _ in
            [UInt8](unsafeUninitializedCapacity: bytes) { buffer, count in
                for index in 0..<bytes {
                    state ^= state << 13
                    state ^= state >> 7
                    state ^= state << 17
                    buffer[index] = UInt8(truncatingIfNeeded: state)
                }
                count = bytes
            }
        }
    }

    var calls: Int { entries / batch }
}

/// The client library of a server, used directly.
protocol RawClient {
    /// The name of a way to do it.
    var name: String { get }
    /// Stores the bytes of entries, as one call does.
    func append(_ entries: [LogEntry]) throws
    /// Reads all bytes, and returns how many there are.
    func readAll(maximumBytes: Int) throws -> Int
    /// Waits from now on for what other clients signal.
    func listen() throws
    /// As ``append(_:)`` of one entry; who listens is woken.
    func signal(_ entry: LogEntry) throws
    /// Waits for a signal, and reads the bytes of its entry.
    func next() throws -> [UInt8]
}

/// Makes a raw client for a list.
typealias MakeRawClient = @Sendable (_ list: String) throws -> any RawClient

@main
struct SyncBench {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isQuick = arguments.contains("--quick")
        arguments.removeAll { $0 == "--quick" }
        let isOnlyReplicas = arguments.contains("--replicas")
        arguments.removeAll { $0 == "--replicas" }
        let isCluster = arguments.contains("--cluster")
        arguments.removeAll { $0 == "--cluster" }
        var runs = isQuick ? 1 : 5
        if let index = arguments.firstIndex(of: "--runs"), index + 1 < arguments.count {
            runs = max(1, Int(arguments[index + 1]) ?? runs)
            arguments.removeSubrange(index...index + 1)
        }
        guard arguments.allSatisfy({ ["postgres", "nats"].contains($0) }) else {
            let usage = "sync-bench: [--runs NUMBER] [--quick] [--replicas] [--cluster] [postgres] [nats]\n"
            FileHandle.standardError.write(Data(usage.utf8))
            exit(64)
        }
        let loads = isOnlyReplicas ? [] : Load.all.map { isQuick ? $0.smaller(by: 100) : $0 }
        if arguments.isEmpty || arguments.contains("postgres") {
            let pair = isCluster ? try PostgresPair(isDurable: true) : nil
            let server = try pair?.primary ?? PostgresServer(isDurable: true)
            let clients: [MakeRawClient] = [false, true].map { copies in
                { try RawPostgres(server.url, table: $0, copies: copies) }
            }
            let open = { @Sendable list in try PostgresLog(url: server.url, list: list) }
            try await compare("PostgreSQL", loads, runs: runs, open: open, raw: clients)
            try await ReplicaBench(commits: isQuick ? 1_000 : 100_000, runs: runs, open: open, raw: clients).run()
            server.end()
            pair?.standby.end()
        }
        if arguments.isEmpty || arguments.contains("nats") {
            let cluster = isCluster ? try NATSCluster() : nil
            let servers = try cluster?.servers ?? [NATSServer()]
            let url = servers.map(\.url).joined(separator: ",")
            let address = url + "?replicas=\(servers.count)"
            try await waitForLeader(address)
            let clients: [MakeRawClient] = [(true, false), (true, true), (false, false)].map { isBatched, republishes in
                {
                    try RawNATS(
                        url, stream: $0 + "raw", replicas: servers.count, isBatched: isBatched, republishes: republishes
                    )
                }
            }
            let open = { @Sendable list in try NATSLog(url: address, list: list) }
            try await compare("NATS JetStream", loads, runs: runs, open: open, raw: [clients[0], clients[2]])
            try await ReplicaBench(commits: isQuick ? 1_000 : 100_000, runs: runs, open: open, raw: clients).run()
            for server in servers { server.end() }
        }
    }

    /// A cluster needs a moment to choose who leads it.
    private static func waitForLeader(_ address: String) async throws {
        let log = try NATSLog(url: address, list: "first")
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do {
                _ = try await log.end()
                return await log.close()
            } catch let error as SharedLogError {
                guard ContinuousClock.now < deadline else { throw error }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// The entries in a second of each run.
    private struct Rates {
        var appends: [Double] = []
        var reads: [Double] = []
    }

    private static func compare(
        _ title: String, _ loads: [Load], runs: Int, open: @Sendable (String) throws -> any SharedLog,
        raw: [MakeRawClient]
    ) async throws {
        if loads.isEmpty { return print(title) }
        print("\(title): entries a second, the median of \(runs) runs (the slowest to the fastest)\n")
        for load in loads {
            var engine = Rates()
            var others: [(name: String, rates: Rates)] = []
            for run in 0..<runs {
                let list = "bench\(UInt32.random(in: 0...UInt32.max))x\(run)"
                for (index, client) in try raw.map({ try $0(list) }).enumerated() {
                    if run == 0 { others.append((client.name, Rates())) }
                    try measure(load, client, &others[index].rates)
                }
                let log = try open(list)
                try await measure(load, log, &engine)
                await log.close()
            }
            print("\(load.name)")
            line("the engine", engine, beside: nil)
            for (name, rates) in others { line(name, rates, beside: engine) }
            print("")
        }
    }

    private static func measure(_ load: Load, _ client: any RawClient, _ rates: inout Rates) throws {
        var position = LogPosition.beginning
        var time = Duration.zero
        for call in 0..<load.calls {
            let payloads = load.payloads(call)
            // The engine's caller makes the entries too.
            time += try ContinuousClock().measure {
                let entries = follow(position, payloads)
                try client.append(entries)
                position = entries.last!.position
            }
        }
        rates.appends.append(Double(load.entries) / time.seconds)
        var bytes = 0
        let reading = try ContinuousClock().measure { bytes = try client.readAll(maximumBytes: 4 << 20) }
        guard bytes >= load.entries * load.bytes else { fatalError("\(client.name) has read \(bytes) bytes") }
        rates.reads.append(Double(load.entries) / reading.seconds)
    }

    private static func measure(_ load: Load, _ log: any SharedLog, _ rates: inout Rates) async throws {
        var position = LogPosition.beginning
        _ = try await log.end()
        var time = Duration.zero
        for call in 0..<load.calls {
            let payloads = load.payloads(call)
            time += try await ContinuousClock().measure {
                let entries = follow(position, payloads)
                guard try await log.append(entries, after: position) == .appended else { fatalError("another writer") }
                position = entries.last!.position
            }
        }
        rates.appends.append(Double(load.entries) / time.seconds)
        var count = 0
        let reading = try await ContinuousClock().measure {
            while true {
                let next = try await log.entries(after: UInt64(count), maximumBytes: 4 << 20)
                if next.isEmpty { break }
                count += next.count
            }
        }
        guard count == load.entries else { fatalError("the engine has read \(count) entries") }
        rates.reads.append(Double(load.entries) / reading.seconds)
    }

    private static func follow(_ position: LogPosition, _ payloads: [[UInt8]]) -> [LogEntry] {
        var position = position
        return payloads.map { payload in
            let entry = LogEntry(after: position, payload: payload)
            position = entry.position
            return entry
        }
    }

    private static func line(_ name: String, _ rates: Rates, beside engine: Rates?) {
        func text(_ values: [Double], _ ours: [Double]?) -> String {
            let sorted = values.sorted()
            let median = sorted[sorted.count / 2]
            var text = "\(rounded(median)) (\(rounded(sorted.first!))–\(rounded(sorted.last!)))"
            if let ours {
                let ratio = median / ours.sorted()[ours.count / 2]
                text += String(format: ", %.2f times the engine's", ratio)
            }
            return text
        }
        print(
            "  \(name.padding(toLength: 34, withPad: " ", startingAt: 0)) append \(text(rates.appends, engine?.appends))"
        )
        print("  \("".padding(toLength: 34, withPad: " ", startingAt: 0)) read   \(text(rates.reads, engine?.reads))")
    }

    private static func rounded(_ value: Double) -> String {
        let number = Int(value)
        let digits = String(number)
        // Three digits are as many as mean something.
        return digits.prefix(3) + String(repeating: "0", count: max(0, digits.count - 3))
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
