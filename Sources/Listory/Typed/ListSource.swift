// What a list view can show: a store, or a view derived from one.
//
// Always holds: the snapshot is asked for, not sent, so whoever is told of changes late or once for several of them
// still shows the newest rows.

import ListModel

/// Rows that have a newest version, tell of newer ones, and are edited by way of a store.
///
/// ``ListStore`` is one; so is a view that filters, sorts or groups what a store holds. What shows rows on a screen works
/// with any.
public protocol ListSource<SectionID, Item>: AnyObject, Sendable {
    /// What identifies a section.
    associatedtype SectionID: IdentifierConvertible
    /// What a row holds.
    associatedtype Item: Codable & Identifiable & Sendable where Item.ID: IdentifierConvertible

    /// The newest rows.
    ///
    /// - Throws: ``StoreError/closed``, or an error of whatever derives the rows.
    var snapshot: ListSnapshot<SectionID, Item> { get throws }

    /// The rows at a version of the store that is edited.
    ///
    /// - Throws: as ``Store/snapshot(at:)-(Version)``, or an error of whatever derives the rows.
    func snapshot(at version: Version) throws -> ListSnapshot<SectionID, Item>

    /// Tells that there are newer rows: an element after one or several changes, from now on. It ends when the store is
    /// closed. Each call makes a sequence of its own, to be read by one reader.
    ///
    /// - Throws: ``StoreError/closed``.
    func changes() throws -> AsyncStream<Void>

    /// Where edits of the rows are committed. Ids of rows are the same there.
    var editedStore: Store { get }

    /// How items are written there.
    var coder: ContentCoder<Item> { get }

    /// Whether rows stand in the order and in the sections of the store, though perhaps not all of them. Then a user may
    /// move them; in rows that are sorted or grouped by what they hold, a place means nothing.
    var keepsOrder: Bool { get }
}

extension ListStore: ListSource {
    public var editedStore: Store { core }
    public var keepsOrder: Bool { true }

    public func changes() throws -> AsyncStream<Void> { try core.changes() }
}
