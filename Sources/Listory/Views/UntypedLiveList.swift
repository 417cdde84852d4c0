// A view that follows a store.
//
// It follows when it is read. While a reader waits for its updates, a task follows every commit of the store. Both use
// the same code, so a read after an edit sees the edit, and no change is reported twice.
//
// Always holds: the updates of a reader lead from the first snapshot of its sequence to the rows of the view; the
// functions of a query run under the view's lock, never under the store's; what is shown was read without an error that
// may be temporary.

import ListModel

/// A view of a store's rows, kept up to date.
///
/// ```swift
/// let view = try UntypedLiveList(of: store, [.arrange(unchecked), .first(50)])
/// try store.edit("Check milk") { try $0.toggle(.item(7)) }
/// show(try view.snapshot)
/// ```
///
/// ``LiveList`` adds an app's own types, and ``ListQuery`` describes its rows.
///
/// A view keeps a snapshot of the store, so edits copy the nodes that they change. Closing the store ends the view.
///
/// - Important: The functions of a view must not edit the store. Of the view itself, they and the closures of edits may
///   read only ``shown``; anything else throws ``ListError/usedInside(_:)``.
public final class UntypedLiveList: Sendable {
    /// The store whose rows the view shows.
    public let store: UntypedStore
    private let state: Locked<State>
    /// The rows that the view showed last. They have a separate lock, because a function of the view and an edit of the
    /// store may read them.
    private let last: Locked<Shown>

    /// The state that can be read without the view's lock.
    struct Shown: Sendable {
        var rows: UntypedSnapshot
        /// Whether the stages are known to keep the order and the sections of the store.
        var keepsOrder: Bool
    }

    /// The state that the lock protects.
    struct State: ViewState, Sendable {
        /// Of no use while something is kept.
        fileprivate(set) var view: DerivedView
        /// When its source was read.
        fileprivate(set) var moment: StoreMoment
        var stages: [QueryStage]
        /// Whether the stages keep the order and the sections of the store.
        fileprivate var keepsOrder: Bool
        /// What the view is made of again, because rows could not be read while it changed.
        fileprivate var kept: Kept?
        /// Where contents are whose commits were made again, and their age when the view was made: its rows that stayed the same have
        /// the places that the contents had then.
        fileprivate let superseded: SupersededContents
        fileprivate var age: Int
        var readers = ViewReaders<ViewNews>()
        /// The version that the view could not follow, if that was reported. A later read of the view throws the error
        /// again, but it is not reported again.
        var failedVersion: Version?
    }

    /// What is shown until a view is built again.
    fileprivate struct Kept: Sendable {
        var rows: UntypedSnapshot
        var words: SearchWords
    }

    /// A view of a store.
    ///
    /// - Parameters:
    ///   - store: the store. It can be edited as usual.
    ///   - stages: the stages, in order.
    ///   - text: words to search for, as ``search(_:)`` does later.
    /// - Throws: ``ListError/closed``; ``ListError/query(_:)`` for the first row that cannot be placed.
    /// - Complexity: as ``DerivedView/init(_:of:searchingFor:)``.
    public convenience init(of store: UntypedStore, _ stages: [QueryStage], searchingFor text: String = "") throws {
        // The effect of the functions on the order is unknown.
        try self.init(of: store, stages, searchingFor: text, keepsOrder: false)
    }

    /// A view whose stages are known to keep the order of rows, or not to.
    init(
        of store: UntypedStore, _ stages: [QueryStage], searchingFor text: String = "", keepsOrder: Bool
    ) throws(ListError) {
        self.store = store
        let state = try door {
            let superseded = store.group.superseded
            let age = superseded.age
            let (rows, moment) = try store.current
            let view = try rows.withoutPassingFailures {
                try DerivedView(stages, of: rows, searchingFor: SearchWords(text))
            }
            return State(
                view: view, moment: moment, stages: stages, keepsOrder: keepsOrder, superseded: superseded, age: age)
        }
        self.state = Locked(state)
        last = Locked(state.shown)
    }

    deinit {
        state.withLock { $0.readers.end() }
    }

    /// Calls `body` with the protected state, under the lock. What it leaves is shown from then on.
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in
            defer { last.withLock { $0 = state.shown } }
            return try body(&state)
        }
    }

    /// Throws if the calling thread runs a function of the view, because it would wait for itself, or an edit of the
    /// store, because a thread that follows the store would wait for it with the view's lock.
    func checkIsOutside() throws(ListError) {
        if state.isHeldByCaller { throw ListError.usedInside("a function of the view") }
        try store.checkIsOutside()
    }
}

// MARK: - Reading

extension UntypedLiveList {
    /// The rows of the view at the newest version of the store.
    ///
    /// - Throws: ``ListError/closed``; ``ListError/query(_:)`` for the first row that cannot be placed. The view then stays at
    ///   ``shown``, and the next attempt begins from there.
    /// - Complexity: O(k log n) for k rows of the store that changed since the last time.
    public var snapshot: UntypedSnapshot {
        get throws {
            try door {
                try checkIsOutside()
                let (newest, moment) = try store.current
                return try withState { state in
                    try state.follow(newest, moment)
                    return state.view.snapshot
                }
            }
        }
    }

