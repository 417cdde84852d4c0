// A view of the trash that follows a store.
//
// It reads as many rows as were asked for, the last deleted first, and then follows every commit: rows that it deletes come to the
// front, and rows that it brings back leave. Older rows are read when they are asked for.
//
// Always holds: the view shows all rows of the trash whose commits it has read, and that match the search; the text function runs
// under the view's lock, never under the store's.

import ListModel

/// A view of the rows that were in the list and are not any more, kept up to date.
///
/// ```swift
/// let trash = try UntypedLiveTrash(of: store)
/// for row in try trash.snapshot.rows { print(row.row.id, row.sectionTitle, row.commit.time) }
/// try trash.loadMore()
/// try store.restoreRow(7, from: trash.snapshot.rows[0].lastVersion)
/// ```
///
/// ``LiveTrash`` adds an app's own types. Closing the store ends the view.
///
/// - Important: The text function must not edit the store. Of the view it may read only ``shown``; anything else throws
///   ``ListError/usedInside(_:)``.
public final class UntypedLiveTrash: Sendable {
    /// The store.
    public let store: UntypedStore
    private let state: Locked<State>
    /// The rows that the view showed last. They have a separate lock, because the text function may read them.
    private let last: Locked<UntypedTrashSnapshot>
    private let text: @Sendable (UntypedTrashedRow) -> String

    /// How many rows are read at once, unless the app says another number.
    public static let pageSize = 50

    /// The state that the lock protects.
    struct State: ViewState {
        var readers = ViewReaders<TrashNews>()
        fileprivate var trash: Trash
        fileprivate var shown: UntypedTrashSnapshot
        /// The version that the view could not follow, if that was reported.
        fileprivate var failedVersion: Version?
    }

    /// The trash as far as it was read.
    fileprivate struct Trash: Sendable {
        var moment: StoreMoment
        var words = SearchWords()
        var rows = TrashRows()
        var reader: TrashReader
        /// Rows of the commit that was read last that have not been looked at.
        var waiting: ArraySlice<UntypedTrashedRow> = []
        /// All rows of the trash whose commits have been read, shown or not.
        var known: Set<UntypedID> = []
        var isComplete = false

        init(_ newest: UntypedSnapshot, _ moment: StoreMoment, _ words: SearchWords) throws {
            (self.moment, self.words) = (moment, words)
            reader = try TrashReader(before: newest.version.next, newest)
        }
    }

    /// A view of the trash of a store.
    ///
    /// - Parameters:
    ///   - store: the store. It can be edited as usual.
    ///   - limit: how many rows are read at first.
    ///   - text: the text of a row in which a search looks for its words.
    /// - Throws: ``ListError/closed``, or an error of the log.
    /// - Complexity: as ``UntypedStore/trash(before:limit:where:)``.
    public init(
        of store: UntypedStore, limit: Int = UntypedLiveTrash.pageSize,
        text: @escaping @Sendable (UntypedTrashedRow) -> String = { _ in "" }
    ) throws {
        (self.store, self.text) = (store, text)
        var trash = try door {
            try store.reading { _ in
                let (newest, moment) = try store.current
                var trash = try Trash(newest, moment, SearchWords())
                try trash.load(limit, newest, store, text)
                return trash
            }
        }
        let shown = trash.snapshot()
        state = Locked(State(trash: trash, shown: shown))
        last = Locked(shown)
    }

    deinit { state.withLock { $0.readers.end() } }
}

// MARK: - Reading

extension UntypedLiveTrash {
    /// The rows that the view shows at the newest version of the store.
    ///
    /// - Throws: ``ListError/closed``, or an error of the log. The view then stays at ``shown``.
    /// - Complexity: O(k log n) for k rows that were inserted or deleted since the last time, and reading those commits.
    public var snapshot: UntypedTrashSnapshot {
        get throws { try following { state, _ in state.shown } }
    }

    /// The rows that the view showed last, without reading the store.
    public var shown: UntypedTrashSnapshot { last.withLock { $0 } }

    /// Reads further rows, which were deleted before those that are shown.
    ///
    /// - Parameter count: how many.
    /// - Returns: what changed in the view.
    /// - Throws: as ``snapshot``.
    /// - Complexity: as ``UntypedStore/trash(before:limit:where:)``.
    @discardableResult
    public func loadMore(_ count: Int = UntypedLiveTrash.pageSize) throws -> UntypedTrashUpdate {
        try following { state, newest in
            try state.change { try $0.load(count, newest, store, text) }
        }
    }

    /// Searches for words, from the row that was deleted last on; an empty text shows all rows again.
    ///
    /// - Parameters:
    ///   - text: words; a row is found if its text has all of them. Case and marks make no difference.
    ///   - limit: how many rows are read at first. ``loadMore(_:)`` continues the search.
    /// - Returns: what changed in the view.
    /// - Throws: as ``snapshot``; the view then stays as it is.
    /// - Complexity: as ``UntypedStore/trash(before:limit:where:)``.
    @discardableResult
    public func search(_ text: String, limit: Int = UntypedLiveTrash.pageSize) throws -> UntypedTrashUpdate {
        try following { state, newest in
            try state.change { trash in
                var found = try Trash(newest, trash.moment, SearchWords(text))
                try found.load(limit, newest, store, self.text)
                trash = found
            }
        }
    }

