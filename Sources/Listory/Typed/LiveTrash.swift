// The trash of an app's own items: the typed façade over the untyped trash.
//
// Always holds: its only state is the coder; an item that cannot be decoded is a value.

import ListModel

/// A row of a typed list that was in the list and is not any more.
public struct TrashedRow<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>: Identifiable, Sendable
where Item.ID: RowIdentifier {
    /// The row as identifiers and references.
    public let core: UntypedTrashedRow
    /// The row as it was last, with its item.
    public let row: ListRow<Item>

    fileprivate init(_ core: UntypedTrashedRow, _ reader: RowReader<Item>) {
        (self.core, row) = (core, ListRow(core: core.row, reader: reader))
    }

    /// The identity of the row.
    public var id: Item.ID { row.id }
    /// The section that it was in; nil if `SectionID` has no value for it, such as a case that an enumeration had once.
    public var sectionID: SectionID? { SectionID(untypedID: core.sectionID) }
    /// The title that the section had then.
    public var sectionTitle: String { core.sectionTitle }
    /// The commit that took it out of the list: when that was, by whom, and why.
    public var commit: CommitInfo { core.commit }
    /// The last version that has the row, to restore it from.
    public var lastVersion: Version { core.lastVersion }
}

/// The rows of a typed trash at one version.
public struct TrashSnapshot<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>: Sendable
where Item.ID: RowIdentifier {
    /// The rows as identifiers and references.
    public let core: UntypedTrashSnapshot
    fileprivate let reader: RowReader<Item>

    /// The rows, those that were deleted last first.
    public var rows: ListElements<UntypedTrashedRows, TrashedRow<SectionID, Item>> {
        ListElements(core.rows) { [reader] in TrashedRow($0, reader) }
    }

    /// The version.
    public var version: Version { core.version }
    /// Whether these are all rows. Otherwise ``LiveTrash/loadMore(_:)`` reads further ones.
    public var isComplete: Bool { core.isComplete }
}

/// A view of the rows that were in a typed list and are not any more, kept up to date.
///
/// ```swift
/// let trash = try store.liveTrash(searchableIn: \.title)
/// for row in try trash.snapshot.rows { print(row.row.item?.title ?? "?", row.sectionTitle, row.commit.time) }
/// ```
///
/// See ``UntypedLiveTrash``.
public final class LiveTrash<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>: Sendable
where Item.ID: RowIdentifier {
    /// The view of identifiers and bytes that this one wraps.
    public let core: UntypedLiveTrash
    private let reader: RowReader<Item>

    fileprivate init(_ core: UntypedLiveTrash, _ reader: RowReader<Item>) { (self.core, self.reader) = (core, reader) }

    /// The rows that the view shows at the newest version of the store. See ``UntypedLiveTrash/snapshot``.
    public var snapshot: TrashSnapshot<SectionID, Item> {
        get throws { TrashSnapshot(core: try core.snapshot, reader: reader) }
    }

    /// The rows that the view showed last, without reading the store.
    public var shown: TrashSnapshot<SectionID, Item> { TrashSnapshot(core: core.shown, reader: reader) }

    /// Reads further rows, which were deleted before those that are shown. See ``UntypedLiveTrash/loadMore(_:)``.
    @discardableResult
    public func loadMore(_ count: Int = UntypedLiveTrash.pageSize) throws -> UntypedTrashUpdate {
        try core.loadMore(count)
    }

    /// Searches for words; an empty text shows all rows again. See ``UntypedLiveTrash/search(_:limit:)``.
    @discardableResult
    public func search(_ text: String, limit: Int = UntypedLiveTrash.pageSize) throws -> UntypedTrashUpdate {
        try core.search(text, limit: limit)
    }

    /// The changes in the view from now on. See ``UntypedLiveTrash/updates()``.
    public func updates() throws -> UntypedTrashUpdates { try core.updates() }

    /// The rows of an update of this view.
    public func rows(_ snapshot: UntypedTrashSnapshot) -> TrashSnapshot<SectionID, Item> {
        TrashSnapshot(core: snapshot, reader: reader)
    }
}

extension ListStore {
    /// A view of the rows that were in the list and are not any more, kept up to date.
    ///
    /// - Parameters:
    ///   - limit: how many rows are read at first.
    ///   - text: the text of an item in which ``LiveTrash/search(_:limit:)`` looks for words. Items that cannot be decoded are not
    ///     found.
    /// - Throws: as ``UntypedLiveTrash/init(of:limit:text:)``.
    public func liveTrash(
        limit: Int = UntypedLiveTrash.pageSize, searchableIn text: @escaping @Sendable (Item) -> String = { _ in "" }
    ) throws -> LiveTrash<SectionID, Item> {
        let reader = RowReader(source: core.source, coder: coder)
        let trash = try UntypedLiveTrash(of: core, limit: limit) { trashed in
            ListRow(core: trashed.row, reader: reader).item.map(text) ?? ""
        }
        return LiveTrash(trash, reader)
    }

    /// The rows that were in the list and are not any more, those that were deleted last first.
    ///
    /// ```swift
    /// for row in try store.trash(limit: 20) { print(row.row.item?.title ?? "?", row.commit.time, row.commit.origin) }
    /// ```
    ///
    /// - Parameters, Throws, Complexity: as ``UntypedStore/trash(before:limit:where:)``.
    public func trash(
        before version: Version? = nil, limit: Int = .max,
        where isIncluded: (TrashedRow<SectionID, Item>) throws -> Bool = { _ in true }
    ) throws -> [TrashedRow<SectionID, Item>] {
        let reader = RowReader(source: core.source, coder: coder)
        return try core.trash(before: version, limit: limit) { try isIncluded(TrashedRow($0, reader)) }
            .map { TrashedRow($0, reader) }
    }
}
