// A store through a query that an app changes: search, filter, sort. The source of a list that searches.
//
// A `LiveList` throws if a query fails for a row. A view on a screen cannot begin
// with an error, so here a query that fails is tried again at each commit.
//
// Always holds: `snapshot` has the rows of the wanted query and the wanted words, or throws.

import ListModel
import Listory
import Synchronization

/// A source whose query and search words can be changed.
public protocol QueriedSource<SectionID, Item>: ListSource {
    /// The words that the shown rows have; empty for all rows. It needs a query that says `searchable`.
    var searchText: String { get set }

    /// Shows the rows of another query. Also to be called with the same query if something changed on which its functions
    /// depend.
    func show(_ query: ListQuery<SectionID, Item>)
}

/// A store through a query, whose search, filter and sort can change. Functions of a query must not read the list.
///
/// It is the source of a list of the property wrapper `ObservedList`:
///
/// ```swift
/// let list = try ObservableList(store, names: ActionNames { $0.title }) { $0.searchable(in: \.title) }
/// list.searchText = "milk"
/// list.show { $0.filter { !$0.isChecked }.searchable(in: \.title) }
/// ```
public final class QueriedList<
    SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable
>: QueriedSource where Item.ID: RowIdentifier {
    public let editedStore: UntypedStore
    public let coder: ContentCoder<Item>

    private let make: @Sendable (ListQuery<SectionID, Item>) throws -> LiveList<SectionID, Item>
    private let signals: @Sendable () throws -> AsyncStream<Void>
    private let state: Mutex<State>

    /// What the app wants, and what the live list has.
    private struct State: Sendable {
        var query: ListQuery<SectionID, Item>
        var text = ""
        var live: LiveList<SectionID, Item>?
        /// Counted up when the query changes.
        var wanted = 0
        /// The query and the words of the live list.
        var hasQuery = 0
        var hasText = ""
        /// Whether a thread changes or reads the live list.
        var isInUse = false
    }

    /// A store through a query. No row is read yet.
    public init<StoreSection>(_ store: ListStore<StoreSection, Item>, _ query: ListQuery<SectionID, Item>) {
        editedStore = store.core
        coder = store.coder
        make = { try LiveList(of: store, $0) }
        signals = { try store.changes() }
        state = Mutex(State(query: query))
    }

    public var searchText: String {
        get { state.withLock { $0.text } }
        set { state.withLock { $0.text = newValue } }
    }

    public func show(_ query: ListQuery<SectionID, Item>) {
        state.withLock { state in
            state.query = query
            state.wanted += 1
        }
    }

    /// Calls `body` with a live list that has the wanted query and words, and that no other thread changes meanwhile.
    private func withLive<Result>(_ body: (LiveList<SectionID, Item>) throws -> Result) throws -> Result {
        let (now, isFree) = state.withLock { state in
            defer { state.isInUse = true }
            return (state, !state.isInUse)
        }
        // The app's functions run outside of the lock, and may wait for anything. So no thread waits for another one's: it makes a
        // live list of its own, in O(n).
        guard isFree else {
            let live = try made(now)
            let result = try body(live)
            // Not earlier, because from now on another thread may change it.
            keep(live, now)
            return result
        }
        defer { state.withLock { $0.isInUse = false } }
        let live = try adjusted(now) ?? made(now)
        keep(live, now)
        return try body(live)
    }

    /// Keeps a live list, unless there is one with a newer query.
    private func keep(_ live: LiveList<SectionID, Item>, _ now: State) {
        state.withLock { state in
            guard now.wanted >= state.hasQuery else { return }
            (state.live, state.hasQuery, state.hasText) = (live, now.wanted, now.text)
        }
    }

    /// The present live list, with the wanted query and words; nil if there is none, or if they fail.
    private func adjusted(_ now: State) -> LiveList<SectionID, Item>? {
        guard let live = now.live else { return nil }
        do {
            if now.hasQuery != now.wanted { try live.show(now.query) }
            if now.hasText != now.text { try live.search(now.text) }
            return live
        } catch {
            // They fail for rows that may be gone from the store by now, while the live list is still at an older version.
            return nil
        }
    }

    /// A new live list.
    private func made(_ now: State) throws -> LiveList<SectionID, Item> {
        let live = try make(now.query)
        if !now.text.isEmpty { try live.search(now.text) }
        return live
    }

    public var snapshot: ListSnapshot<SectionID, Item> {
        get throws { try withLive { try $0.snapshot } }
    }

    public func snapshot(at version: Version) throws -> ListSnapshot<SectionID, Item> {
        try withLive { try $0.snapshot(at: version) }
    }

    /// One signal after each commit, whether or not it changes the rows of the query: the query may have failed before.
    public func changes() throws -> AsyncStream<Void> { try signals() }

    /// Whether rows have the order and the sections of the store: no part of the query sorts or groups.
    public var keepsOrder: Bool { state.withLock { $0.live?.keepsOrder ?? false } }
}

// MARK: - As an observable list

extension ObservableList {
    /// An observable list of a store, through a query that can change.
    ///
    /// If the query fails for a row, the list has no sections at first, `failure` says why, and the query is tried again at each commit.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - names: how commits are named.
    ///   - query: chooses, orders and groups the rows; all rows by default.
    /// - Throws: ``ListError/closed``.
    /// - Complexity: O(n), or O(n log n) if rows are sorted.
    public convenience init<StoreSection, SectionID, Item>(
        _ store: ListStore<StoreSection, Item>, names: ActionNames<Item>,
        query: (ListQuery<StoreSection, Item>) -> ListQuery<SectionID, Item>
    ) throws where Source == QueriedList<SectionID, Item> {
        let reporter = FailureReporter()
        let source = QueriedList(store, query(ListQuery()))
        // A query that shows no section reads nothing, so it cannot fail.
        func nothing() throws -> ListSnapshot<SectionID, Item> {
            try LiveList(of: store, ListQuery().filter { _ in false }.hidingEmptySections()).snapshot
        }
        let initial = try (try? source.snapshot) ?? nothing()
        let driver = try ListDriver(source, names: names, initial: initial, reloadAbove: 1_000, pause: .system) {
            reporter.report($0)
        }
        self.init(driver, reporter)
        // Shows what was committed before the driver followed the store, and reports a query that failed.
        driver.refresh()
    }
}

extension ObservableList where Source: QueriedSource {
    /// The words that the shown rows have, for `searchable(text:)`; empty for all rows.
    ///
    /// - Complexity: of a change: O(n), and O(log n) for each row that appears or disappears. If the user adds letters, only
    ///   the rows that were found are searched.
    public var searchText: String {
        get {
            access(keyPath: \.searchText)
            return driver.source.searchText
        }
        set {
            if newValue == driver.source.searchText { return }
            withMutation(keyPath: \.searchText) { driver.source.searchText = newValue }
            driver.refresh()
        }
    }

    /// Shows the rows of another query. Also to be called if something changed on which the functions of the query depend.
    ///
    /// ```swift
    /// .onChange(of: hidesDone) { list.show { hidesDone ? $0.filter { !$0.isChecked } : $0 } }
    /// ```
    ///
    /// - Complexity: O(n), or O(n log n) if rows are sorted; and O(log n) for each row that appears, disappears or moves.
    public func show(
        _ query: (ListQuery<Source.SectionID, Source.Item>) -> ListQuery<Source.SectionID, Source.Item>
    ) {
        driver.source.show(query(ListQuery()))
        driver.refresh()
    }
}
