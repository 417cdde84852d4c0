// Drains the journal into the database: when a timer rings, before something that reads the database alone, and at the end.
//
// Always holds: nobody leads meanwhile, so nothing is appended; if it fails, nothing is lost or less durable.

import Dispatch
import LMDB
import ListModel

extension GroupCommit {
    /// Drains the durable entries of the journal into the database.
    ///
    /// - Throws: as `Journal.store`. Nothing is lost or less durable then.
    func store() throws {
        monitor.lock()
        defer { monitor.unlock() }
        waitUntilNobodyLeads()
        try storeJournal()
    }

    /// As ``store()``, with the lock held and without a leader.
    private func storeJournal() throws {
        state.isLed = true
        monitor.unlock()
        let result = Result {
            try log.journal.store()
            try log.confirmed.save()
        }
        monitor.lock()
        state.isLed = false
        release(.thread)
        // Some threads waited for this and not for a commit.
        wakeAll()
        try result.get()
    }

    /// The pause after which the journal is looked at again that may not be drained yet.
    private static var heldBackPause: DispatchTimeInterval { .milliseconds(100) }

    /// Schedules draining the journal, and saving the confirmed end, unless that is scheduled already.
    func storeSoon() { monitor.withLock { startStoreTimer() } }

    /// As ``storeSoon()``. The lock is held.
    ///
    /// - Parameter delay: how long to wait; nil for what the options say.
    func startStoreTimer(after delay: DispatchTimeInterval? = nil) {
        if state.timers.store != nil || state.isLetGo || log.journal.isEmpty && !log.confirmed.isUnsaved { return }
        let timer = StoreTimer(self)
        state.timers.store = timer
        background.asyncAfter(deadline: .now() + (delay ?? storeDelay)) { timer.take()?.storeInBackground() }
    }

    /// Cancels the timers, now and later, because the store was released; what is queued is still appended.
    func letGo() {
        let dropped = monitor.withLock {
            state.isLetGo = true
            // A flush drops the racer at its end.
            if !state.isEmpty && state.timers.flush == nil { queueFlush() }
            return (state.timers.store, state.timers.retry, state.isEmpty ? state.race.racer.take() : nil)
        }
        _ = (dropped.0?.take(), dropped.1?.take())
    }

    private func storeInBackground() {
        monitor.lock()
        defer { monitor.unlock() }
        state.timers.store = nil
        if state.isStopped { return }
        // The present leader schedules it again.
        if state.isLed { return startStoreTimer() }
        if log.isHeldBack { return startStoreTimer(after: Self.heldBackPause) }
        // If this fails, opening the store takes a little longer; the next commit that finds the journal full tries
        // again.
        try? storeJournal()
    }

    /// Prepares closing the file: empties the journal of durable entries and of entries that could not be appended.
    ///
    /// There is no leader any more. Durable entries that cannot be drained are left to the next opening.
    ///
    /// - Throws: as `Journal.discardFailed`.
    func settle() throws {
        defer {
            try? log.journal.store()
            try? log.confirmed.save()
        }
        try log.journal.discardFailed()
    }
}
