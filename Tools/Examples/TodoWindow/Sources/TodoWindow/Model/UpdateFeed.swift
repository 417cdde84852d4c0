// From the store to the window: whoever made a commit, and on whichever thread.
//
// Always holds: what is shown last is the newest version; commits that come faster than the window are shown together.

import ListModel
import Listory

/// Tells the window of the newest rows, when it has time for them.
@MainActor
final class UpdateFeed {
    /// The rows before the first call of `show`.
    let initial: TodoSnapshot
    private var newest: TodoSnapshot
    private var isScheduled = false
    /// Shows newer rows.
    var show: @MainActor (TodoSnapshot) -> Void = { _ in }
    /// Is told if commits cannot be made durable.
    var failed: @MainActor (any Error) -> Void = { _ in }
    private var tasks: [Task<Void, Never>] = []

    /// Observes a store from now on.
    ///
    /// - Throws: ``StoreError/closed``.
    init(_ store: ListStore<String, Todo>) throws {
        let updates = try store.updates()
        initial = updates.initial
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
        guard !isScheduled else { return }
        isScheduled = true
        // After all that is queued already, so that it is shown with this one.
        runWhenIdle { [weak self] in self?.showNewest() }
    }

    private func showNewest() {
        isScheduled = false
        show(newest)
    }
}