    /// The changes in the view from now on.
    ///
    /// Each call returns a new sequence for one reader. It ends when the store closes or the view is released. A version that the
    /// view cannot follow is reported once.
    ///
    /// - Throws: ``ListError/closed``.
    public func updates() throws -> UntypedTrashUpdates {
        let (initial, queued) = try read(limit: store.options.updates.queueLimit, merge: TrashNews.merged) { state in
            // This reader has not received the failure yet.
            state.failedVersion = nil
            return state.shown
        }
        return UntypedTrashUpdates(initial: initial, queued: queued)
    }

    /// Calls `body` when the view shows the newest version, with its rows.
    private func following<Result>(
        _ body: (inout State, UntypedSnapshot) throws -> Result
    ) throws(ListError) -> Result {
        try checkIsOutside()
        return try door {
            while true {
                let result: Result? = try store.reading { _ in
                    let (newest, moment) = try store.current
                    return try withState { state in
                        try state.follow(newest, moment, store, text)
                        // Another thread may have followed a later commit meanwhile.
                        return state.trash.moment == moment ? try body(&state, newest) : nil
                    }
                }
                if let result { return result }
            }
        }
    }
}

extension UntypedLiveTrash: StoreView {
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in
            defer { last.withLock { $0 = state.shown } }
            return try body(&state)
        }
    }

    func followStore() throws {
        do { try following { _, _ in () } } catch {
            // Damage does not pass: the next commit is another attempt.
            if error.mayPass { throw error }
        }
    }

    func checkIsOutside() throws(ListError) {
        if state.isHeldByCaller { throw ListError.usedInside("the text function of a trash") }
        try store.checkIsOutside()
    }
}

extension UntypedLiveTrash.State {
    /// Changes the trash, and tells the readers.
    fileprivate mutating func change(_ body: (inout UntypedLiveTrash.Trash) throws -> Void) throws
        -> UntypedTrashUpdate
    {
        // After an error, the rows that were read before it are there.
        let result = Result { try body(&trash) }
        let update = UntypedTrashUpdate(previous: shown, snapshot: trash.snapshot())
        shown = update.snapshot
        if !update.isEmpty { readers.send(TrashNews(update)) }
        try result.get()
        return update
    }

    /// Follows the store to its newest version.
    fileprivate mutating func follow(
        _ newest: UntypedSnapshot, _ moment: StoreMoment, _ store: UntypedStore,
        _ text: (UntypedTrashedRow) -> String
    ) throws {
        guard moment > trash.moment else { return }
        do {
            _ = try change { trash in
                if moment.revision == trash.moment.revision { return try trash.follow(newest, moment, store, text) }
                // Versions may be other commits now.
                var again = try UntypedLiveTrash.Trash(newest, moment, trash.words)
                try again.load(max(trash.rows.count, UntypedLiveTrash.pageSize), newest, store, text)
                trash = again
            }
            failedVersion = nil
        } catch {
            if failedVersion != newest.version {
                failedVersion = newest.version
                readers.send(TrashNews(failure: ListError(error)))
            }
            throw error
        }
    }
}

extension UntypedLiveTrash.Trash {
    /// Walks over the commits since the last time, from the newest to the oldest: the first that brings a row or takes it away
    /// decides where the row is now.
    fileprivate mutating func follow(
        _ newest: UntypedSnapshot, _ moment: StoreMoment, _ store: UntypedStore,
        _ text: (UntypedTrashedRow) -> String
    ) throws {
        var walk = DeletionWalk(from: newest)
        var decided: Set<UntypedID> = []
        var new: [UntypedTrashedRow] = []
        var next = newest.version
        while next > self.moment.version {
            let commit = try store.group.commit(next)
            // The first step that needs the sections reads them from the rows.
            let step = try newest.withoutPassingFailures { try walk.step(over: commit) }
            decided.formUnion(step.inserted)
            new += UntypedTrashedRow.all(of: step.deleted, commit).filter { decided.insert($0.row.id).inserted }
            next = next.previous
        }
        for id in decided {
            known.remove(id)
            _ = rows.remove(id)
        }
        known.formUnion(new.lazy.map(\.row.id))
        rows.prepend(new.filter { matches($0, text) })
        self.moment = moment
    }

    /// Reads further rows.
    fileprivate mutating func load(
        _ count: Int, _ newest: UntypedSnapshot, _ store: UntypedStore, _ text: (UntypedTrashedRow) -> String
    ) throws {
        var listed = ListedRows(newest)
        var new: [UntypedTrashedRow] = []
        defer { rows.append(new) }
        while new.count < count {
            if waiting.isEmpty {
                guard let next = try reader.next(store, through: newest.version) else {
                    isComplete = true
                    break
                }
                waiting = next[...]
            }
            let slice = waiting.prefix(64)
            let missing = try listed.missing(among: slice, store)
            for row in slice where new.count < count {
                waiting.removeFirst()
                guard missing.contains(row.row.id), known.insert(row.row.id).inserted else { continue }
                if matches(row, text) { new.append(row) }
            }
        }
    }

    private func matches(_ row: UntypedTrashedRow, _ text: (UntypedTrashedRow) -> String) -> Bool {
        words.isEmpty || words.matches(SearchText(text(row)))
    }

    fileprivate mutating func snapshot() -> UntypedTrashSnapshot {
        rows.snapshot(moment.version, isComplete: isComplete)
    }
}
