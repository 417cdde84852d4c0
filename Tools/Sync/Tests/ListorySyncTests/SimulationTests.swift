// Simulates devices that edit one list: everything that happens follows from a seed, in one task, with the shared log in memory.
//
// Always holds: a step ends before the next one begins, so a run can be repeated from its seed.

import ListModel
import Listory
import ListorySync
import MemoryLog
import SharedLog
import Synchronization
import TestSupport
import Testing

/// Devices that share a log.
final class Simulation {
    /// A device: its store, and its connection.
    final class Device {
        let path: String
        let user: String
        var options: StoreOptions
        var store: UntypedStore
        var replica: Replica
        var edits: RandomEdits
        /// Whether it has no connection.
        var isOffline = false

        fileprivate init(path: String, user: String, _ options: StoreOptions, _ log: any SharedLog, seed: UInt64) throws {
            (self.path, self.user, self.options) = (path, user, options)
            store = try UntypedStore.create(at: path, options: options)
            replica = try Replica(store, log)
            edits = RandomEdits(seed: seed)
        }

        /// Opens the store again, as a device does that was switched off.
        fileprivate func restart(_ log: any SharedLog) throws {
            try store.close()
            store = try UntypedStore.open(at: path, options: options)
            replica = try Replica(store, log)
        }
    }

    /// Why a run went wrong.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: TemporaryFolder
    private let server = MemoryServer()
    private var generator: SeededGenerator
    private(set) var devices: [Device] = []
    /// Of a hundred calls of the log, how many fail.
    private let faults: Mutex<(generator: SeededGenerator, percent: Int)>

    init(seed: UInt64, deviceCount: Int, faults percent: Int) throws {
        folder = try TemporaryFolder.inMemory()
        generator = SeededGenerator(seed: seed)
        faults = Mutex((SeededGenerator(seed: seed ^ 1), percent))
        for number in 0..<deviceCount {
            var options = StoreOptions()
            (options.durability, options.coalescing, options.undoScope) = (.deferred, .never, .origin)
            // The time stands still, and a step has its own.
            let time = Mutex<Int64>(Int64(number))
            options.now = { Timestamp(microseconds: time.withLock { $0 += 1_000; return $0 }) }
            devices.append(
                try Device(
                    path: folder.file("device\(number)"), user: "user \(number % 2)", options, connection(),
                    seed: seed &+ UInt64(number)))
        }
    }

    private func connection() -> MemoryLog {
        MemoryLog(server) { [unowned self] call in
            faults.withLock { state in
                guard Int.random(in: 0..<100, using: &state.generator) < state.percent else { return nil }
                switch Int.random(in: 0..<4, using: &state.generator) {
                case 0: return .requestLost
                case 1: return .answerLost
                case 2: return .partial(Int.random(in: 0...3, using: &state.generator))
                default:
                    // A read from a server that is a little behind.
                    if case .entries(let number) = call { return .stale(number + 1) }
                    return .requestLost
                }
            }
        }
    }

    /// Makes so many steps, of any device.
    func run(steps: Int) async throws {
        for _ in 0..<steps {
            let device = devices[Int.random(in: 0..<devices.count, using: &generator)]
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<9:
                let operation = device.edits.next(ReferenceList(try device.store.snapshot, device.store.source))
                _ = try? device.store.edit("Edit", origin: device.user) { try $0.apply(operation) }
            case 9, 10: _ = try? device.store.undo(origin: device.user)
            case 11: _ = try? device.store.redo(origin: device.user)
            case 12: device.isOffline.toggle()
            case 13: try device.restart(connection())
            default:
                if device.isOffline { continue }
                do { try await device.replica.synchronize() } catch SharedLogError.unavailable {}
            }
        }
    }

    /// Connects all devices without faults, exchanges everything, and compares them.
    func settle() async throws {
        faults.withLock { $0.percent = 0 }
        for _ in 0..<2 { for device in devices { try await device.replica.synchronize() } }
        let first = ReferenceList(try devices[0].store.snapshot, devices[0].store.source)
        for (number, device) in devices.enumerated() {
            let pending = try device.store.pendingCount
            guard pending == 0 else { throw Failure(description: "device \(number) has \(pending) commits that wait") }
            let version = try device.store.version
            guard version.rawValue == server.count else {
                throw Failure(description: "device \(number) is at version \(version), the log at \(server.count)")
            }
            guard try ReferenceList(device.store.snapshot, device.store.source) == first else {
                throw Failure(description: "device \(number) shows other rows than device 0")
            }
        }
    }
}

@Suite("Devices that share a list")
struct SimulationTests {
    @Test("Three devices and thirty steps: of 120 seeds, none ends with different lists, and none stops")
    func threeDevices() async throws {
        let seed = Soak.seed
        for run in 0..<120 as Range<UInt64> {
            do {
                let simulation = try Simulation(seed: seed &+ run &* 1_000, deviceCount: 3, faults: 10)
                try await simulation.run(steps: 30)
                try await simulation.settle()
            } catch {
                Issue.record(error, "seed \(seed), run \(run)")
                return
            }
        }
    }
}
