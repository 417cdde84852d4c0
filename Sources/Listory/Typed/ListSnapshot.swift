// The typed rows at one version. Items are decoded only when they are read.
//
// Always holds: it has the rows of the untyped snapshot that it wraps; reading content needs the store to be open.

import ListModel

/// The sections and rows of a list at one version.
public struct ListSnapshot<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>: Sendable
where Item.ID: RowIdentifier {
    /// The rows as identifiers and references.
    public let core: UntypedSnapshot
    let reader: RowReader<Item>
    /// The id of the first section, which a section has that cannot be read later; nil if there are no sections, or if there is a value
    /// for each id.
    private let firstID: SectionID?

    /// - Throws: ``ListError/unreadable(what:expected:found:)`` if `SectionID` has no value for a section; the error of the file if the
    ///   sections cannot be read.
    init(_ core: UntypedSnapshot, _ source: any CommitSource, _ coder: ContentCoder<Item>) throws {
        var firstID: SectionID?
        if !SectionID.coversItsKind {
            // Sections of an enumeration are few. A section that cannot be read has an id that is no value, and only then is a failed
            // read the error. `UntypedSnapshot.reading` would throw for damaged rows too, and those can be shown.
            let failures = core.failureCount
            do {
                for section in core.sections {
                    let id = try SectionID.reading(section.id)
                    firstID = firstID ?? id
                }
            } catch {
                throw ListError(core.failure(since: failures)?.ofRows ?? error)
            }
        }
        self.init(core, RowReader(source: source, coder: coder), firstID)
    }

    /// Rows of a store, such as those of a frame of a ``VersionPlayback``, in the types of the app.
    ///
    /// - Parameters:
    ///   - core: rows of the store.
    ///   - store: the store, which has to be open while contents are read.
    /// - Throws: ``ListError/unreadable(what:expected:found:)`` if `SectionID` has no value for a section.
    public init(_ core: UntypedSnapshot, of store: ListStore<SectionID, Item>) throws {
        try self.init(core, store.core.source, store.coder)
    }

    private init(_ core: UntypedSnapshot, _ reader: RowReader<Item>, _ firstID: SectionID?) {
        self.core = core
        self.reader = reader
        self.firstID = firstID
    }

    /// The rows that a view shows between two snapshots, with sections of those.
    package func showing(_ core: UntypedSnapshot) -> ListSnapshot {
        ListSnapshot(core, reader, firstID)
    }

    /// The version.
    public var version: Version { core.version }
    /// The hash of all rows and sections: equal for equal lists, whatever edits led to them.
    public var stateHash: StateHash { core.stateHash }
    /// How many rows there are in all sections.
    public var itemCount: Int { core.itemCount }

    /// The sections, in order.
    public var sections: ListElements<SectionCollection, Section> {
        ListElements(core.sections) { section($0) }
    }

    /// The rows of all sections, in order: `rows[0]` is the first row of the list.
    ///
    /// - Complexity: O(s) for s sections. Then O(1) for each row of a loop, O(log n) for a row by its position.
    public var rows: ListElements<LaidOutRows, ListRow<Item>> {
        ListElements(core.rows(in: .rows)) { [reader] row in
            guard case .item(let core) = row else { preconditionFailure("a header in a layout without headers") }
            return ListRow(core: core, reader: reader)
        }
    }

    /// The section of an id, or nil if there is none.
    ///
    /// - Complexity: O(s) for s sections.
    public func section(_ id: SectionID) -> Section? {
        core.sections.first { $0.id == id.untypedID }.map { section($0) }
    }

    /// The section at an index, or nil if there is none.
    ///
    /// - Complexity: O(log s) for s sections.
    public func section(at index: Int) -> Section? {
        index >= 0 && index < core.sectionCount ? section(core.sections[index]) : nil
    }

    private func section(_ section: UntypedSection) -> Section {
        Section(id: sectionID(section.id), core: section, reader: reader)
    }

    /// The id of a section in the app's type.
    func sectionID(_ id: UntypedID) -> SectionID {
        guard let id = SectionID(untypedID: id) ?? firstID else {
            preconditionFailure("the ids of all sections were read when the snapshot was made")
        }
        return id
    }

    /// The row at an index path, or nil if there is none.
    ///
    /// - Complexity: O(log n).
    public func row(at path: ListIndexPath) -> ListRow<Item>? {
        core.item(at: path).map { ListRow(core: $0, reader: reader) }
    }

    /// The changeset from another snapshot of the same store to this one.
    ///
    /// - Complexity: O(k log n) for k rows that differ.
    public func changeset(from other: ListSnapshot) -> Changeset { Changeset(from: other.core, to: core) }

    /// A section of a snapshot.
    public struct Section: Identifiable, Sendable {
        /// The identity of the section.
        public let id: SectionID
        /// The section as identifiers and references.
        public let core: UntypedSection
        fileprivate let reader: RowReader<Item>

        /// The title in its header.
        public var title: String { core.title }

        /// Its rows, in order.
        public var rows: ListElements<ItemCollection, ListRow<Item>> {
            ListElements(core.items) { [reader] in ListRow(core: $0, reader: reader) }
        }
    }
}

