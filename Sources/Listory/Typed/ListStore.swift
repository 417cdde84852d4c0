// A store of an app's own items: the typed façade over `UntypedStore`.
//
// Always holds: it has no state that changes; it only converts ids and content, and forwards everything else to the core.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A durable list of `Item`s in sections, with undo that survives a crash.
///
/// ```swift
/// struct Todo: Codable, Identifiable, Sendable { var id: Int; var title: String }
///
/// let store = try ListStore<String, Todo>.open(at: "todo.listory", createIfMissing: true)
/// let id = try store.edit("Add Milk") { try $0.insert(Todo(id: 7, title: "Milk"), at: .end(of: "today")).id }
/// try store.edit("Check Milk") { try $0.toggle(id) }
/// try store.edit("Rename") { try $0.update(id) { $0.title = "Bread" } }
/// try store.undo()
/// for row in try store.snapshot.rows { print(row) }                         // [x] Milk
/// try store.edit("Clear Completed") { try $0.delete { $0.isChecked } }
/// ```
///
/// Identity and content are separate: a row keeps its id when its item changes. The checkmark belongs to the row, not
/// to the item, so toggling it does not rewrite the item.
public final class ListStore<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>: StoreProtocol
where Item.ID: RowIdentifier {
    /// The store of identifiers and bytes that this one wraps.
    public let core: UntypedStore
    /// The coder of the items.
    public let coder: ContentCoder<Item>

    /// A typed view of a store that is open.
    ///
    /// - Parameters:
    ///   - core: the store.
    ///   - coder: encodes and decodes items.
    /// - Throws: ``ListError/otherIdentifiers(path:expected:found:)`` if its rows or sections have other kinds of ids.
    /// - Complexity: O(1); the first time for a store that was not made with these types, O(events).
    public init(_ core: UntypedStore, coder: ContentCoder<Item> = .json) throws {
        self.core = core
        self.coder = coder
        try core.require(Self.identifierKinds)
    }

    private static var identifierKinds: IdentifierKinds {
        IdentifierKinds(rows: Item.ID.kind, sections: SectionID.kind)
    }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - createIfMissing: whether to create a new store if there is no file, or one whose creation was interrupted.
    ///   - options: how the store is opened.
    ///   - coder: encodes and decodes items.
    /// - Throws: as ``UntypedStore/open(at:options:)``, ``UntypedStore/create(at:options:)`` and ``init(_:coder:)``.
    public static func open(
        at path: String, createIfMissing: Bool = false, options: StoreOptions = StoreOptions(),
        coder: ContentCoder<Item> = .json
    ) throws -> ListStore {
        guard createIfMissing else {
            return try ListStore(UntypedStore.open(at: path, options: options), coder: coder)
        }
        var options = options
        options.identifierKinds = identifierKinds
        return try ListStore(UntypedStore.openOrCreate(at: path, options: options), coder: coder)
    }

    /// Opens a store. See ``open(at:createIfMissing:options:coder:)-(String,_,_,_)``.
    ///
    /// - Parameters:
    ///   - url: the URL of a file.
    ///   - createIfMissing: whether a new, empty store is made if there is no file.
    ///   - options: how it behaves; most apps need none.
    ///   - coder: how items are written into the file.
    public static func open(
        at url: URL, createIfMissing: Bool = false, options: StoreOptions = StoreOptions(),
        coder: ContentCoder<Item> = .json
    ) throws -> ListStore {
        try open(at: url.path, createIfMissing: createIfMissing, options: options, coder: coder)
    }

    /// The path of the file.
    public var path: String { core.path }
    /// The options with which it was opened.
    public var options: StoreOptions { core.options }
    /// The work of opening it.
    public var recovery: UntypedStore.Recovery { core.recovery }

    /// Makes one commit of the edits that `body` makes. If they change nothing, no commit is made.
    ///
    /// ```swift
    /// let id = try store.edit("Add Milk") { try $0.insert(Todo(id: 7, title: "Milk"), at: .end(of: "today")).id }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the user's action, for a menu: "Add milk".
    ///   - origin: the author of the commit; may be empty.
    ///   - tracking: which history it belongs to; nil for that of ``StoreOptions/undoScope``. `.untracked` leaves it out of undo.
    ///   - isDiscardable: whether no document needs to be saved because of it.
    ///   - durability: what to wait for; nil for the store's default.
    ///   - body: makes the edits, and reads. It must neither use the store itself nor keep the list that it receives.
    /// - Returns: what `body` returns.
    /// - Throws: as ``UntypedStore/edit(_:origin:time:tracking:isDiscardable:durability:_:)``; an error of the encoder.
    @discardableResult
    public func edit<Result>(
        _ name: String, origin: String = "", tracking: Tracking? = nil, isDiscardable: Bool = false,
        durability: Durability? = nil, _ body: (ListEdit<SectionID, Item>) throws -> Result
    ) throws -> Result {
        try make(
            name, origin: origin, tracking: tracking, isDiscardable: isDiscardable, durability: durability, body
        ).0
    }

    /// As ``edit(_:origin:tracking:isDiscardable:durability:_:)-1rwu6``.
    ///
    /// - Returns: also the version of the commit, if one was made.
    func make<Result>(
        _ name: String, origin: String, tracking: Tracking?, isDiscardable: Bool, durability: Durability?,
        _ body: (ListEdit<SectionID, Item>) throws -> Result
    ) throws -> (Result, Version?) {
        var result: Result?
        var contents: EditContents?
        let commit = try core.editInSteps(
            name, origin: origin, tracking: tracking, isDiscardable: isDiscardable, durability: durability
        ) { turn in
            let edit = ListEdit<SectionID, Item>(turn, core.source, coder)
            defer { contents = edit.end() }
            result = try body(edit)
        }
        if commit != nil { contents?.leadToLog() }
        return (result!, commit?.version)
    }

    /// Waits until everything is durable and closes the file. See ``UntypedStore/close(discardingUnappended:)``.
    public func close(discardingUnappended: Bool = false) throws {
        try core.close(discardingUnappended: discardingUnappended)
    }
}

