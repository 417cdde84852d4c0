// Notifies observers: a sequence of updates, one for each commit.
//
// Always holds: a sequence begins with the snapshot of its creation and covers every commit after it once, in order;
// each update's changeset leads from the rows of the update before; when an observer is notified of a commit, its
// content can be read.

import ListModel

/// The change of the rows by a commit, or by several commits if the reader was slow.
public struct UntypedUpdate: Sendable {
    /// The rows before.
    public let previous: UntypedSnapshot
    /// The rows after.
    public let snapshot: UntypedSnapshot
    /// The commit: its name, origin and time, and whether it was an undo or a redo. Of several, the last one.
    public let cause: Commit
    /// The commits of this process that were made again, because another process committed first, with the changes that
    /// were left out of them. Nearly always empty.
    public let rebased: [RebasedCommit]
    /// The first version that the update covers.
    private let first: Version

    init(
        previous: UntypedSnapshot, snapshot: UntypedSnapshot, cause: Commit, since first: Version? = nil,
        rebased: [RebasedCommit] = []
    ) {
        (self.previous, self.snapshot, self.cause, self.rebased) = (previous, snapshot, cause, rebased)
        self.first = first ?? previous.version.next
    }

    /// The versions that the update covers: nearly always one. If commits were made again, these are the versions that
    /// they have now, and those of the commits before them. If commits of another device could not be kept in the file after
    /// all, an update leads back, and covers the version that the rows have again.
    public var versions: ClosedRange<Version> { min(first, snapshot.version)...snapshot.version }

    /// The update that leads from the rows before this one to the rows after the next one.
    func followed(by next: UntypedUpdate) -> UntypedUpdate {
        UntypedUpdate(
            previous: previous, snapshot: next.snapshot, cause: next.cause, since: min(first, next.first),
            rebased: rebased + next.rebased)
    }

    /// What changed, for a list view to play. It is computed on access.
    ///
    /// - Complexity: O(k log n) for k rows that differ.
    public var changeset: Changeset { Changeset(from: previous, to: snapshot) }
}

/// The updates of a store from now on.
///
/// ```swift
/// let updates = try store.updates()
/// show(updates.initial)
/// for await update in updates {
///     play(update.changeset, on: tableView)
/// }
/// ```
///
/// An update holds two snapshots, so a slow reader keeps old rows in memory. If a reader lags by more than 256 commits,
/// further commits are merged into one update. Its ``UntypedUpdate/versions`` say which commits it covers, and
/// ``StoreProtocol/forEachCommit(in:_:)`` reads them.
public struct UntypedUpdates: AsyncSequence, Sendable {
    public typealias Element = UntypedUpdate

    /// The rows before the first update.
    public let initial: UntypedSnapshot
    fileprivate let queued: QueuedUpdates<UntypedUpdate>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: queued.makeAsyncIterator()) }

    /// Waits for one update after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: QueuedUpdates<UntypedUpdate>.Iterator

        /// The next update; nil when the store was closed.
        public mutating func next() async -> UntypedUpdate? { await base.next() }
    }
}

/// The observers of commits: readers receive the changes of rows, listeners only a signal.
struct UpdateObservers: ~Copyable, Sendable {
    // Arrays, because there are few observers, and the runtime would build the type of a dictionary at every opening.
    private var readers: [(number: Int, queue: UpdateQueue<UntypedUpdate>)] = []
    private var listeners: [(number: Int, continuation: AsyncStream<Void>.Continuation)] = []
    private var nextNumber = 0
    /// The rows of the last update; kept only while there are readers, because a kept snapshot makes edits copy nodes.
    private(set) var last: UntypedSnapshot?

    /// Whether there are readers.
    var hasReaders: Bool { !readers.isEmpty }

    /// Adds a reader that begins with a snapshot.
    mutating func add(_ queue: UpdateQueue<UntypedUpdate>, _ snapshot: UntypedSnapshot) -> Int {
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

    /// Sends an update to the readers.
    mutating func publish(
        _ snapshot: UntypedSnapshot, _ cause: Commit, since first: Version? = nil, _ rebased: [RebasedCommit] = []
    ) {
        guard let previous = last else { return }
        last = snapshot
        let update = UntypedUpdate(
            previous: previous, snapshot: snapshot, cause: cause, since: first, rebased: rebased)
        // A reader that has ended is removed a moment later, or here.
        for (number, queue) in readers where !queue.append(update) { remove(number) }
    }

    /// Signals a commit to the listeners.
    @inline(__always)
    mutating func signal() {
        guard !listeners.isEmpty else { return }
        for (number, continuation) in listeners {
            if case .terminated = continuation.yield() { remove(number) }
        }
    }

    /// Removes the rows, which would keep the file open.
    mutating func takeRows() -> UntypedSnapshot? { last.take() }

    /// Restores the rows, because the store stays open.
    mutating func putBack(_ rows: UntypedSnapshot?) { last = rows }

    /// Ends all sequences.
    mutating func finish() {
        for (_, queue) in readers { queue.finish() }
        for (_, continuation) in listeners { continuation.finish() }
        (readers, listeners, last) = ([], [], nil)
    }
}

extension UntypedStore {
    /// The updates from now on, one for each commit.
    ///
    /// Each call returns a new sequence for one reader, which ends when the store closes, or is released.
    ///
    /// - Throws: ``ListError/closed``.
    public func updates() throws -> UntypedUpdates {
        let (queue, queued) = UpdateQueue<UntypedUpdate>.make(limit: options.updates.queueLimit) { $0.followed(by: $1) }
        let (number, initial) = try withHead { head in
            let snapshot = try head.snapshot()
            return (head.observers.add(queue, snapshot), snapshot)
        }
        queue.onTermination { [weak self] in self?.removeObserver(number) }
        return UntypedUpdates(initial: initial, queued: queued)
    }

    /// Signals commits from now on, one signal for one or several. It keeps no rows, and ends when the store closes, or is released.
    ///
    /// - Throws: ``ListError/closed``.
    package func changes() throws(ListError) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = try withHead { $0.observers.add(continuation) }
        continuation.onEnd { [weak self] in self?.removeObserver(number) }
        return stream
    }

    private func removeObserver(_ number: Int) {
        try? withHead { $0.observers.remove(number) }
    }
}

extension UntypedUpdate: CustomStringConvertible {
    /// The commit, and what it changed.
    public var description: String { "\(cause): \(changeset)" }
}
