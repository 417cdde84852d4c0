// Decides which transactions may use the environment's map now, and keeps read handles for reuse.
//
// LMDB crashes the process if its map changes during a live transaction, and blocks forever if a thread begins a second
// write transaction. So every transaction first enters the gate.
//
// Always holds: a map is changed only while no transaction of this process is live; at most one write transaction is
// live; spare handles are reset.

/// Counts live transactions, lets none begin while the map changes, and pools read handles.
///
/// `@unchecked Sendable`: every mutable property is read and written with `monitor` locked.
final class TransactionGate: @unchecked Sendable {
    private let monitor = Monitor()
    private let spareLimit: Int
    private var spare: [OpaquePointer] = []
    private var readers = 0
    /// Idle read transactions: the map may change, the environment must stay.
    private var parked = 0
    private var writer: UInt?
    /// The thread that has the lock on the data file, or waits for other processes to release it. It need not be in a
    /// transaction.
    private var fileOwner: UInt?
    /// How often it has it.
    private var fileDepth = 0
    /// Why writing is no longer possible.
    private var writerLoss: LMDBError.Kind?
    private var isExclusive = false
    private var isClosed = false
    private var isMapLost = false

    /// - Parameter spareLimit: How many read handles, each with a slot in the reader table, are kept for reuse.
    init(spareLimit: Int) {
        self.spareLimit = spareLimit
        spare.reserveCapacity(spareLimit)
    }

    /// Live transactions, readers and the writer.
    private var live: Int { readers + (writer == nil ? 0 : 1) }

    private func requireUsable(_ call: String) throws(LMDBError) {
        if isClosed { throw LMDBError(.closed, in: call) }
        if isMapLost { throw LMDBError(.mapLost, in: call) }
    }

    // MARK: Readers

    /// Waits while the map changes, counts a reader in, and returns a spare handle if there is one.
    func enterRead(_ call: String) throws(LMDBError) -> OpaquePointer? {
        monitor.lock()
        defer { monitor.unlock() }
        try waitForMap(call)
        readers += 1
        return spare.popLast()
    }

    /// Counts in a use of the map that is not a transaction.
    func enterShared(_ call: String) throws(LMDBError) {
        monitor.lock()
        defer { monitor.unlock() }
        try waitForMap(call)
        readers += 1
    }

    private func waitForMap(_ call: String) throws(LMDBError) {
        while isExclusive && !isClosed { monitor.wait() }
        try requireUsable(call)
    }

    /// Counts a reader out, and keeps its handle, which must have been reset.
    func leaveRead(keeping handle: OpaquePointer?) {
        monitor.lock()
        defer { monitor.unlock() }
        if let handle {
            if spare.count < spareLimit {
                spare.append(handle)
            } else {
                Engine.abort(handle)
            }
        }
        readers -= 1
        if isExclusive { monitor.broadcast() }
    }

    // MARK: Parked readers

    /// Counts out a reader whose transaction stays open.
    func park() {
        monitor.lock()
        defer { monitor.unlock() }
        readers -= 1
        parked += 1
        if isExclusive { monitor.broadcast() }
    }

    /// Waits while the map changes, and counts a parked reader in again.
    func unpark(_ call: String) throws(LMDBError) {
        monitor.lock()
        defer { monitor.unlock() }
        try waitForMap(call)
        parked -= 1
        readers += 1
    }

    /// Counts in a parked reader that ends at once. It does not use the map, so it does not wait for a change.
    func endParking() {
        monitor.lock()
        defer { monitor.unlock() }
        parked -= 1
        readers += 1
    }

    // MARK: The lock on the file

    /// Waits until no other thread has the lock on the file.
    ///
    /// - Returns: whether the calling thread has not had it before.
    func enterFile(_ call: String) throws(LMDBError) -> Bool {
        let thread = Platform.currentThread
        monitor.lock()
        defer { monitor.unlock() }
        while true {
            try requireUsable(call)
            if let writerLoss { throw LMDBError(writerLoss, in: call) }
            if writer == thread { throw LMDBError(.nestedWrite, in: call) }
            if fileOwner == nil || fileOwner == thread { break }
            monitor.wait()
        }
        fileOwner = thread
        fileDepth += 1
        return fileDepth == 1
    }

