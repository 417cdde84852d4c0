// From the store to the window: whoever made a commit, and on whichever thread.
//
// Always holds: what is shown last is the newest version; commits that come faster than the window, or while it is held,
// are shown together.

import ListModel
import Listory

/// Tells the window of the newest rows, when it has time for them.
@MainActor
final class UpdateFeed {
    /// The newest rows that the window knows of.
    private(set) var newest: TodoSnapshot
    private var isScheduled = false
    /// Whether newer rows have to wait: the list view is not ready for them.
    var isHeld = false {
        didSet { if !isHeld { schedule() } }
    }
    /// Shows rows that are newer than what was shown.
    var show: @MainActor () -> Void = {}
    /// Is told if commits cannot be made durable.
    var failed: @MainActor (any Error) -> Void = { _ in }
    private var tasks: [Task<Void, Never>] = []

    /// Observes a store from now on.
    ///
    /// - Throws: ``StoreError/closed``.
    init(_ store: ListStore<String, Todo>) throws {
        let updates = try store.updates()
        newest = updates.initial
        let (shown, continuation) = AsyncStream.makeStream(of: Version.self, bufferingPolicy: .bufferingNewest(1))
        // Detached, because a task of the main actor would not run while GTK's loop has the thread.
        let reader = Task.detached { [weak self] in
            for await update in updates {
                let snapshot = update.snapshot
                runWhenIdle { self?.receive(snapshot) }
                continuation.yield(snapshot.version)
            }
            continuation.finish()
        }
        // Rows are shown before they are durable. That they do not become so is told as well.
        let watcher = Task.detached { [weak self] in
            for await version in shown {
                do { try await store.durable(version) } catch StoreError.closed { return } catch {
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
        // After all that is queued already, so that it is shown with this one.
        runWhenIdle { [weak self] in self?.showNewest() }
    }

    private func showNewest() {
        isScheduled = false
        if !isHeld { show() }
    }
}
