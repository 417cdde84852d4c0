// The process table: a file beside the store in which the processes that have it open tell each other where the log ends
// and which checkpoints they need.
//
// The file has a header and a slot for each process. `Docs/Design/FileFormat.md` has the bytes, `Docs/Design/Processes.md`
// says what for.
//
// Always holds:
// - a process owns a slot as long as it holds the lock on one byte of the file, which the system releases when it ends;
// - the header, and a slot when it gets a lease, are written by a process that holds the writer's lock;
// - the head in the header is durable in the log, and never becomes older;
// - the file is open once in a process, because closing it drops all of the process's locks on it.

import LMDB
import ListModel

/// What this process knows of the others that have a store open, and tells them.
final class ProcessTable: EnvironmentCompanion {
    /// The end of the log, as the header states it.
    struct Published: Equatable, Sendable {
        /// The end of the log; all of it is durable.
        var head = LogPosition()
        /// The version up to which the log is durable in the database, and not only in the journal.
        var stored = Version.empty
    }

    /// What a process has a store open for.
    enum Purpose: UInt32 {
        case editing = 1
        case reading = 2
        /// Appending what others made.
        case following = 3
    }

    /// Another process that has the store open.
    struct Neighbour: Sendable {
        let processID: Int32
        /// Nil if it has just joined.
        let purpose: Purpose?
        let leases: ProcessLeases

        var isAppending: Bool { purpose != .reading }
    }

    /// Whether another process had a slot when the slots were last looked at.
    ///
    /// Threads look at the slots at the same time, and may note what they found in another order. An older look must not hide
    /// a process that has joined since: this one would no longer tell it of commits.
    struct Company {
        /// The number of joins that the header counted before the slots were looked at.
        private var generation: UInt64 = 0
        private var hasNeighbours = false

        /// Whether another process is there; nil if one has joined since.
        func isThere(at generation: UInt64) -> Bool? { self.generation == generation ? hasNeighbours : nil }

        /// Notes whether a look at the slots has found one.
        mutating func note(_ isFound: Bool, at generation: UInt64) {
            if generation < self.generation { return }
            // Those that have left do not come back without joining.
            hasNeighbours = isFound && (generation > self.generation || hasNeighbours)
            self.generation = generation
        }
    }

    private struct State: Sendable {
        var company = Company()
        /// The leases for this process's slot, by who needs them.
        var leases: [(owner: ObjectIdentifier, needs: Needs)] = []
        /// Whether the slot has them; if writing it has failed, it may have anything.
        var isSlotWritten = true
        var watch: FileWatch?
        /// The functions to call when the table was written to.
        var listeners: [(number: Int, body: @Sendable () -> Void)] = []
        var nextListener = 0
        /// Whether the end of the log that a crashed process may have left in the system's cache must be written again.
        var mustRecover = false
        var isClosed = false

        var allLeases: ProcessLeases {
            var versions: [Version] = []
            var located: Version?
            for entry in leases {
                versions += entry.needs.versions
                if let other = entry.needs.located { located = min(located ?? other, other) }
            }
            return ProcessLeases(versions, located: located)
        }
    }

    /// The checkpoints that a part of this process needs.
    struct Needs: Sendable {
        /// Their versions.
        var versions: [Version] = []
        /// The oldest of which it needs the locators as well.
        var located: Version?
    }

    private let descriptor: Int32
    private let path: String
    /// The index of this process's slot.
    private let slot: Int
    private let purpose: Purpose
    private let state = Locked(State())

    /// Whether a process that edited has ended without closing the store. What it wrote last may be in the system's cache and not on
    /// the device.
    let followsCrash: Bool

    private init(_ descriptor: Int32, _ path: String, slot: Int, _ purpose: Purpose, followsCrash: Bool) {
        (self.descriptor, self.path, self.slot, self.purpose) = (descriptor, path, slot, purpose)
        self.followsCrash = followsCrash
    }

    /// The errors of a table that this process may not write.
    private static let refusals: [LMDBError.Code] = [.accessDenied, .notPermitted, .readOnlyFileSystem]

    /// The file beside that of a store.
    static func path(of store: String) -> String { store + "-processes" }

