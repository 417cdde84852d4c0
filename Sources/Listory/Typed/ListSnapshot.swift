// The typed rows at one version. Items are decoded only when they are read.
//
// Always holds: it has the rows of the untyped snapshot that it wraps; reading content needs the store to be open.

import ListModel

/// The sections and rows of a list at one version.
public struct ListSnapshot<SectionID: IdentifierConvertible, Item: Codable & Identifiable & Sendable>: Sendable
where Item.ID: IdentifierConvertible {
    /// The rows as identifiers and references.
    public let core: UntypedSnapshot
    let reader: RowReader<Item>

    init(_ core: UntypedSnapshot, _ source: any CommitSource, _ coder: ContentCoder<Item>) {
        self.core = core
        reader = RowReader(source: source, coder: coder)
    }

    private init(_ core: UntypedSnapshot, _ reader: RowReader<Item>) {
        self.core = core
        self.reader = reader
    }

    /// Other rows of the same list with the same types: another version, or the rows that a view shows between two.
    package func showing(_ core: UntypedSnapshot) -> ListSnapshot { ListSnapshot(core, reader) }

    /// The version.
    public var version: Version { core.version }
    /// The hash of all rows and sections: equal for equal lists, whatever edits led to them.
    public var stateHash: StateHash { core.stateHash }
    /// How many rows there are in all sections.
    public var itemCount: Int { core.itemCount }

    /// The sections, in order.
    public var sections: some RandomAccessCollection<Section> {
        core.sections.lazy.map { [reader] in Section(core: $0, reader: reader) }
    }

    /// The rows of all sections, in order.
    ///
    /// - Complexity: O(1) for each row that is visited; its ``itemCount`` is known, `count` counts.
    public var rows: some BidirectionalCollection<ListRow<Item>> {
        core.sections.lazy.flatMap(\.items).map { [reader] in ListRow(core: $0, reader: reader) }
    }

    /// The section of an id, or nil if there is none.
    ///
    /// - Complexity: O(s) for s sections.
    public func section(_ id: SectionID) -> Section? {
        core.sections.first { $0.id == id.identifier }.map { Section(core: $0, reader: reader) }
    }

    /// The section at an index, or nil if there is none.
    ///
    /// - Complexity: O(log s) for s sections.
    public func section(at index: Int) -> Section? {
        index >= 0 && index < core.sectionCount ? Section(core: core.sections[index], reader: reader) : nil
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
    public struct Section: Sendable {
        /// The section as identifiers and references.
        public let core: UntypedSection
        fileprivate let reader: RowReader<Item>

        /// The identity of the section.
        ///
        /// - Throws: ``ListError/unreadable(what:expected:found:)`` if it is none of the app's.
        public var id: SectionID {
            get throws { try SectionID.reading(core.id, "identifier of a section") }
        }

        /// The title in its header.
        public var title: String { core.title }

        /// Its rows, in order.
        public var rows: some RandomAccessCollection<ListRow<Item>> {
            core.items.lazy.map { [reader] in ListRow(core: $0, reader: reader) }
        }
    }
}

/// A row of a typed snapshot: an item with its checkmark.
public struct ListRow<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: IdentifierConvertible {
    /// The row as an identifier and a reference.
    public let core: UntypedRow
    fileprivate let reader: RowReader<Item>

    init(core: UntypedRow, reader: RowReader<Item>) {
        self.core = core
        self.reader = reader
    }

    /// The identity of the row.
    ///
    /// - Throws: ``ListError/unreadable(what:expected:found:)`` if it is none of the app's.
    public var id: Item.ID {
        get throws { try Item.ID.reading(core.id, "identifier of a row") }
    }

    /// Whether the row has a checkmark.
    public var isChecked: Bool { core.isChecked }
    /// The depth of the row in an outline; otherwise 0.
    public var depth: Int { core.depth }
    /// Whether the row's children are hidden.
    public var isCollapsed: Bool { core.isCollapsed }

    /// The item, read from the log and decoded.
    ///
    /// - Throws: an error of the log, or of the decoder.
    public var item: Item {
        get throws { try reader.coder.item(of: core, in: reader.source) }
    }
}

/// The change of the rows of a typed list by a commit.
public struct ListUpdate<SectionID: IdentifierConvertible, Item: Codable & Identifiable & Sendable>: Sendable
where Item.ID: IdentifierConvertible {
    /// The rows before.
    public let previous: ListSnapshot<SectionID, Item>
    /// The rows after.
    public let snapshot: ListSnapshot<SectionID, Item>
    /// The commit that made the difference. Of several, the last one.
    public let cause: Commit
    /// The commits of this process that were made again, because another process committed first, with the changes that
    /// were left out of them. Nearly always empty.
    public let rebased: [RebasedCommit]

    /// The changes, for a list view to play. They are computed on access.
    public var changeset: Changeset { snapshot.changeset(from: previous) }
}

/// The updates of a typed store, from the creation of the sequence on. See ``UntypedUpdates``.
public struct ListUpdates<SectionID: IdentifierConvertible, Item: Codable & Identifiable & Sendable>:
    AsyncSequence, Sendable
where Item.ID: IdentifierConvertible {
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
            guard let update = await base.next() else { return nil }
            return ListUpdate(
                previous: ListSnapshot(update.previous, source, coder),
                snapshot: ListSnapshot(update.snapshot, source, coder), cause: update.cause, rebased: update.rebased)
        }
    }
}
