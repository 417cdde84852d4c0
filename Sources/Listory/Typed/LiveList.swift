// A live view of an app's own items: the typed façade over `UntypedLiveList`.
//
// Always holds: its only state is the coder; it converts queries to stages and forwards everything else.

import ListModel

/// A view of a typed list, kept up to date.
///
/// ```swift
/// let view = try store.view { list in
///     list.filter { !$0.isChecked }.searchable(in: \.title).grouped { try $0.item?.project ?? "None" }
/// }
/// try view.search("milk")
/// for section in try view.snapshot.sections {
///     for row in section.rows { print(row.item?.title ?? "?") }
/// }
/// ```
public final class LiveList<
    SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable
>: Sendable where Item.ID: RowIdentifier {
    /// The view of identifiers and bytes that this one wraps.
    public let core: UntypedLiveList
    /// The coder of the store's items.
    public let coder: ContentCoder<Item>

    /// A typed view of a store.
    ///
    /// - Throws: as ``UntypedLiveList/init(of:_:searchingFor:)``.
    public init<Source>(of store: ListStore<Source, Item>, _ query: ListQuery<SectionID, Item>) throws {
        coder = store.coder
        core = try UntypedLiveList(
            of: store.core, query.stages(store.core.source, store.coder), keepsOrder: query.keepsOrder)
    }

    private func typed(_ snapshot: UntypedSnapshot) throws -> ListSnapshot<SectionID, Item> {
        try ListSnapshot(snapshot, core.store.source, coder)
    }

    /// The rows of the view at the newest version of the store. See ``UntypedLiveList/snapshot``.
    public var snapshot: ListSnapshot<SectionID, Item> {
        get throws { try typed(core.snapshot) }
    }

    /// The index path of the row of an id in the view; nil if the view does not show it. See
    /// ``UntypedLiveList/indexPath(of:)``.
    public func indexPath(of id: Item.ID) throws -> ListIndexPath? { try core.indexPath(of: id.untypedID) }

    /// Why the view shows a row where it does, or does not show it, and which commits made the row as it is.
    ///
    /// ```swift
    /// print(try view.explanation(ofRow: 7))       // … It does not pass the filter 2 of 3. …
    /// ```
    ///
    /// - Parameters, Returns, Throws, Complexity: as ``UntypedLiveList/explanation(ofRow:at:)``.
    public func explanation(ofRow id: Item.ID, at version: Version? = nil) throws -> RowExplanation {
        try core.explanation(ofRow: id.untypedID, at: version)
    }

    /// The rows that the view showed last, without reading the store.
    ///
    /// - Throws: as ``ListStore/snapshot``.
    public var shown: ListSnapshot<SectionID, Item> {
        get throws { try typed(core.shown) }
    }

    /// The rows of the view at a version of the store. See ``UntypedLiveList/snapshot(at:)``.
    public func snapshot(at version: Version) throws -> ListSnapshot<SectionID, Item> {
        try typed(core.snapshot(at: version))
    }

    /// Searches for words in the rows of a query that is searchable. See ``UntypedLiveList/search(_:)``.
    @discardableResult
    public func search(_ text: String) throws -> ListTransition { try core.search(text) }

    /// Shows only the first rows, or all for nil. See ``UntypedLiveList/showFirst(_:)``.
    @discardableResult
    public func showFirst(_ count: Int?) throws -> ListTransition { try core.showFirst(count) }

    /// Replaces the query. Also to be called with the same query if something changed on which its functions depend.
    ///
    /// - Returns: the changes in the view, as one transition.
    /// - Throws: ``ListError/query(_:)`` for the first row that cannot be placed; the view then stays as it is.
    /// - Complexity: as ``DerivedView/replaceStages(_:)``.
    @discardableResult
    public func show(_ query: ListQuery<SectionID, Item>) throws -> ListTransition {
        try core.replaceStages(query.stages(core.store.source, coder), keepsOrder: query.keepsOrder)
    }

    /// The changes in the view from now on. See ``UntypedLiveList/updates()``.
    public func updates() throws -> UntypedLiveUpdates { try core.updates() }
}

extension ListStore {
    /// A view of the rows, kept up to date.
    ///
    /// - Parameter query: chooses, orders and groups the rows.
    /// - Throws: ``ListError/closed``; ``ListError/query(_:)`` for the first row that cannot be placed.
    /// - Complexity: O(n), or O(n log n) if rows are sorted.
    public func view<Section: SectionIdentifier>(
        _ query: (ListQuery<SectionID, Item>) -> ListQuery<Section, Item>
    ) throws -> LiveList<Section, Item> {
        try LiveList(of: self, query(ListQuery()))
    }
}

// MARK: - On a screen

extension LiveList: ListSource {
    public var editedStore: UntypedStore { core.store }

    /// Whether rows have the order and the sections of the store: no part of the query sorts or groups.
    public var keepsOrder: Bool { core.keepsOrder }

    /// An error is thrown to the caller that reads the newest rows, so it is not reported here again.
    public func changes() throws -> AsyncStream<Void> { try core.changes() }
}

extension ListQuery {
    /// Whether rows have the order and the sections of the list.
    var keepsOrder: Bool {
        parts.allSatisfy { part in
            guard case .arrange(let rules) = part else { return true }
            return rules.keys.isEmpty && rules.sections.isOfSource
        }
    }
}

extension Arrangement.Sections {
    fileprivate var isOfSource: Bool { if case .source = self { true } else { false } }
}