    /// Joins the processes that have a store open; several stores of this process that share an open file share the slot.
    ///
    /// - Returns: nil if the store is only read and the table may not be written, as in an app's bundle.
    /// - Throws: ``ListError/tooManyProcesses(limit:)``; `LMDBError`.
    static func join(_ environment: Environment, isFollower: Bool = false) throws -> ProcessTable? {
        try environment.companion {
            guard environment.isLocked else { return nil }
            let path = path(of: environment.path)
            guard let descriptor = Platform.openShared(path, mode: environment.options.fileMode) else {
                let error = LMDBError(code: Platform.lastError, in: "open", detail: path)
                // A process that edits without the table would not be heard, and would free what others read from.
                guard environment.options.isReadOnly, let code = error.code, refusals.contains(code) else {
                    throw error
                }
                return nil
            }
            do {
                return try environment.whileNobodyWrites {
                    try ProcessTable(
                        joining: descriptor, path,
                        environment.options.isReadOnly ? .reading : isFollower ? .following : .editing)
                }
            } catch {
                Platform.close(descriptor)
                throw error
            }
        }
    }

    private convenience init(joining descriptor: Int32, _ path: String, _ purpose: Purpose) throws {
        // Zeros that are written, so that there is space on the disk for all slots.
        let size = Platform.size(path)
        if size < TableFormat.size {
            try TableFormat.put([UInt8](repeating: 0, count: TableFormat.size - size), descriptor, at: size, path)
        }
        // What is left of processes that have ended means nothing, but that they have not closed the store.
        if TableFormat.holders(descriptor).isEmpty {
            try TableFormat.put([UInt8](repeating: 0, count: TableFormat.headerSize), descriptor, at: 0, path)
        }
        // The bytes first: a process that crashes meanwhile is noticed.
        let bytes = try TableFormat.withBytes(descriptor, at: 0, TableFormat.size, path) { Array($0) }
        let holders = TableFormat.holders(descriptor)
        let crashed = (0..<TableFormat.slotCount).filter { slot in
            let purpose = TableFormat.slot(slot, in: bytes)?.purpose ?? 0
            return purpose != 0 && purpose != Purpose.reading.rawValue && holders[slot] == nil
        }
        // A process that only reads leaves the mark to the next one that edits.
        let slots = (0..<TableFormat.slotCount).filter { !crashed.contains($0) } + crashed
        let free = slots.first { slot in
            Platform.setByteLock(descriptor, at: TableFormat.firstLock + slot, isTaken: true)
        }
        guard let free else { throw ListError.tooManyProcesses(limit: TableFormat.slotCount) }
        self.init(descriptor, path, slot: free, purpose, followsCrash: !crashed.isEmpty)
        try putSlot(ProcessLeases([], located: nil))
        // If this process crashes from here on, its own slot is the mark.
        if purpose != .reading {
            state.withLock { $0.mustRecover = followsCrash }
            for slot in crashed where slot != free {
                let zeros = [UInt8](repeating: 0, count: TableFormat.slotSize)
                try TableFormat.put(zeros, descriptor, at: TableFormat.offset(ofSlot: slot), path)
            }
        }
        var header = try self.header()
        // Whoever may write the file may have put any number there. 0 is that of a process that has not looked yet.
        header.generation = max(1, header.generation &+ 1)
        try put(header)
    }

    /// Leaves the table.
    func close() {
        let (watch, mustRecover) = state.withLock { state in
            defer { state.watch = nil }
            state.isClosed = true
            state.listeners = []
            return (state.watch, state.mustRecover)
        }
        watch?.cancel()
        // If opening failed before that, the slot tells the next process what the slot of the crashed one has told this one.
        if !mustRecover {
            // If this fails, the next opening takes a little longer.
            let zeros = [UInt8](repeating: 0, count: TableFormat.slotSize)
            try? TableFormat.put(zeros, descriptor, at: TableFormat.offset(ofSlot: slot), path)
        }
        Platform.close(descriptor)
    }

    /// Notes that the end of the log is durable, whatever a crashed process has left.
    func noteRecovery() { state.withLock { $0.mustRecover = false } }
}

// MARK: - The end of the log

extension ProcessTable {
    private func header() throws -> TableFormat.Header {
        // A write that is under way may be seen in part.
        for _ in 0..<100 {
            let header = try TableFormat.withBytes(descriptor, at: 0, TableFormat.headerSize, path) {
                TableFormat.Header($0)
            }
            if let header { return header }
        }
        throw ListError.headMismatch(what: "process table", expected: "a header with its checksum", found: "another")
    }

    private func put(_ header: TableFormat.Header) throws {
        try TableFormat.put(header.bytes, descriptor, at: 0, path)
    }

    /// Whether another process has the store open. The writer's lock is held.
    private func hasNeighbours(_ header: TableFormat.Header) throws -> Bool {
        if let known = state.withLock({ $0.company.isThere(at: header.generation) }) { return known }
        return try !neighbours().isEmpty
    }