// MARK: - Reading

extension ListStore {
    /// The newest rows, as a value that never changes.
    ///
    /// - Complexity: O(1).
    public var snapshot: ListSnapshot<SectionID, Item> {
        get throws { try ListSnapshot(core.snapshot, core.source, coder) }
    }

    /// The rows at a version. See ``UntypedStore/snapshot(at:)-(Version)``.
    public func snapshot(at version: Version) throws -> ListSnapshot<SectionID, Item> {
        try ListSnapshot(core.snapshot(at: version), core.source, coder)
    }

    /// The rows at a time. See ``UntypedStore/snapshot(at:)-(Timestamp)``.
    public func snapshot(at time: Timestamp) throws -> ListSnapshot<SectionID, Item> {
        try snapshot(at: version(at: time))
    }

    /// The rows at a date. See ``UntypedStore/snapshot(at:)-(Timestamp)``.
    ///
    /// ```swift
    /// print(try store.snapshot(at: .now - 300))           // five minutes ago
    /// ```
    public func snapshot(at date: Date) throws -> ListSnapshot<SectionID, Item> {
        try snapshot(at: version(at: Timestamp(date)))
    }

    /// The index path of the row of an id in the newest version, or nil if there is none.
    ///
    /// - Complexity: O(log n).
    public func indexPath(of id: Item.ID) throws -> ListIndexPath? {
        try core.indexPath(of: id.untypedID)
    }

    /// The index of a section in the newest version, or nil if there is none.
    ///
    /// - Complexity: as ``UntypedStore/indexOfSection(_:)``.
    public func indexOfSection(_ id: SectionID) throws -> Int? { try core.indexOfSection(id.untypedID) }

    /// The section that a row is in, in the newest version, or nil if there is no such row.
    ///
    /// - Throws: ``ListError/unreadable(what:expected:found:)`` if the section's id is none of the app's.
    /// - Complexity: as ``UntypedStore/sectionID(containing:)``.
    public func sectionID(containing id: Item.ID) throws -> SectionID? {
        try core.sectionID(containing: id.untypedID).map { try SectionID.reading($0) }
    }

    /// The row of an id in the newest version, or nil if there is none.
    ///
    /// - Complexity: O(log n) expected.
    public func row(_ id: Item.ID) throws -> ListRow<Item>? {
        try core.item(id.untypedID).map { ListRow(core: $0, reader: RowReader(source: core.source, coder: coder)) }
    }

    /// The item of an id in the newest version, or nil if there is none.
    ///
    /// - Throws: an error of the log or of the decoder.
    /// - Complexity: O(1) expected, plus decoding.
    public func item(_ id: Item.ID) throws -> Item? {
        try door {
            try core.item(id.untypedID).map { try coder.item(of: $0, in: core.source) }
        }
    }

