// The lock that a process holds while it writes to the file, in front of LMDB's own lock.
//
// A thread waits for LMDB's lock without limit, so a process that was stopped while it wrote would stop all others. So a
// writer first takes a lock on the data file, for which it waits only for a limited time. The system releases it when a
// process ends. A writer that has it knows that no living process that uses this library has LMDB's lock.
//
// Always holds: LMDB's lock is only taken with this lock held; a writer that is refused has not changed the file.

extension Environment {
    /// Runs `body` while no other thread or process writes to the file. Not inside a write transaction; `body` may begin one.
    ///
    /// - Throws: ``LMDBError``: as ``beginWrite()``, but a read-only environment is no error; what `body` throws.
    package func whileNobodyWrites<Result>(_ body: () throws -> Result) throws -> Result {
        try requireOwnProcess("Environment.whileNobodyWrites")
        try lockFile("Environment.whileNobodyWrites")
        defer { unlockFile() }
        return try body()
    }

    /// Takes the lock on the data file, which a write transaction needs before LMDB's lock. It is taken before the gate counts
    /// the writer: a thread that waits for it must not keep the map from changing.
    func lockFile(_ call: String) throws(LMDBError) {
        let start = ContinuousClock.now
        guard try gate.enterFile(call) else { return }
        do throws(LMDBError) { try waitForFile(since: start) } catch {
            gate.leaveFile {}
            throw error
        }
    }

    /// Releases the lock of ``lockFile(_:)``.
    func unlockFile() {
        gate.leaveFile { if let descriptor = try? Engine.descriptor(handle) { Platform.unlock(descriptor) } }
    }

    /// Waits until no other process has the lock, and takes it.
    ///
    /// - Parameter start: when the wait began. A thread may have waited for others of this process, which waited as well:
    ///   their times must not add up.
    private func waitForFile(since start: ContinuousClock.Instant) throws(LMDBError) {
        let descriptor = try Engine.descriptor(handle)
        try Platform.lock("flock", path, within: options.writerTimeout, since: start) { Platform.tryLock(descriptor) }
    }
}

extension Platform {
    /// Takes a lock for which the system has no call that waits for a limited time. It is tried again after pauses, which
    /// grow to a millisecond: a fraction of what a sync takes.
    ///
    /// - Parameters:
    ///   - start: when the limited time began.
    ///   - attempt: tries to take it, at least once; 0 or an error number.
    static func lock(
        _ call: String, _ path: String, within timeout: Duration, since start: ContinuousClock.Instant = .now,
        _ attempt: () -> Int32
    ) throws(LMDBError) {
        var code = attempt()
        guard isTaken(code) else { return try Engine.check(code, call) }
        var pause: UInt32 = 20
        while isTaken(code) {
            let waited = ContinuousClock.now - start
            guard waited < timeout else { throw LMDBError(.writerBusy(waited: waited), in: call, detail: path) }
            sleep(microseconds: pause)
            pause = min(1_000, pause * 2)
            code = attempt()
        }
        try Engine.check(code, call)
    }

    /// Whether an error number says that somebody else has a lock.
    private static func isTaken(_ code: Int32) -> Bool { code == wouldBlock || code == accessDenied }
}
