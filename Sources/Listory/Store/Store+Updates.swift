// Telling others what happened: a sequence of updates, one for each commit.
//
// Always holds: a sequence begins with the snapshot of its creation and has every commit after it, in order, none twice;
// each update's changeset leads from the rows of the one before it to its own; when somebody is told of a commit, its
// content can be read.

import ListModel
import Synchronization

/// What a commit did to the rows.
public struct ListUpdate: Sendable {
    /// The rows before.
    public let previous: Snapshot
    /// The rows after.
    public let snapshot: Snapshot
    /// The commit that made the difference: its name, origin and time, and whether it was an undo or a redo.
    public let cause: Commit

    /// What changed, for a list view to play. It is computed when asked for.
    ///
    /// - Complexity: O(k log n) for k rows that differ.
    public var changeset: Changeset { Changeset(from: previous, to: snapshot) }
}

/// The updates of a store, from the moment when the sequence was made.
///
/// ```swift
/// let updates = try store.updates()
/// show(updates.initial)
/// for await update in updates {
///     play(update.changeset, on: tableView)
/// }
/// ```
///
/// An update holds two snapshots; while a reader lags behind, what the list has changed meanwhile stays in memory.
public struct ListUpdates: AsyncSequence, Sendable {
    public typealias Element = ListUpdate

    /// The rows before the first update.
    public let initial: Snapshot
    let stream: AsyncStream<ListUpdate>

    public func makeAsyncIterator() -> AsyncStream<ListUpdate>.Iterator { stream.makeAsyncIterator() }
}

/// Who wants to be told of commits.
struct UpdateObservers: ~Copyable, Sendable {
    // In an array, because there are few, and the type of a dictionary would be made by everyone who opens a store.
    private var continuations: [(number: Int, continuation: AsyncStream<ListUpdate>.Continuation)] = []
    private var nextNumber = 0
    /// The rows that the observers have seen last; kept only while there are any, because a kept snapshot makes edits
    /// copy what they change.
    private var last: Snapshot?

    /// Adds an observer that has seen a snapshot.
    mutating func add(_ continuation: AsyncStream<ListUpdate>.Continuation, _ snapshot: Snapshot) -> Int {
        nextNumber += 1
        continuations.append((nextNumber, continuation))
        last = snapshot
        return nextNumber
    }

    mutating func remove(_ number: Int) {
        continuations.removeAll { $0.number == number }
        if continuations.isEmpty { last = nil }
    }

    var isEmpty: Bool { continuations.isEmpty }

    /// Tells the observers of a commit.
    mutating func publish(_ snapshot: Snapshot, _ cause: Commit) {
        guard let previous = last else { return }
        last = snapshot
        let update = ListUpdate(previous: previous, snapshot: snapshot, cause: cause)
        for (number, continuation) in continuations {
            // One that ended inside an edit could not take itself off the list.
            if case .terminated = continuation.yield(update) { remove(number) }
        }
    }

    /// Ends all sequences.
    mutating func finish() {
        for (_, continuation) in continuations { continuation.finish() }
        continuations = []
        last = nil
    }
}

extension Store {
    /// The updates from now on, one for each commit.
    ///
    /// Each call makes a sequence of its own, to be read by one reader. It ends when the store is closed.
    ///
    /// - Throws: ``StoreError/closed``.
    public func updates() throws -> ListUpdates {
        let (stream, continuation) = AsyncStream.makeStream(of: ListUpdate.self)
        let (number, initial) = try withHead { head in
            let snapshot = head.editor.snapshot()
            return (head.observers.add(continuation, snapshot), snapshot)
        }
        continuation.onTermination = { [weak self] _ in
            // Ended by `close`, under the lock, there is nothing left to remove.
            guard let self, !self.isInsideEdit else { return }
            try? self.withHead { $0.observers.remove(number) }
        }
        return ListUpdates(initial: initial, stream: stream)
    }
}
