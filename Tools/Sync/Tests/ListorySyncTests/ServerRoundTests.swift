// Tests replicas as processes with real servers: while they edit, replicas are killed and restarted, and servers too. At the end all have the
// same rows, and each commit that was made is in the log once.

import Foundation
import ListModel
import Listory
import ListorySync
import LogServers
import SharedLog
import SharedLogs
import TestSupport
import Testing

@Suite("Replicas as processes, with real servers", .serialized)
struct ServerRoundTests {
    /// A process of a replica, or one that edits beside it.
    private final class Device {
        let name: String
        private let arguments: [String]
        private var process: Process?

        init(_ name: String, store: String, folder: TemporaryFolder, url: String?) {
            self.name = name
            arguments =
                [name, folder.file(store), folder.file(""), "\(UInt64.random(in: 0..<1 << 40))"]
                + (url.map { [$0, "list"] } ?? [])
        }

        func start() throws {
            let process = Process()
            process.executableURL = Bundle.main.bundleURL.appending(path: "ReplicaDevice")
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            try starting.withLock { _ in try process.run() }
            self.process = process
        }

        var isRunning: Bool { process?.isRunning ?? false }

        func kill() {
            guard let process else { return }
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            self.process = nil
        }
    }

    /// Servers of which one at a time is killed.
    private struct Servers {
        var url: String
        /// Kills a server, and sees to it that the log goes on.
        var disturb: (Int) throws -> Void
        var end: () -> Void
    }

    private func servers(_ engine: String) throws -> Servers {
        if engine == "nats" {
            let cluster = try NATSCluster()
            return Servers(url: cluster.url + "?replicas=3") { number in
                let server = cluster.servers[number % 3]
                try server.kill()
                try server.start()
            } end: {
                for server in cluster.servers { server.end() }
            }
        }
        let pair = try PostgresPair()
        return Servers(url: pair.url) { number in
            // The first times, the primary comes back; then the standby takes over for good.
            if number < 3 {
                try pair.primary.kill()
                try pair.primary.start(with: ["synchronous_standby_names=standby1"])
            } else if number == 3 {
                try pair.primary.kill()
                try pair.standby.promote()
            } else {
                try pair.standby.kill()
                try pair.standby.start(with: [])
            }
        } end: {
            pair.end()
        }
    }

    @Test(
        "A hundred disturbances: replicas and servers are killed; all converge, and no commit is lost or doubled",
        arguments: ["postgres", "nats"])
    func rounds(engine: String) async throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let servers = try servers(engine)
        defer { servers.end() }
        var devices = (0..<5).map { Device("device\($0)", store: "store\($0)", folder: folder, url: servers.url) }
        defer { for device in devices { device.kill() } }
        for device in devices { try device.start() }
        try await Task.sleep(for: .seconds(2))
        // A process that edits the first store, beside the one that follows the log.
        devices.append(Device("editor", store: "store0", folder: folder, url: nil))
        try devices[5].start()
        var serverCount = 0
        for round in 0..<100 {
            if round % 12 == 11 {
                try servers.disturb(serverCount)
                serverCount += 1
                try await Task.sleep(for: .milliseconds(1_000))
            } else {
                let device = devices[Int.random(in: 0..<devices.count, using: &generator)]
                #expect(device.isRunning, "seed \(seed), round \(round): \(device.name) had ended")
                device.kill()
                try await Task.sleep(for: .milliseconds(Int.random(in: 0..<200, using: &generator)))
                try device.start()
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<150, using: &generator)))
        }
        try Data().write(to: URL(filePath: folder.file("settle")))
        func state(_ number: Int) -> String? {
            try? String(contentsOfFile: folder.file("device\(number).state"), encoding: .utf8)
        }
        let settling = ContinuousClock.now
        let deadline = settling + .seconds(90)
        var states: [String?] = []
        repeat {
            try await Task.sleep(for: .milliseconds(200))
            states = (0..<5).map(state)
        } while (states.contains(nil) || Set(states).count > 1) && ContinuousClock.now < deadline
        #expect(states[0] != nil && Set(states).count == 1, "seed \(seed): \(states)")
        print("\(engine): settled after \(ContinuousClock.now - settling)")
        for device in devices { device.kill() }
        // What was acknowledged is in the log, once.
        var made: Set<String> = []
        for device in devices {
            let text = try String(contentsOfFile: folder.file("\(device.name).made"), encoding: .utf8)
            made.formUnion(text.split(separator: "\n").map { "\(device.name) \($0)" })
        }
        let store = try UntypedStore.open(at: folder.file("store1"))
        var ids: [String] = []
        for number in 1...(try store.version.rawValue) {
            guard let id = try store.commit(Version(number)).annotation(named: CommitAnnotation.identifier) else {
                continue
            }
            ids.append(id.map { String($0, radix: 16) }.joined(separator: "."))
        }
        #expect(Set(ids).count == ids.count, "seed \(seed): a commit is in the log twice")
        let there = Set(ids)
        let lost = made.filter { !there.contains($0.split(separator: " ")[1].description) }
        #expect(lost.isEmpty, "seed \(seed): of \(made.count) commits, these are lost")
        #expect(made.count > 100)
        try store.close()
        Soak.count(100)
    }
}
