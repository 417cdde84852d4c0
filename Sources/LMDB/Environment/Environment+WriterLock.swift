// The lock of the write transaction where LMDB's own outlives a killed process.
//
// On Apple's systems, LMDB locks with semaphores, in most versions with ones that stay taken when their holder is killed. If
// another process has the file open meanwhile, the semaphore is not made again, and the next writer would wait for ever.
//
// So there a writer first takes a lock of the data file that the system gives back for a process that ended. Whoever has
// it knows that no living writer has LMDB's lock, and waits for that only so long, on a thread that may be left behind.
//
// Always holds: a writer that is refused has left the file as it was; an environment with a thread that still waits is not
// closed, because the thread uses it.

import Dispatch
import Synchronization

extension Environment {
    /// Takes what a write transaction needs before LMDB's lock.
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

    /// Gives back what ``lockForWriting()`` took.
    func unlockAfterWriting() {
        guard Platform.locksOutliveProcesses, let descriptor = try? Engine.descriptor(handle) else { return }
        _ = Platform.setLock(descriptor, isTaken: false)
    }

    /// Makes sure that LMDB's lock of the write transaction can be had.
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
