// The lock that a process holds while it writes to the file, in front of LMDB's own lock.
//
// LMDB's lock has two faults. A thread waits for it without limit, so a process that was stopped while it wrote stops
// all others. And on Apple's systems it is a semaphore that stays taken when its holder is killed.
//
// So a writer first takes a lock on the data file that the system releases when a process ends, and waits for it only for a
// limited time. A writer that has this lock knows that no living process holds LMDB's lock.
//
// Always holds: LMDB's lock is only taken with this lock held; a writer that is refused has not changed the file. On
// Apple's systems, a thread may wait for LMDB's lock forever; then the environment is not closed, because the thread uses it.

import Dispatch
import Synchronization

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
        guard try gate.enterFile(call) else { return }
        do throws(LMDBError) { try waitForFile() } catch {
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
    /// The system has no call that waits for a limited time, so the lock is tried again after pauses, which grow to a
    /// millisecond: a fraction of what a sync takes.
    private func waitForFile() throws(LMDBError) {
        let descriptor = try Engine.descriptor(handle)
        var code = Platform.tryLock(descriptor)
        guard code == Platform.wouldBlock else { return try Engine.check(code, "flock") }
        let start = ContinuousClock.now
        var pause: UInt32 = 20
        while code == Platform.wouldBlock {
            let waited = ContinuousClock.now - start
            guard waited < options.writerTimeout else {
                throw LMDBError(.writerBusy(waited: waited), in: "flock", detail: path)
            }
            Platform.sleep(microseconds: pause)
            pause = min(1_000, pause * 2)
            code = Platform.tryLock(descriptor)
        }
        try Engine.check(code, "flock")
    }

    /// Makes sure that LMDB's lock of the write transaction can be taken.
    ///
    /// - Throws: `writerDied` if it cannot; this environment can then no longer write.
    func requireWriterLock(within patience: DispatchTimeInterval) throws(LMDBError) {
        let probe = Probe()
        DispatchQueue(label: "lmdb.writer-lock").async { [self] in
            do throws(LMDBError) {
                // SAFETY: the gate counts a writer until this has ended, so the environment stays open.
                Engine.abort(try Engine.begin(handle, readOnly: false))
            } catch {
                probe.error.withLock { $0 = error }
            }
            probe.isDone.signal()
        }
        guard probe.isDone.wait(timeout: .now() + patience) == .success else {
            gate.loseWriter(.writerDied)
            throw LMDBError(.writerDied, in: "mdb_txn_begin", detail: path)
        }
        if let error = probe.error.withLock({ $0 }) { throw error }
    }

    private final class Probe: Sendable {
        let isDone = DispatchSemaphore(value: 0)
        let error = Mutex<LMDBError?>(nil)
    }
}
