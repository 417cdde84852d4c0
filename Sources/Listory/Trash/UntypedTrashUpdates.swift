// Notifies readers of changes in a view of the trash.
//
// Always holds: a sequence begins with the snapshot of its creation, and each update begins where the one before ended.

import ListModel

/// A change of a trash: rows that were deleted, came back, or were read.
public struct UntypedTrashUpdate: Sendable {
    /// The rows before.
    public let previous: UntypedTrashSnapshot
    /// The rows after.
    public let snapshot: UntypedTrashSnapshot

    /// The change, for a list view to play. It is computed on access.
    ///
    /// - Complexity: O(k log n) for k rows that differ.
    public var transition: ListTransition { ListTransition(from: previous.core, to: snapshot.core) }

    /// Whether the rows are the same, were deleted by the same commits, and are all or not all as before.
    ///
    /// - Complexity: O(1).
    public var isEmpty: Bool {
        // A row that was deleted again is the first one.
        previous.core.stateHash == snapshot.core.stateHash && previous.rows.first?.place == snapshot.rows.first?.place
            && previous.isComplete == snapshot.isComplete
    }
}

/// The changes of a view of the trash from now on.
///
/// ```swift
/// let updates = try trash.updates()
/// show(updates.initial)
/// for await update in updates {
///     switch update {
///     case .success(let update): play(update.transition)
///     case .failure(let error): report(error)    // the view shows what it showed, and goes on with the next commit
///     }
/// }
/// ```
public struct UntypedTrashUpdates: AsyncSequence, Sendable {
    public typealias Element = Result<UntypedTrashUpdate, ListError>

    /// The rows before the first update.
    public let initial: UntypedTrashSnapshot
    let queued: QueuedUpdates<TrashNews>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: queued.makeAsyncIterator()) }

    /// Waits for one update after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: QueuedUpdates<TrashNews>.Iterator
        private var failure: ListError?

        fileprivate init(base: QueuedUpdates<TrashNews>.Iterator) { self.base = base }

        /// The next update; nil when the store was closed or the view was released.
        public mutating func next() async -> Element? {
            if let error = failure.take() { return .failure(error) }
            while let news = await base.next() {
                // Merged changes may cancel out.
                if let update = news.update, !update.isEmpty {
                    failure = news.failure
                    return .success(update)
                }
                if let error = news.failure { return .failure(error) }
            }
            return nil
        }
    }
}

/// An item of the sequence: a change, perhaps followed by a failure.
struct TrashNews: Sendable {
    fileprivate private(set) var update: UntypedTrashUpdate?
    fileprivate private(set) var failure: ListError?

    init(_ update: UntypedTrashUpdate) { self.update = update }

    init(failure: ListError) { self.failure = failure }

    /// Merges two items. A failure that a later change made obsolete is dropped.
    static func merged(_ first: TrashNews, _ second: TrashNews) -> TrashNews {
        var result = first
        if let new = second.update {
            result.update = UntypedTrashUpdate(
                previous: first.update?.previous ?? new.previous, snapshot: new.snapshot)
        }
        result.failure = second.failure
        return result
    }
}