    /// Says where the log ends, if other processes want to know. The writer's lock is held.
    func publish(_ end: Published) throws {
        var header = try header()
        guard try hasNeighbours(header) else { return }
        // A replica replaces commits by as many.
        let isNews = end.head.version >= header.end.head.version && end.head != header.end.head
        guard isNews || end.stored > header.end.stored else { return }
        if isNews { header.end.head = end.head }
        header.end.stored = max(end.stored, header.end.stored)
        try put(header)
    }

    /// Where the log ends, as the last process said that appended to it; nil if none has while another was there.
    func published() throws -> Published? {
        let end = try header().end
        return end.head.version == .empty ? nil : end
    }
}

// MARK: - Other processes

extension ProcessTable {
    /// Whether another process has the store open.
    var isShared: Bool { !TableFormat.holders(descriptor).isEmpty }

    /// The other processes that have the store open.
    func neighbours() throws -> [Neighbour] {
        let bytes = try TableFormat.withBytes(descriptor, at: 0, TableFormat.size, path) { Array($0) }
        let found = try TableFormat.holders(descriptor).sorted { $0.key < $1.key }.map { index, holder in
            // A process that has just joined has leased nothing.
            let slot = try TableFormat.slot(index, in: bytes) ?? writtenSlot(index)
            return Neighbour(
                processID: holder, purpose: slot.flatMap { Purpose(rawValue: $0.purpose) },
                leases: slot?.leases ?? ProcessLeases([], located: nil))
        }
        // Of the same bytes as the slots: a process that has joined since has not been looked for. A header that is being
        // written says nothing.
        if let generation = TableFormat.header(in: bytes)?.generation {
            state.withLock { $0.company.note(!found.isEmpty, at: generation) }
        }
        return found
    }

    /// The slot of a process that was being written when it was read, because leases may end at any time; nil if it is empty.
    private func writtenSlot(_ index: Int) throws -> TableFormat.Slot? {
        for _ in 0..<100 {
            let slot = try TableFormat.withBytes(
                descriptor, at: TableFormat.offset(ofSlot: index), TableFormat.slotSize, path
            ) { TableFormat.Slot($0) }
            if let slot { return slot }
        }
        return nil
    }

    /// Sets the checkpoints that a part of this process needs. If one of them is new, the writer's lock is held, and the caller checks
    /// afterwards that it is still there.
    ///
    /// - Parameter needs: returns them. It is called, and the slot is written, under a lock, so that no older set replaces a newer one.
    func setLeases(of owner: AnyObject, _ needs: () -> Needs) throws {
        try state.withLock { state in
            if state.isClosed { return }
            let needs = needs()
            let before = state.allLeases
            state.leases = state.leases.filter { $0.owner != ObjectIdentifier(owner) }
            if !needs.versions.isEmpty { state.leases.append((ObjectIdentifier(owner), needs)) }
            let after = state.allLeases
            if before == after && state.isSlotWritten { return }
            state.isSlotWritten = false
            try putSlot(after)
            state.isSlotWritten = true
        }
    }

    private func putSlot(_ leases: ProcessLeases) throws {
        let slot = TableFormat.Slot(purpose: purpose.rawValue, leases: leases)
        try TableFormat.put(slot.bytes, descriptor, at: TableFormat.offset(ofSlot: self.slot), path)
    }

    /// Takes the checkpoint role; whether this process has it now.
    func takeRole() -> Bool { setRole(isTaken: true) }

    /// Gives up the checkpoint role.
    func giveUpRole() { _ = setRole(isTaken: false) }

    /// Whether it could be done. The descriptor of a closed table may be that of another file.
    private func setRole(isTaken: Bool) -> Bool {
        state.withLock { state in
            !state.isClosed && Platform.setByteLock(descriptor, at: TableFormat.roleLock, isTaken: isTaken)
        }
    }

    /// Calls `body` when another process may have appended, until the listener is removed.
    func listen(_ body: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.listeners.append((state.nextListener, body))
            if state.watch == nil && !state.isClosed {
                state.watch = FileWatch(path, descriptor) { [weak self] in self?.tell() }
            }
            return state.nextListener
        }
    }

    func removeListener(_ number: Int) { state.withLock { $0.listeners = $0.listeners.filter { $0.number != number } } }

    private func tell() {
        let bodies = state.withLock { $0.listeners.map(\.body) }
        for body in bodies { body() }
    }
}