    /// The commits that changed a row, the newest first, also if the row is not in the list any more.
    ///
    /// ```swift
    /// for change in try store.history(ofRow: 7, limit: 20) {
    ///     print(change.commit.time, change.commit.origin, change.commit.name)
    /// }
    /// ```
    ///
    /// - Parameters, Returns, Throws, Complexity: as ``UntypedStore/history(ofRow:before:limit:)``.
    public func history(ofRow id: Item.ID, before version: Version? = nil, limit: Int = .max) throws -> [RowChange] {
        try core.history(ofRow: id.untypedID, before: version, limit: limit)
    }

    /// The commits that changed a section, the newest first: those that inserted, deleted, moved or renamed it.
    ///
    /// - Parameters, Returns, Throws, Complexity: as ``UntypedStore/history(ofRow:before:limit:)``.
    public func history(
        ofSection id: SectionID, before version: Version? = nil, limit: Int = .max
    ) throws -> [RowChange] {
        try core.history(ofSection: id.untypedID, before: version, limit: limit)
    }

    /// The commits that made each of some rows as it is, or as it was at a version: that inserted it, changed it last, and moved
    /// it last.
    ///
    /// - Parameters, Returns, Throws, Complexity: as ``UntypedStore/blame(ofRows:at:)``.
    public func blame(ofRows ids: [Item.ID], at version: Version? = nil) throws -> [RowBlame] {
        try core.blame(ofRows: ids.map(\.untypedID), at: version)
    }

    /// Restores a row as it was at a version, with a commit that can itself be undone.
    ///
    /// ```swift
    /// try store.restoreRow(7, from: 12)
    /// ```
    ///
    /// - Parameters, Returns, Throws, Complexity: as ``UntypedStore/restoreRow(_:from:name:origin:durability:)``.
    @discardableResult
    public func restoreRow(
        _ id: Item.ID, from version: Version, name: String = "Restore Row", origin: String = "",
        durability: Durability? = nil
    ) throws -> Commit? {
        try core.restoreRow(id.untypedID, from: version, name: name, origin: origin, durability: durability)
    }

    /// Restores a section of a version with its rows, with a commit that can itself be undone. Rows of it that are in the list
    /// now stay as they are.
    ///
    /// - Parameters, Returns, Throws, Complexity: as ``UntypedStore/restoreSection(_:from:name:origin:durability:)``.
    @discardableResult
    public func restoreSection(
        _ id: SectionID, from version: Version, name: String = "Restore Section", origin: String = "",
        durability: Durability? = nil
    ) throws -> Commit? {
        try core.restoreSection(id.untypedID, from: version, name: name, origin: origin, durability: durability)
    }

    /// Why a row is where it is in the list, and which commits made it as it is; or which one deleted it.
    ///
    /// - Parameters, Throws, Complexity: as ``UntypedStore/explanation(ofRow:at:)``.
    public func explanation(ofRow id: Item.ID, at version: Version? = nil) throws -> RowExplanation {
        try core.explanation(ofRow: id.untypedID, at: version)
    }

    /// The updates from now on, one for each commit. See ``UntypedStore/updates()``.
    public func updates() throws -> ListUpdates<SectionID, Item> {
        let updates = try core.updates()
        return ListUpdates(
            initial: try ListSnapshot(updates.initial, core.source, coder), updates: updates, source: core.source,
            coder: coder)
    }
}

// MARK: - Projections

extension ListStore {
    /// A projection of the events of this store that reads items. See ``UntypedStore/projection(_:)``.
    ///
    /// - Throws: as ``UntypedStore/projection(_:)``.
    public func projection<Value: ItemProjection<Item> & SendableMetatype>(
        _ type: Value.Type
    ) throws -> LiveProjection<Value> {
        try door {
            try core.projection(ProjectionRules<Value>.typed(coder))
        }
    }

    /// A projection of the events of this store. See ``UntypedStore/projection(_:)``.
    public func projection<Value: Projection & SendableMetatype>(_ type: Value.Type) throws
        -> LiveProjection<Value>
    {
        try core.projection(type)
    }
}

// MARK: - Erasing

extension ListStore {
    /// Erases the contents of rows, all that they had at any version. See ``StoreProtocol/erase(_:at:options:progress:)``.
    ///
    /// ```swift
    /// try ListStore<String, Todo>.erase([7], at: path)
    /// ```
    @discardableResult
    public static func erase(
        _ rows: some Sequence<Item.ID>, at path: String, options: StoreOptions = StoreOptions()
    ) throws -> ErasureReport {
        try erase(Erasure(rows: Set(rows.map(\.untypedID))), at: path, options: options)
    }
}
