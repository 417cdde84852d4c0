// The source of a list view: a store, or a view derived from one.
//
// Always holds: a signal does not contain the snapshot, which is read when it is needed. So a reader shows the newest
// rows even if a signal is late, or stands for several changes.

import ListModel

/// Rows with a newest version and signals of newer ones, which are edited through a store.
///
/// ``ListStore`` conforms, and so does a view that filters, sorts or groups the rows of a store. Drivers and adapters
/// work with any source.
public protocol ListSource<SectionID, Item>: AnyObject, Sendable {
    /// The type of section ids.
    associatedtype SectionID: SectionIdentifier
    /// The type of the items.
    associatedtype Item: Codable & Identifiable & Sendable where Item.ID: RowIdentifier

    /// The newest rows.
    ///
    /// - Throws: ``ListError/closed``, or an error of the view that derives the rows.
    var snapshot: ListSnapshot<SectionID, Item> { get throws }

    /// The rows at a version of the store that is edited.
    ///
    /// - Throws: as ``UntypedStore/snapshot(at:)-(Version)``, or an error of the view that derives the rows.
    func snapshot(at version: Version) throws -> ListSnapshot<SectionID, Item>

    /// Signals newer rows: one element after one or several changes, from now on. It ends when the store is closed.
    /// Each call makes a new sequence for one reader.
    ///
    /// - Throws: ``ListError/closed``.
    func changes() throws -> AsyncStream<Void>

    /// The store in which the rows are edited. Rows have the same ids there.
    var editedStore: UntypedStore { get }

    /// The coder of the store.
    var coder: ContentCoder<Item> { get }

    /// Whether the rows, perhaps not all of them, have the order and the sections of the store. Then a user may move
    /// them; among rows that are sorted or grouped by their content, a place has no meaning.
    var keepsOrder: Bool { get }
}

extension ListStore: ListSource {
    public var editedStore: UntypedStore { core }
    public var keepsOrder: Bool { true }

    public func changes() throws -> AsyncStream<Void> { try core.changes() }
}