    /// Ends one use of the lock on the file. The last one calls `release` before other threads can have it.
    func leaveFile(_ release: () -> Void) {
        monitor.lock()
        defer { monitor.unlock() }
        fileDepth -= 1
        if fileDepth > 0 { return }
        release()
        fileOwner = nil
        monitor.broadcast()
    }

    // MARK: The writer

    /// Waits until the calling thread is the writer.
    func enterWrite(_ call: String) throws(LMDBError) {
        let thread = Platform.currentThread
        monitor.lock()
        defer { monitor.unlock() }
        while true {
            try requireUsable(call)
            if let writerLoss { throw LMDBError(writerLoss, in: call) }
            if writer == thread { throw LMDBError(.nestedWrite, in: call) }
            if writer == nil && !isExclusive { break }
            monitor.wait()
        }
        writer = thread
    }

    /// Ends the write that the calling thread began.
    func leaveWrite() {
        monitor.lock()
        defer { monitor.unlock() }
        writer = nil
        monitor.broadcast()
    }

    /// Notes that LMDB's lock stays taken, for example because a write transaction was released on a thread that must
    /// not end it. Later writes are refused, because they would wait forever.
    func loseWriter(_ reason: LMDBError.Kind) {
        monitor.lock()
        defer { monitor.unlock() }
        writerLoss = reason
        monitor.broadcast()
    }

    // MARK: Changing the map

    /// Runs `body` while no transaction is live and none can begin.
    ///
    /// - Parameter timeout: How long to wait for live transactions.
    /// - Throws: `resizeBlocked` with the number of live transactions when the time is over.
    func exclusively<Result>(
        _ call: String, timeout: Duration, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        try beginExclusive(call, until: ContinuousClock.now.advanced(by: timeout))
        defer { endExclusive() }
        return try body()
    }

    private func beginExclusive(_ call: String, until deadline: ContinuousClock.Instant) throws(LMDBError) {
        monitor.lock()
        defer { monitor.unlock() }
        if writer == Platform.currentThread { throw LMDBError(.resizeBlocked(live: live), in: call) }
        while isExclusive { try wait(call, until: deadline) }
        try requireUsable(call)
        isExclusive = true
        do throws(LMDBError) {
            while live > 0 { try wait(call, until: deadline) }
        } catch {
            isExclusive = false
            monitor.broadcast()
            throw error
        }
    }

    private func wait(_ call: String, until deadline: ContinuousClock.Instant) throws(LMDBError) {
        let remaining = ContinuousClock.now.duration(to: deadline)
        guard remaining > .zero else { throw LMDBError(.resizeBlocked(live: live), in: call) }
        monitor.wait(atMost: remaining)
    }

    private func endExclusive() {
        monitor.lock()
        defer { monitor.unlock() }
        isExclusive = false
        monitor.broadcast()
    }

    /// Notes that the environment has no map any more: from now on it can only be closed.
    func loseMap() {
        monitor.lock()
        defer { monitor.unlock() }
        isMapLost = true
    }

    // MARK: Closing

    /// Refuses all further use and returns the spare handles; `nil` when that was done before.
    ///
    /// Waits for a thread that has the lock on the file and is in no transaction, because it uses the environment until it leaves.
    func close(_ call: String) throws(LMDBError) -> [OpaquePointer]? {
        let thread = Platform.currentThread
        monitor.lock()
        defer { monitor.unlock() }
        while let fileOwner, fileOwner != thread, live + parked == 0, !isClosed { monitor.wait() }
        if isClosed { return nil }
        let uses = live + parked + (fileOwner != nil && writer == nil ? 1 : 0)
        guard uses == 0, !isExclusive else { throw LMDBError(.closeBlocked(live: uses), in: call) }
        isClosed = true
        defer { spare = [] }
        return spare
    }
}
