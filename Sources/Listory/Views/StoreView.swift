// What all views of a store share: their readers, and the task that follows the store while there are any.
//
// Always holds: a view without readers has no task; a reader receives what happens after its creation, in order.

import Dispatch
import ListModel

/// The readers of a view.
struct ViewReaders<News: Sendable>: Sendable {
    private var queues: [Int: UpdateQueue<News>] = [:]
    private var lastNumber = 0
    /// The task that follows the store while there are readers.
    fileprivate(set) var follower: Task<Void, Never>?
    /// Whether following the store is about to be tried again.
    fileprivate var isRetrying = false

    fileprivate mutating func add(_ queue: UpdateQueue<News>) -> Int {
        lastNumber += 1
        queues[lastNumber] = queue
        return lastNumber
    }

    /// Removes a reader.
    ///
    /// - Returns: the task, if it is not needed any more.
    fileprivate mutating func remove(_ number: Int) -> Task<Void, Never>? {
        queues[number] = nil
        return queues.isEmpty ? follower.take() : nil
    }

    /// Removes all readers, to be finished without the lock.
    fileprivate mutating func removeAll() -> [UpdateQueue<News>] {
        defer { (queues, follower) = ([:], nil) }
        return Array(queues.values)
    }

    /// Tells all readers.
    func send(_ news: News) {
        for queue in queues.values { queue.append(news) }
    }

    /// Ends all sequences, because the view is released.
    func end() {
        follower?.cancel()
        for queue in queues.values { queue.finish() }
    }
}

/// What a view protects with its lock.
protocol ViewState {
    associatedtype News: Sendable
    var readers: ViewReaders<News> { get set }
}

/// A view that follows a store while somebody reads its updates.
protocol StoreView: AnyObject, Sendable {
    associatedtype State: ViewState
    var store: UntypedStore { get }
    /// Calls `body` with the protected state, under the view's lock.
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result
    /// Follows the store to its newest version, and tells the readers.
    ///
    /// - Throws: an error after which it is tried again.
    func followStore() throws
    /// Throws if the calling thread runs a function of the view, because it would wait for itself, or an edit of the
    /// store, because a thread that follows the store would wait for it with the view's lock.
    func checkIsOutside() throws(ListError)
}

extension StoreView {
    /// Adds a reader.
    ///
    /// - Parameters:
    ///   - limit: how many items may wait.
    ///   - merge: combines two items.
    ///   - initial: returns what the reader begins with, under the lock.
    func read<Initial>(
        limit: Int, merge: @escaping @Sendable (State.News, State.News) -> State.News,
        from initial: (inout State) -> Initial
    ) throws(ListError) -> (Initial, QueuedUpdates<State.News>) {
        try door {
            try checkIsOutside()
            let (queue, queued) = UpdateQueue.make(limit: limit, merge: merge)
            let (number, initial, isFirst) = withState { state in
                (state.readers.add(queue), initial(&state), state.readers.follower == nil)
            }
            queue.onTermination { [weak self] in
                self?.withState { $0.readers.remove(number) }?.cancel()
            }
            if isFirst {
                do { try startFollowing() } catch {
                    queue.finish()
                    throw error
                }
            }
            return (initial, queued)
        }
    }

    private func startFollowing() throws {
        let changes = try store.changes()
        withState { state in
            if state.readers.follower != nil { return }
            // Started under the lock, so that it cannot end before it is stored.
            state.readers.follower = Task { [weak self] in
                // Commits between the last advance of the view and the first signal.
                self?.follow()
                for await _ in changes {
                    guard let self else { return }
                    self.follow()
                }
                // A cancelled task had no readers left; present readers have another task.
                if !Task.isCancelled { self?.finish() }
            }
        }
    }

    private func follow() {
        do { try followStore() } catch ListError.closed {
            // The sequence is about to end.
        } catch {
            // It may take long until somebody commits again.
            let isRetrying = withState { state in
                defer { state.readers.isRetrying = true }
                return state.readers.isRetrying
            }
            if isRetrying { return }
            let pause = DispatchTimeInterval.nanoseconds(store.options.retryDelay.timerNanoseconds)
            DispatchQueue.global().asyncAfter(deadline: .now() + pause) { [weak self] in
                let hasReaders = self?.withState { state in
                    state.readers.isRetrying = false
                    return state.readers.follower != nil
                }
                if hasReaders == true { self?.follow() }
            }
        }
    }

    /// Ends all sequences, because the store was closed. Later calls of `updates()` throw that.
    private func finish() {
        // Finishing a sequence removes it from the list, which needs the lock.
        for reader in withState({ $0.readers.removeAll() }) { reader.finish() }
    }
}
