// The lock of the write transaction on systems where LMDB's own lock stays taken after its process is killed.
//
// On Apple's systems, LMDB locks with semaphores. In most versions, these stay taken when their holder is killed. If
// another process has the file open, the semaphore is not recreated, and the next writer would wait forever.
//
// So a writer first takes a lock on the data file that the system releases when a process ends. A writer that has this
// lock knows that no living process holds LMDB's lock. It then waits for LMDB's lock only for a limited time, on
// another thread, which may go on waiting.
//
// Always holds: a writer that is refused has not changed the file. While such a thread still waits, the environment is
// not closed, because the thread uses it.

import Dispatch
import Synchronization

extension Environment {
    /// Takes the lock that a write transaction needs before LMDB's lock.
    func lockForWriting() throws(LMDBError) {
        guard Platform.locksOutliveProcesses else { return }
        let code = Platform.setLock(try Engine.descriptor(handle), isTaken: true)
        guard code == 0 else { throw LMDBError(code: code, in: "flock", detail: path) }
        do throws(LMDBError) {
            try requireWriterLock(within: .seconds(5))
        } catch {
            unlockAfterWriting()
            throw error
        }
    }

    /// Releases the lock of ``lockForWriting()``.
    func unlockAfterWriting() {
        guard Platform.locksOutliveProcesses, let descriptor = try? Engine.descriptor(handle) else { return }
        _ = Platform.setLock(descriptor, isTaken: false)
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