    /// The index path of the row of an id in the view at the newest version of the store; nil if the view does not show
    /// it.
    ///
    /// - Throws: as ``snapshot``.
    /// - Complexity: that of ``snapshot``, and O(log n).
    public func indexPath(of id: UntypedID) throws -> ListIndexPath? {
        try door {
            try checkIsOutside()
            while true {
                let (newest, path, moment) = try store.reading { revision in
                    let (rows, path) = try store.located(id)
                    return (rows, path, StoreMoment(revision: revision, version: rows.version))
                }
                guard let path else { return nil }
                let found: ListIndexPath?? = try withState { state in
                    try state.follow(newest, moment)
                    // Another thread may have followed a later commit meanwhile.
                    guard state.moment == moment else { return nil }
                    return .some(state.view.indexPath(ofSource: path))
                }
                if let found { return found }
            }
        }
    }

    /// Why the view shows a row where it does, or does not show it, and which commits made the row as it is.
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - version: the version of the rows; nil for the newest.
    /// - Returns: at the newest version, what ``snapshot`` shows then.
    /// - Throws: as ``snapshot``; for an earlier version, as ``snapshot(at:)``; an error of the log.
    /// - Complexity: that of ``snapshot`` or ``snapshot(at:)``, of ``DerivedView/decisions(aboutSource:)`` and of
    ///   ``UntypedStore/explanation(ofRow:at:)``.
    public func explanation(ofRow id: UntypedID, at version: Version? = nil) throws -> RowExplanation {
        try checkIsOutside()
        return try store.explanation(ofRow: id, at: version) { rows, path, moment in
            if version == nil {
                return try withState { state in
                    try state.follow(rows, moment)
                    // Another thread may have followed a later commit meanwhile.
                    return try state.moment == moment ? RowSighting(path: path, through: state.view) : nil
                }
            }
            return try RowSighting(path: path, through: view(of: rows))
        }
    }

    /// The rows that the view showed last, without reading the store.
    public var shown: UntypedSnapshot { last.withLock { $0.rows } }

    /// The rows of the view for other rows of the store, such as those of an old version. The view does not change.
    ///
    /// - Parameter source: rows of this store.
    /// - Throws: ``ListError/query(_:)`` for the first row that cannot be placed.
    /// - Complexity: O(k log n) for k rows that differ from those of the view.
    public func snapshot(of source: UntypedSnapshot) throws -> UntypedSnapshot {
        try checkIsOutside()
        return try door { try view(of: source).snapshot }
    }

    /// A copy of the view for other rows.
    private func view(of source: UntypedSnapshot) throws -> DerivedView {
        try source.withoutPassingFailures {
            var copy = try withReadableState { $0.view }
            try copy.advance(to: source)
            return copy
        }
    }

    /// Calls `body` with the protected state, whose view can be read: it is built again if rows could not be read while it changed, and
    /// follows the store before the places of its contents are forgotten.
    private func withReadableState<Result>(_ body: (inout State) throws -> Result) throws -> Result {
        let newest = try withState { $0.superseded.age != $0.age } ? store.current : nil
        return try withState { state in
            if let newest { try state.follow(newest.rows, newest.moment) }
            try state.mend()
            return try body(&state)
        }
    }

    /// The rows of the view at a version of the store. The view and undo do not change.
    ///
    /// - Throws: as ``UntypedStore/snapshot(at:)-(Version)``; ``ListError/query(_:)`` for the first row that cannot be placed.
    /// - Complexity: that of ``UntypedStore/snapshot(at:)-(Version)``, and O(k log n) for k rows that differ from those of the view.
    public func snapshot(at version: Version) throws -> UntypedSnapshot {
        try snapshot(of: store.snapshot(at: version))
    }
}

// MARK: - Changing the view

extension UntypedLiveList {
    /// Searches for words; an empty text shows all rows again.
    ///
    /// - Parameter text: words; a row is found if it has all of them. Case and marks make no difference.
    /// - Returns: what changed in the view.
    /// - Throws: ``ListError/query(_:)`` for the first row that a stage cannot place; the view then stays as it is.
    /// - Complexity: as ``DerivedView/search(_:)``.
    @discardableResult
    public func search(_ text: String) throws -> ListTransition {
        try change { state throws(QueryError) in try state.view.search(SearchWords(text)) }
    }

    /// Replaces all stages.
    ///
    /// - Returns: the changes in the view, as one transition.
    /// - Throws: ``ListError/query(_:)`` for the first row that cannot be placed; the view then stays as it is.
    /// - Complexity: as ``DerivedView/replaceStages(_:)``.
    @discardableResult
    public func replaceStages(_ stages: [QueryStage]) throws -> ListTransition {
        try replaceStages(stages, keepsOrder: false)
    }

