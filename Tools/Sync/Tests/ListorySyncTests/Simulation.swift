// Simulates devices that edit one list: everything that happens follows from a seed, in one task, with the shared log in memory.
//
// Always holds: a step ends before the next one begins, so a run can be repeated from its seed.

import Foundation
import ListModel
@_spi(Sync) import Listory
import ListorySync
import class MemoryLog.MemoryLog
import class MemoryLog.MemoryServer
import SharedLog
import Synchronization
import TestSupport

/// Devices that share a log.
final class Simulation {
    /// What happens in a run.
    struct Shape {
        var deviceCount = 3
        /// Of a hundred calls of the log, how many fail.
        var faultPercent = 10
        /// Whether stores take checkpoints and pack after a few commits.
        var isPacking = false
        /// Whether commits are sent before they are durable: a kill may lose them here.
        var isDeferred = false
        /// The rules of the devices, by their number.
        var rules: @Sendable (Int) -> [ListRule] = { _ in [] }
        var key: SyncKey?
        /// About how large lists become.
        var rowCount = 12
    }

    /// A device: its store, and its connection.
    final class Device {
        let number: Int
        let user: String
        let options: StoreOptions
        let folder: TemporaryFolder
        fileprivate(set) var path: String
        fileprivate(set) var store: UntypedStore
        fileprivate(set) var replica: Replica
        fileprivate var edits: RandomEdits
        fileprivate var isOffline = false
        fileprivate var isGrouping = false
        private var copies = 0

        fileprivate init(_ number: Int, _ shape: Shape, _ folder: TemporaryFolder, _ log: any SharedLog, seed: UInt64)
            throws
        {
            (self.number, self.folder, user) = (number, folder, "user \(number % 2)")
            var options = StoreOptions()
            (options.coalescing, options.undoScope, options.rules) = (.never, .origin, shape.rules(number))
            if shape.isPacking {
                options.checkpoints.isBackground = false
                options.checkpoints.interval = 8
                options.unpackedCount = 4
            }
            if shape.isDeferred {
                // Nothing is flushed in the background.
                (options.durability, options.deferredDelay) = (.deferred, .seconds(3600))
            }
            // The time stands still, and a step has its own.
            let time = Mutex<Int64>(Int64(number))
            options.now = {
                Timestamp(
                    microseconds: time.withLock {
                        $0 += 1_000; return $0
                    })
            }
            self.options = options
            path = folder.file("device\(number)")
            store = try UntypedStore.create(at: path, options: options)
            replica = try Device.join(store, log, shape)
            edits = RandomEdits(seed: seed, targetCount: shape.rowCount)
        }

        fileprivate static func join(_ store: UntypedStore, _ log: any SharedLog, _ shape: Shape) throws -> Replica {
            var options = Replica.Options()
            (options.batchBytes, options.key, options.snapshotBytes) = (1_000, shape.key, nil)
            return try Replica(store, log, list: "list", options: options)
        }

        /// Opens the store again, as it was left, or as a process that is killed now would leave it.
        fileprivate func restart(isKilled: Bool) throws {
            if isKilled {
                copies += 1
                let copy = folder.file("device\(number)-\(copies)")
                // The file may be written in the background meanwhile.
                repeat {
                    try? FileManager.default.removeItem(atPath: copy)
                    try FileManager.default.copyItem(atPath: path, toPath: copy)
                } while !FileManager.default.contentsEqual(atPath: path, andPath: copy)
                try store.close()
                try? FileManager.default.removeItem(atPath: path)
                path = copy
            } else {
                try store.close()
            }
            store = try UntypedStore.open(at: path, options: options)
            isGrouping = false
        }
    }

    /// Why a run went wrong.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: TemporaryFolder
    private let shape: Shape
    private(set) var server = MemoryServer()
    private(set) var generator: SeededGenerator
    private(set) var devices: [Device] = []
    private let faults: Faults
    /// The ids of the commits that were made.
    private var made: Set<[UInt8]> = []
    /// The ids of those that were not durable when their device was killed.
    private var unflushed: Set<[UInt8]> = []

    init(seed: UInt64, _ shape: Shape = Shape()) throws {
        folder = try TemporaryFolder.inMemory()
        self.shape = shape
        generator = SeededGenerator(seed: seed)
        faults = Faults(seed: seed ^ 1, shape.faultPercent)
        for number in 0..<shape.deviceCount {
            devices.append(try Device(number, shape, folder, connection(), seed: seed &+ UInt64(number)))
        }
    }

    deinit {
        // A store that waits to flush commits keeps itself.
        for device in devices { try? device.store.close() }
    }

    private func connection() -> any SharedLog {
        MemoryLog(server) { [faults] call in faults.next(call) }
    }

    /// What goes wrong in calls of the log.
    private final class Faults: Sendable {
        private let state: Mutex<(generator: SeededGenerator, percent: Int)>

        init(seed: UInt64, _ percent: Int) { state = Mutex((SeededGenerator(seed: seed), percent)) }

        func setPercent(_ percent: Int) { state.withLock { $0.percent = percent } }