/// A row of a typed snapshot: an item with its checkmark.
///
/// ```swift
/// label.text = row.item?.title ?? "?"
/// ```
public struct ListRow<Item: Codable & Identifiable & Sendable>: Identifiable, Sendable where Item.ID: RowIdentifier {
    /// The row as an identifier and a reference.
    public let core: UntypedRow
    fileprivate let reader: RowReader<Item>

    init(core: UntypedRow, reader: RowReader<Item>) {
        self.core = core
        self.reader = reader
    }

    /// The identity of the row.
    public var id: Item.ID { Item.ID(untypedID: core.id) }

    /// Whether the row has a checkmark.
    public var isChecked: Bool { core.isChecked }
    /// The depth of the row in an outline; otherwise 0.
    public var depth: Int { core.depth }
    /// Whether the row's children are hidden.
    public var isCollapsed: Bool { core.isCollapsed }

    /// The item, read from the log and decoded each time; nil if that is not possible. ``content`` says why.
    public var item: Item? { try? content.get() }

    /// The item, read from the log and decoded each time, or why it cannot be: an error of the log, or of the decoder.
    public var content: Result<Item, ListError> {
        Result { () throws(ListError) in try door { try reader.coder.item(of: core, in: reader.source) } }
    }
}

/// The change of the rows of a typed list by a commit.
public struct ListUpdate<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>: Sendable
where Item.ID: RowIdentifier {
    /// The update as identifiers and references.
    public let core: UntypedUpdate
    let source: any CommitSource
    let coder: ContentCoder<Item>

    /// The rows before.
    ///
    /// - Throws: as ``ListStore/snapshot``.
    public var previous: ListSnapshot<SectionID, Item> {
        get throws { try ListSnapshot(core.previous, source, coder) }
    }

    /// The rows after.
    ///
    /// - Throws: as ``ListStore/snapshot``.
    public var snapshot: ListSnapshot<SectionID, Item> {
        get throws { try ListSnapshot(core.snapshot, source, coder) }
    }

    /// The commit that made the difference. Of several, the last one.
    public var cause: Commit { core.cause }

    /// The commits of this process that were made again, because another process committed first, with the changes that
    /// were left out of them. Nearly always empty.
    public var rebased: [RebasedCommit] { core.rebased }

    /// The changes, for a list view to play. They are computed on access.
    public var changeset: Changeset { core.changeset }
}

/// The updates of a typed store, from the creation of the sequence on. See ``UntypedUpdates``.
public struct ListUpdates<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>:
    AsyncSequence, Sendable
where Item.ID: RowIdentifier {
    public typealias Element = ListUpdate<SectionID, Item>

    /// The rows before the first update.
    public let initial: ListSnapshot<SectionID, Item>
    let updates: UntypedUpdates
    let source: any CommitSource
    let coder: ContentCoder<Item>

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: updates.makeAsyncIterator(), source: source, coder: coder)
    }

    /// Waits for one update after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: UntypedUpdates.AsyncIterator
        let source: any CommitSource
        let coder: ContentCoder<Item>

        public mutating func next() async -> Element? {
            await base.next().map { ListUpdate(core: $0, source: source, coder: coder) }
        }
    }
}