    /// Replaces all stages; the caller knows whether they keep the order of rows.
    func replaceStages(_ stages: [QueryStage], keepsOrder: Bool) throws(ListError) -> ListTransition {
        try change { state throws(QueryError) in
            let transition = try state.view.replaceStages(stages)
            // Rows that stay the same can perhaps be moved now.
            if transition.isEmpty && state.keepsOrder != keepsOrder { state.readers.send(ViewNews(transition)) }
            state.keepsOrder = keepsOrder
            state.setStages(stages)
            return transition
        }
    }

    /// Whether the stages are known to keep the order and the sections of the store.
    var keepsOrder: Bool { last.withLock { $0.keepsOrder } }

    /// Limits the view to its first rows.
    ///
    /// - Parameter count: how many rows, over all sections; nil for all.
    /// - Returns: what changed in the view.
    /// - Throws: ``ListError/query(_:)``, as every change that adds a stage can.
    /// - Complexity: O(log n) for each row that appears or disappears, if the last stage already limits the rows.
    @discardableResult
    public func showFirst(_ count: Int?) throws -> ListTransition {
        try change { state throws(QueryError) in
            var stages = state.stages
            let stage = QueryStage.first(count ?? .max)
            let transition: ListTransition
            if case .first? = stages.last {
                stages[stages.count - 1] = stage
                transition = try state.view.replaceStage(at: stages.count - 1, with: stage)
            } else {
                stages.append(stage)
                transition = try state.view.replaceStages(stages)
            }
            state.setStages(stages)
            return transition
        }
    }

    private func change(_ body: (inout State) throws(QueryError) -> ListTransition) throws(ListError) -> ListTransition
    {
        try checkIsOutside()
        return try door {
            try withReadableState { state in
                try state.change(state.view.source) { state throws(QueryError) in try body(&state) }
            }
        }
    }
}

extension UntypedLiveList.State {
    /// What is shown.
    var shown: UntypedLiveList.Shown {
        UntypedLiveList.Shown(rows: kept?.rows ?? view.snapshot, keepsOrder: keepsOrder)
    }

    /// Advances the view to the newest rows of the store, unless it is there already.
    mutating func follow(_ newest: UntypedSnapshot, _ newestMoment: StoreMoment) throws {
        if kept == nil && newestMoment <= moment { return }
        do {
            if newestMoment > moment && superseded.age != age { return try make(of: newest, newestMoment) }
            try mend()
            if newestMoment <= moment { return }
            let transition = try reading(newest) { ListTransition(from: view.source, to: newest) }
            try change(newest) { state throws(QueryError) in
                let transition = try state.view.advance(transition)
                // Also if rows could not be read meanwhile: the view is made again of its new source then.
                state.moment = newestMoment
                return transition
            }
            failedVersion = nil
        } catch let error as QueryError {
            if failedVersion != newest.version {
                failedVersion = newest.version
                readers.send(ViewNews(failure: error))
            }
            throw error
        }
    }

    /// Changes the view, and tells the readers.
    ///
    /// - Parameter rows: those that are read for it.
    @discardableResult
    fileprivate mutating func change(
        _ rows: UntypedSnapshot, _ body: (inout Self) throws(QueryError) -> ListTransition
    ) throws -> ListTransition {
        let before = (UntypedLiveList.Kept(rows: shown.rows, words: view.searchWords), stages, keepsOrder)
        do {
            let transition = try reading(rows) { try body(&self) }
            send(transition)
            return transition
        } catch {
            // After an error of the app's functions, the view is as before.
            if !(error is QueryError) { (kept, stages, keepsOrder) = before }
            throw error
        }
    }

    /// Builds the view again of other rows.
    private mutating func make(of newest: UntypedSnapshot, _ newestMoment: StoreMoment) throws {
        let (before, words, age) = (shown.rows, kept?.words ?? view.searchWords, superseded.age)
        let (made, transition) = try reading(newest) {
            let made = try DerivedView(stages, of: newest, searchingFor: words)
            return (made, ListTransition(from: before, to: made.snapshot))
        }
        (view, moment, self.age, kept, failedVersion) = (made, newestMoment, age, nil, nil)
        // Also without changes, so that nobody goes on with the rows from before.
        readers.send(ViewNews(transition))
    }

    /// Builds the view again if rows could not be read while it changed.
    fileprivate mutating func mend() throws {
        guard let kept else { return }
        let source = view.source
        view = try source.withoutPassingFailures {
            try DerivedView(stages, of: source, searchingFor: kept.words)
        }
        self.kept = nil
        send(ListTransition(from: kept.rows, to: view.snapshot))
    }

    /// Calls `body`, which reads the present source and other rows, and throws if some could not be read.
    private func reading<Result>(_ rows: UntypedSnapshot, _ body: () throws -> Result) throws -> Result {
        try view.source.withoutPassingFailures { try rows.withoutPassingFailures(body) }
    }

    private func send(_ transition: ListTransition) {
        if !transition.isEmpty { readers.send(ViewNews(transition)) }
    }

    /// Clears the reported failure, because other stages may succeed.
    fileprivate mutating func setStages(_ stages: [QueryStage]) {
        self.stages = stages
        failedVersion = nil
    }
}
