// Notifies readers of changes in a view.
//
// Always holds: a sequence begins with the snapshot of its creation, and each transition begins where the one before ended.

import ListModel

/// The changes of a view from now on.
///
/// ```swift
/// let updates = try view.updates()
/// show(updates.initial)
/// for await update in updates {
///     switch update {
///     case .success(let transition): play(transition)
///     case .failure(let error): report(error)    // the view shows what it showed, and goes on with the next commit
///     }
/// }
/// ```
///
/// Includes the changes of a search or of other stages. Commits that change nothing in the view are skipped, and
/// commits in quick succession may be one transition.
public struct UntypedLiveUpdates: AsyncSequence, Sendable {
    public typealias Element = Result<ListTransition, QueryError>

    /// The rows before the first update.
    public let initial: UntypedSnapshot
    fileprivate let queued: QueuedUpdates<ViewNews>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: queued.makeAsyncIterator()) }

    /// Waits for one update after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: QueuedUpdates<ViewNews>.Iterator
        private var failure: QueryError?

        fileprivate init(base: QueuedUpdates<ViewNews>.Iterator) { self.base = base }

        /// The next update; nil when the store was closed or the view was released.
        public mutating func next() async -> Element? {
            if let error = failure.take() { return .failure(error) }
            while let news = await base.next() {
                guard let transition = news.transition, !transition.isEmpty else {
                    // Merged changes may cancel out.
                    if let error = news.failure { return .failure(error) }
                    continue
                }
                failure = news.failure
                return .success(transition)
            }
            return nil
        }
    }
}

/// An item of the sequence: a change, perhaps followed by a failure.
struct ViewNews: Sendable {
    private var rows: (old: UntypedSnapshot, new: UntypedSnapshot)?
    private var known: ListTransition?
    fileprivate private(set) var failure: QueryError?

    init(_ transition: ListTransition) { (rows, known) = ((transition.old, transition.new), transition) }

    init(failure: QueryError) { self.failure = failure }

    /// The changes; computed on access if they were merged.
    fileprivate var transition: ListTransition? { known ?? rows.map { ListTransition(from: $0.old, to: $0.new) } }

    /// Merges two items. A failure that a later change made obsolete is dropped.
    static func merged(_ first: ViewNews, _ second: ViewNews) -> ViewNews {
        var result = first
        if let rows = second.rows {
            result.known = first.rows == nil ? second.known : nil
            result.rows = (first.rows?.old ?? rows.old, rows.new)
        }
        result.failure = second.failure
        return result
    }
}

extension UntypedLiveList: StoreView {
    /// The changes in the view from now on.
    ///
    /// Each call returns a new sequence for one reader. It ends when the store closes or the view is released. A
    /// version that the view cannot follow is reported once.
    ///
    /// - Throws: ``ListError/closed``.
    public func updates() throws -> UntypedLiveUpdates {
        let (initial, queued) = try read(limit: store.options.updates.queueLimit)
        return UntypedLiveUpdates(initial: initial, queued: queued)
    }

    /// Signals changes; several are one signal for a slow reader. It keeps at most two snapshots.
    func changes() throws(ListError) -> AsyncStream<Void> {
        let (_, queued) = try read(limit: 1)
        return AsyncStream {
            var iterator = queued.makeAsyncIterator()
            return await iterator.next().map { _ in () }
        }
    }

    private func read(limit: Int) throws(ListError) -> (UntypedSnapshot, QueuedUpdates<ViewNews>) {
        try read(limit: limit, merge: ViewNews.merged) { state in
            // This reader has not received the failure yet.
            state.failedVersion = nil
            return state.shown.rows
        }
    }

    func followStore() throws {
        do {
            let (newest, moment) = try store.current
            try withState { state in try state.follow(newest, moment) }
        } catch is QueryError {
            // The readers receive the error, and the next commit is another attempt.
        }
    }
}