        func next(_ call: MemoryLog.Call) -> MemoryLog.Fault? {
            state.withLock { state in
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
        for step in 0..<steps {
            let device = devices[Int.random(in: 0..<devices.count, using: &generator)]
            do { try await act(device, step) } catch SharedLogError.unavailable {} catch {
                throw Failure(description: "step \(step) of device \(device.number): \(error)")
            }
        }
    }

    private func act(_ device: Device, _ step: Int) async throws {
        let store = device.store
        switch Int.random(in: 0..<24, using: &generator) {
        case 0..<10:
            let operation = device.edits.next(try ReferenceList(store.snapshot, store.source))
            try make { try store.edit("\(device.number).\(step)", origin: device.user) { try $0.apply(operation) } }
        case 10, 11: try make { try store.undo(origin: device.user, onConflict: policy()).commit }
        case 12: try make { try store.redo(origin: device.user, onConflict: policy()).commit }
        case 13 where try store.version > .empty:
            let version = UInt64.random(in: 1...(try store.version.rawValue), using: &generator)
            try make { try store.revert(Version(version), origin: device.user, onConflict: .skip).commit }
        case 14:
            if device.isGrouping {
                try store.endGroup(origin: device.user)
            } else {
                try store.beginGroup(origin: device.user)
            }
            device.isGrouping.toggle()
        case 15: device.isOffline.toggle()
        case 16:
            let confirmed = device.store.confirmed
            let isKilled = Bool.random(using: &generator)
            if isKilled {
                for number in store.durableVersion.rawValue..<(try store.version.rawValue) {
                    unflushed.insert(try Simulation.id(store.commit(Version(number + 1))))
                }
            }
            try device.restart(isKilled: isKilled)
            // A killed device may not know any more what was confirmed just before: then it sends that again, and notices no loss.
            if device.store.confirmed != confirmed { isNoticed = true }
            try rejoin(device)
        default:
            if !device.isOffline { try await synchronize(device) }
        }
    }

    /// Exchanges, and does what an operator would do when the log is wrong.
    private func synchronize(_ device: Device) async throws {
        do { try await device.replica.synchronize() } catch SyncProblem.forked(let number) {
            isNoticed = true
            try device.store.close()
            try Replica.retreat(storeAt: device.path, after: number, options: device.options)
            device.store = try UntypedStore.open(at: device.path, options: device.options)
            device.isGrouping = false
            try rejoin(device)
            try await device.replica.synchronize()
        } catch  where isBroken(error) {
            try await replaceLog(after: error)
            try await synchronize(device)
        }
    }

    /// Another log takes the place of one that cannot be used any more. The device that knows the most of it fills it first: one that was
    /// killed may know nothing any more, and would begin another list.
    private func replaceLog(after problem: any Error) async throws {
        replacedCount += 1
        guard replacedCount < 10 else {
            throw Failure(
                description: "each log that takes its place is broken, too, after \(lie ?? "a lie"): \(problem)")
        }
        isNoticed = true
        server = MemoryServer()
        for device in devices { try rejoin(device) }
        try await synchronize(devices.max { $0.store.confirmed!.version < $1.store.confirmed!.version }!)
    }

    /// Connects a device anew.
    private func rejoin(_ device: Device) throws {
        if !device.replica.state.repairs.isEmpty { isNoticed = true }
        device.replica = try Device.join(device.store, connection(), shape)
    }

    private func isBroken(_ error: any Error) -> Bool {
        switch error {
        case SharedLogError.damaged, SharedLogError.futureFormat, SyncProblem.otherLog, SyncProblem.unacceptable,
            SyncProblem.wrongKey, SyncProblem.differs, SyncProblem.lost:
            isLying
        default: false
        }
    }

    private var isLying = false
    /// How often another log has taken the place of one.
    private var replacedCount = 0
    /// What the log lied about.
    private var lie: String?
    /// Whether the devices have all that is needed to go on with the same log.
    private var canBeHealed = false
    /// The ids of the commits that all devices had before, without those of which nothing is left.
    private var shared: Set<[UInt8]> = []
    /// Whether somebody noticed it, besides those who have repaired the log.
    private var isNoticed = false

    /// Changes what the server has. Each device has some of the log before, so none takes it for a log that it has never seen.
    func lie() async throws {
        setFaults(0)
        isLying = true
        let device = devices[Int.random(in: 0..<devices.count, using: &generator)]
        // The second time, the first ones learn what the last ones have sent.
        for device in devices + devices { try await device.replica.synchronize() }
        shared = Set(try commits(of: device).filter { try Simulation.reason($0) == nil }.map(Simulation.id))
        guard server.count > 1 else { return }
        var number = UInt64.random(in: 1...server.count, using: &generator)
        let kind = Int.random(in: 0..<7, using: &generator)
        switch kind {
        case 0: server.truncate(to: number - 1)
        case 1: server.flipBit(Int.random(in: 0..<10_000, using: &generator), of: number)
        case 2: server.replace(number, payload: [1] + Array("no record".utf8), link: 0)
        case 3: server.replace(number, bytes: [])
        case 4:
            // Rolled back, and gone on from there.
            server.truncate(to: number - 1)
            for other in devices where other !== device {
                try make { try other.store.edit("after the loss", origin: other.user) { try $0.reload([]) } }
                try await synchronize(other)
            }
        case 5:
            // Rolled back, and gone on from there by a device that has nothing of what is lost, so that the log forks.
            number = max(number, 2)
            server.truncate(to: number - 1)
            let new = try Device(devices.count, shape, folder, connection(), seed: generator.next())
            devices.append(new)
            try await synchronize(new)
            if Bool.random(using: &generator) {
                try make { try new.store.edit("after the loss", origin: new.user) { try $0.reload([]) } }
            } else {
                try fill(new)
            }
            try await synchronize(new)
        default:
            // The log of another list.
            let other = try Simulation(seed: generator.next())
            try await other.run(steps: 10)
            try await other.settle()
            server = other.server
            // A device that forgot what is confirmed, because it is killed, would take it for its own.
            for device in devices {
                try device.restart(isKilled: false)
                try rejoin(device)
            }
        }
        try await synchronize(device)
        // What an exchange does not read, a verification does.
        do { _ = try await device.replica.verifyLog() } catch  where isBroken(error) {
            try await replaceLog(after: error)
        }
        lie = "lie \(kind) at \(number)"
        canBeHealed = [0, 4, 5].contains(kind)
    }

    /// Inserts so many rows that what comes back breaks rules.
    private func fill(_ device: Device) throws {
        for number: Int64 in 1...8 {
            try make {
                try device.store.edit("after the loss", origin: device.user) { list in
                    if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: 0)) }
                    let section = list.state.sectionID(at: 0)!
                    let row = NewRow(id: .integer(1_000_000 + number), content: [1])
                    try list.insert(row, at: .end(ofSection: section))
                }
            }
        }
    }

    private func policy() -> ConflictPolicy { [.refuse, .skip, .mine].randomElement(using: &generator)! }

    /// Makes a commit, unless the store refuses it.
    func make(_ body: () throws -> Commit?) throws {
        do {
            guard let commit = try body() else { return }
            made.insert(try Simulation.id(commit))
        } catch let error as ListError where error.isRejection {}
    }

    private static func id(_ commit: Commit) throws -> [UInt8] {
        guard let id = try commit.annotation(named: CommitAnnotation.identifier) else {
            throw Failure(description: "\(commit) has no id")
        }
        return id
    }

    /// Why nothing is left of a commit; nil if something is.
    private static func reason(_ commit: Commit) throws -> String? {
        try commit.annotation(named: CommitAnnotation.lostRace).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The commits of the log, from a device that has all of them.
    private func commits(of device: Device) throws -> [Commit] {
        try (0..<server.count).map { try device.store.commit(Version($0 + 1)) }
    }

    /// Ends the connections, so that no more faults happen.
    func setFaults(_ percent: Int) { faults.setPercent(percent) }

    /// Connects all devices without faults, exchanges everything, and compares them with each other, and the log with what was made.
    func settle() async throws {
        setFaults(0)
        // The second time, the first ones learn what the last ones have sent; after a loss, another time.
        for _ in 0..<(isLying ? 4 : 2) { for device in devices { try await synchronize(device) } }
        if let lie, !isNoticed, devices.allSatisfy(\.replica.state.repairs.isEmpty) {
            throw Failure(description: "nobody noticed \(lie)")
        }
        if let lie, canBeHealed, replacedCount > 0 {
            throw Failure(description: "another log took the place of one that could be healed, after \(lie)")
        }
        let first = try ReferenceList(devices[0].store.snapshot, devices[0].store.source)
        for device in devices {
            let pending = try device.store.pendingCount
            guard pending == 0 else {
                throw Failure(description: "device \(device.number) has \(pending) commits that wait")
            }
            let version = try device.store.version
            guard version.rawValue == server.count else {
                throw Failure(
                    description: "device \(device.number) is at version \(version), the log at \(server.count)")
            }
            guard try ReferenceList(device.store.snapshot, device.store.source) == first else {
                throw Failure(description: "device \(device.number) shows other rows than device 0")
            }
        }
        let commits = try commits(of: devices[0])
        let ids = try commits.map(Simulation.id)
        guard Set(ids).count == ids.count else { throw Failure(description: "a commit is in the log twice") }
        let there = Set(ids)
        guard there.isSubset(of: made), made.subtracting(there).isSubset(of: unflushed) else {
            throw Failure(description: "the log has \(ids.count) commits, and \(made.count) were made")
        }
        guard canBeHealed else { return }
        for (id, commit) in zip(ids, commits) where shared.contains(id) {
            if let reason = try Simulation.reason(commit), reason.contains("the rule") {
                throw Failure(description: "\(commit) is given up, and was confirmed: \(reason)")
            }
        }
    }

    /// Closes the stores, and verifies each file.
    func verify() throws {
        for device in devices {
            try device.store.close()
            _ = try StoreVerification(path: device.path)
        }
    }
}
