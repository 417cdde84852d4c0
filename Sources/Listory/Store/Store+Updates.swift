// Telling others what happened: a sequence of updates, one for each commit.
//
// Always holds: a sequence begins with the snapshot of its creation and covers every commit after it, in order, none twice;
// each update's changeset leads from the rows of the one before it to its own; when somebody is told of a commit, its
// content can be read.

import ListModel

/// What a commit did to the rows, or several commits did that a reader was too late for.
public struct ListUpdate: Sendable {
    /// The rows before.
    public let previous: Snapshot
    /// The rows after.
    public let snapshot: Snapshot
    /// The commit that made the difference: its name, origin and time, and whether it was an undo or a redo. Of several, the
    /// last one.
    public let cause: Commit

    /// The versions that were made by the commits of the update: nearly always one.
    public var versions: ClosedRange<Version> { previous.version.next...snapshot.version }

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
/// An update holds two snapshots; while a reader lags behind, what the list has changed meanwhile stays in memory. A reader
/// that lags by more than 256 commits gets what came on top of them as one update: its ``ListUpdate/versions`` say which
/// commits it covers, and ``Store/forEachCommit(in:_:)`` reads them.
public struct ListUpdates: AsyncSequence, Sendable {
    public typealias Element = ListUpdate

    /// The rows before the first update.
    public let initial: Snapshot
    fileprivate let queued: QueuedUpdates<ListUpdate>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: queued.makeAsyncIterator()) }

    /// Waits for one update after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: QueuedUpdates<ListUpdate>.Iterator

        /// The next update; nil when the store was closed.
        public mutating func next() async -> ListUpdate? { await base.next() }
    }
}

/// Who wants to be told of commits: with what they did to the rows, or only that there are some.
struct UpdateObservers: ~Copyable, Sendable {
    // In arrays, because there are few, and the type of a dictionary would be made by everyone who opens a store.
    private var readers: [(number: Int, queue: UpdateQueue<ListUpdate>)] = []
    private var listeners: [(number: Int, continuation: AsyncStream<Void>.Continuation)] = []
    private var nextNumber = 0
    /// The rows that the readers were told of last; kept only while there are any, because a kept snapshot makes edits copy
    /// what they change.
    private var last: Snapshot?

    /// Whether somebody wants to know what commits do to the rows.
    var hasReaders: Bool { !readers.isEmpty }

    /// Adds a reader that has seen a snapshot.
    mutating func add(_ queue: UpdateQueue<ListUpdate>, _ snapshot: Snapshot) -> Int {
        nextNumber += 1
        readers.append((nextNumber, queue))
        last = snapshot
        return nextNumber
    }

    /// Adds a listener.
    mutating func add(_ continuation: AsyncStream<Void>.Continuation) -> Int {
        nextNumber += 1
        listeners.append((nextNumber, continuation))
        return nextNumber
    }

    mutating func remove(_ number: Int) {
        readers.removeAll { $0.number == number }
        listeners.removeAll { $0.number == number }
        if readers.isEmpty { last = nil }
    }

    /// Tells the readers what a commit did.
    mutating func publish(_ snapshot: Snapshot, _ cause: Commit) {
        guard let previous = last else { return }
        last = snapshot
        let update = ListUpdate(previous: previous, snapshot: snapshot, cause: cause)
        // One that ended inside an edit could not take itself off the list.
        for (number, queue) in readers where !queue.append(update) { remove(number) }
    }

    /// Tells the listeners that there was a commit.
    mutating func signal() {
        for (number, continuation) in listeners {
            if case .terminated = continuation.yield() { remove(number) }
        }
    }

    /// Takes out the rows that would keep the file open.
    mutating func takeRows() -> Snapshot? { last.take() }

    /// Puts them back, because the store stays open.
    mutating func putBack(_ rows: Snapshot?) { last = rows }

    /// Ends all sequences.
    mutating func finish() {
        for (_, queue) in readers { queue.finish() }
        for (_, continuation) in listeners { continuation.finish() }
        (readers, listeners, last) = ([], [], nil)
    }
}

extension Store {
    /// The updates from now on, one for each commit.
    ///
    /// Each call makes a sequence of its own, to be read by one reader. It ends when the store is closed.
    ///
    /// - Throws: ``StoreError/closed``.
    public func updates() throws -> ListUpdates {
        let (queue, queued) = UpdateQueue<ListUpdate>.make(limit: options.updates.queueLimit) { first, second in
            ListUpdate(previous: first.previous, snapshot: second.snapshot, cause: second.cause)
        }
        let (number, initial) = try withHead { head in
            let snapshot = head.editor.snapshot()
            return (head.observers.add(queue, snapshot), snapshot)
        }
        queue.onTermination { [weak self] in self?.removeObserver(number) }
        return ListUpdates(initial: initial, queued: queued)
    }

    /// Tells that there are commits, after one or several, from now on. It keeps no rows, and ends when the store is closed.
    ///
    /// - Throws: ``StoreError/closed``.
    package func changes() throws -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = try withHead { $0.observers.add(continuation) }
        continuation.onTermination = { [weak self] _ in self?.removeObserver(number) }
        return stream
    }

    private func removeObserver(_ number: Int) {
        // Ended by `close`, under the lock, there is nothing left to remove.
        if isInsideEdit { return }
        try? withHead { $0.observers.remove(number) }
    }
}
