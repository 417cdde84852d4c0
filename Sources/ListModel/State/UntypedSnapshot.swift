// The rows at one version, as an immutable value.
//
// Always holds: every hash in the trees of a snapshot is sealed. The trees share nodes with other snapshots and with
// the head, and a node that a snapshot refers to is never written.

/// The sections and rows of a list at one version.
///
/// A snapshot is an immutable value. Copying it is O(1), and keeping it needs memory only for the nodes that later
/// versions change.
///
/// ```swift
/// for section in snapshot.sections {
///     print(section.title, section.items.count)
/// }
/// let changes = Changeset(from: earlier, to: snapshot)
/// ```
public struct UntypedSnapshot: Sendable {
    /// The version of the rows.
    public let version: Version
    /// The number of rows in all sections.
    public let itemCount: Int
    /// The tree of sections.
    let tree: PersistentTree<SectionEntry>

    init(version: Version, itemCount: Int, tree: PersistentTree<SectionEntry>) {
        self.version = version
        self.itemCount = itemCount
        self.tree = tree
    }

    /// A list without sections.
    package init(empty state: borrowing ListState) {
        self.init(version: .empty, itemCount: 0, tree: PersistentTree(state.pool))
    }

    /// A list without sections, before any commit.
    public static let empty = UntypedSnapshot(
        version: .empty, itemCount: 0, tree: PersistentTree(NodePool(limits: TreeLimits())))

    /// The number of sections.
    public var sectionCount: Int { tree.count }

    /// The hash of all rows and sections. Equal lists have equal hashes, whatever edits led to them.
    ///
    /// - Complexity: O(1).
    public var stateHash: StateHash {
        StateHash(count: tree.count, hash: tree.hash)
    }

    /// The sections, in order.
    public var sections: SectionCollection { SectionCollection(tree: tree) }

    /// The row at an index path, or nil if there is none.
    ///
    /// - Complexity: O(log n).
    public func item(at path: ListIndexPath) -> UntypedRow? {
        guard tree.indices.contains(path.section) else { return nil }
        let items = tree[path.section].items(tree.pool)
        return items.indices.contains(path.item) ? items[path.item] : nil
    }

    /// The index path of the row of an id, or nil if there is none.
    ///
    /// - Complexity: O(n), because only the head has an index. See ``ListState/indexPath(of:)``.
    public func indexPath(of id: UntypedID) -> ListIndexPath? {
        for (index, section) in sections.enumerated() {
            if let item = section.tree.firstOffset(where: { $0.id == id }) {
                return ListIndexPath(section: index, item: item)
            }
        }
        return nil
    }
}

// MARK: - Rows that cannot be read

extension UntypedSnapshot {
    /// How many times a stored node of the list could not be read, for ``failure(since:)``.
    package var failureCount: Int { tree.pool.failureCount }

    /// The damage of nodes, or the error of a read that failed since there were so many failures; nil if there is neither.
    package func failure(since count: Int) -> (any Error)? { tree.pool.failure(since: count) }

    /// Runs `body`, and throws if nodes of this snapshot could not be read meanwhile.
    package func checked<Result>(_ body: () throws -> Result) throws -> Result { try tree.pool.checked(body) }
}

extension PersistentTree where Element: TreeElement {
    /// The valid offsets.
    var indices: Range<Int> { 0..<count }
}

/// The sections of a snapshot.
public struct SectionCollection: RandomAccessCollection, Sendable {
    let tree: PersistentTree<SectionEntry>

    public var startIndex: Int { 0 }
    public var endIndex: Int { tree.count }

    /// The section at an index.
    ///
    /// - Complexity: O(log s) for s sections.
    public subscript(position: Int) -> UntypedSection { UntypedSection(entry: tree[position], pool: tree.pool) }

    /// An iterator over the sections in order, O(1) each.
    public func makeIterator() -> SectionIterator { SectionIterator(cursor: TreeCursor(tree), pool: tree.pool) }
}

/// An iterator over the sections of a snapshot.
public struct SectionIterator: IteratorProtocol {
    var cursor: TreeCursor<SectionEntry>
    let pool: NodePool

    public mutating func next() -> UntypedSection? { cursor.next().map { UntypedSection(entry: $0, pool: pool) } }
}

/// A section of a snapshot.
public struct UntypedSection: Identifiable, Sendable {
    let entry: SectionEntry
    let pool: NodePool

    /// The identity of the section.
    public var id: UntypedID { entry.id }
    /// The text of its header.
    public var title: String { entry.title }
    /// Its rows, in order.
    public var items: ItemCollection { ItemCollection(tree: tree) }

    var tree: PersistentTree<UntypedRow> { entry.items(pool) }
}

/// The rows of a section of a snapshot.
public struct ItemCollection: RandomAccessCollection, Sendable {
    let tree: PersistentTree<UntypedRow>

    public var startIndex: Int { 0 }
    public var endIndex: Int { tree.count }

    /// The row at an index in the section.
    ///
    /// - Complexity: O(log n).
    public subscript(position: Int) -> UntypedRow { tree[position] }

    /// An iterator over the rows in order, O(1) each.
    public func makeIterator() -> ItemIterator { ItemIterator(cursor: TreeCursor(tree)) }
}

/// An iterator over the rows of a section.
public struct ItemIterator: IteratorProtocol {
    var cursor: TreeCursor<UntypedRow>

    public mutating func next() -> UntypedRow? { cursor.next() }
}

// MARK: - For people

extension UntypedSnapshot: CustomStringConvertible, CustomReflectable {
    /// The version, then the sections and rows, one a line; of a long list the first hundred rows.
    public var description: String {
        text(sections, \.header, { $0.items.lazy.map(\.description) })
    }

    public var customMirror: Mirror {
        Mirror(self, children: ["version": version, "sections": Array(sections)], displayStyle: .struct)
    }

    /// The version and the first hundred rows.
    ///
    /// - Parameters:
    ///   - header: the line above a section.
    ///   - rows: the lines of the rows of a section.
    package func text<Section, Lines: Sequence<String>>(
        _ sections: some Sequence<Section>, _ header: (Section) -> String, _ rows: (Section) -> Lines
    ) -> String {
        var lines = ["version \(version)"]
        var left = 100
        for section in sections where left > 0 {
            lines.append(header(section))
            for row in rows(section).prefix(left) {
                lines.append("  " + row)
                left -= 1
            }
        }
        if itemCount > 100 { lines.append("… \(itemCount - 100) more rows") }
        return lines.joined(separator: "\n")
    }
}

extension UntypedSection: CustomStringConvertible, CustomReflectable {
    /// The id, the title and the number of rows.
    public var description: String { "\(header) (\(items.count) rows)" }

    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "title": title, "items": Array(items)], displayStyle: .struct)
    }

    /// The id and the title, if there is one.
    fileprivate var header: String { title.isEmpty ? "\(id)" : "\(id): \(title)" }
}
