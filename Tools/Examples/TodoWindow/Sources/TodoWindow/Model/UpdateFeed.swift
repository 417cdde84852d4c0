// Passes updates from the store to the window, for commits of any thread.
//
// Always holds: the last shown version is the newest one; commits that are faster than the window, or are made while it
// is held, are shown together.

import ListModel
import Listory

/// Passes the newest rows to the window when GTK's loop is idle.
@MainActor
final class UpdateFeed {
    /// The newest rows that have arrived.
    private(set) var newest: TodoSnapshot
    private var isScheduled = false
    /// Whether newer rows have to wait, because the list view is not ready for them.
    var isHeld = false {
        didSet { if !isHeld { schedule() } }
    }
    /// Called to show newer rows.
    var show: @MainActor () -> Void = {}
    /// Called if commits cannot be made durable.
    var failed: @MainActor (any Error) -> Void = { _ in }
    private var tasks: [Task<Void, Never>] = []

    /// Observes a store from now on.
    ///
    /// - Throws: ``ListError/closed``.
    init(_ store: ListStore<String, Todo>) throws {
        let updates = try store.updates()
        newest = updates.initial
        let (shown, continuation) = AsyncStream.makeStream(of: Version.self, bufferingPolicy: .bufferingNewest(1))
        // Detached, because a task of the main actor would not run while GTK's loop has the thread.
        let reader = Task.detached { [weak self] in
            for await update in updates {
                do {
                    let snapshot = try update.snapshot
                    runWhenIdle { self?.receive(snapshot) }
                    continuation.yield(snapshot.version)
                } catch { runWhenIdle { self?.failed(error) } }
            }
            continuation.finish()
        }
        // Rows are shown before they are durable, so a failure to save them is reported as well.
        let watcher = Task.detached { [weak self] in
            for await version in shown {
                do { try await store.durable(version) } catch ListError.closed { return } catch {
                    runWhenIdle { self?.failed(error) }
                }
            }
        }
        tasks = [reader, watcher]
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    private func receive(_ snapshot: TodoSnapshot) {
        newest = snapshot
        schedule()
    }

    private func schedule() {
        guard !isScheduled, !isHeld else { return }
        isScheduled = true
        // After all updates that are queued already, so that they are shown together.
        runWhenIdle { [weak self] in self?.showNewest() }
    }

    private func showNewest() {
        isScheduled = false
        if !isHeld { show() }
    }
}
