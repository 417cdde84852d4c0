// An outline as a list view shows it: only the rows that no ancestor hides, kept up to date from the changes of the list.
//
// The rows that are shown are a list of their own, with an index of their ids, so that a row's neighbours in the outline
// lead to its place in the view. `VisibleRows+Advance.swift` follows the changes.
//
// Always holds: `snapshot` has the sections of `source`, each with just those of its rows that are visible, in their order;
// so it is what building anew would give.

/// The visible rows of outlines, as a list that follows another.
///
/// ```swift
/// var visible = VisibleRows(of: store.snapshot)
/// try store.edit("Collapse") { try $0.collapse(7) }
/// let changes = visible.advance(to: store.snapshot)     // the children of 7 are deleted
/// ```
///
/// The rows are a ``Snapshot`` of the same items, with their depths, so that changesets and views work on it as on any
/// list. It is a value; a copy that is changed later builds its index anew, in O(m) for m visible rows.
public struct VisibleRows: Sendable {
    /// The rows of the list that is followed.
    public private(set) var source: Snapshot
    /// The rows that are visible, with the version of the source.
    public private(set) var snapshot: Snapshot
    private var head: VisibleHead

    /// The visible rows of a snapshot.
    ///
    /// - Complexity: O(m log n) for m visible rows of n; hidden rows are stepped over.
    public init(of source: Snapshot) {
        self.source = source
        head = VisibleHead(of: source)
        snapshot = head.snapshot(source.version)
    }

    /// Follows the list to another version of it, newer or older.
    ///
    /// - Parameter newSource: the rows of the same list at some version.
    /// - Returns: what changed among the visible rows.
    /// - Complexity: O(k log n), for k rows that differ in the source, that appear or disappear, or whose parent another
    ///   row has become; and O(s) for s sections.
    @discardableResult
    public mutating func advance(to newSource: Snapshot) -> Changeset {
        let before = snapshot
        let changes = Changeset(from: source, to: newSource)
        if !changes.isEmpty {
            if !isKnownUniquelyReferenced(&head) { head = VisibleHead(showing: before) }
            // Rows that cannot be read share one id, and cannot be looked up by it.
            do { try head.follow(changes, from: source, to: newSource) } catch { head = VisibleHead(of: newSource) }
        }
        source = newSource
        snapshot = head.snapshot(newSource.version)
        return Changeset(from: before, to: snapshot)
    }
}

/// The visible rows with an index of their ids.
final class VisibleHead: @unchecked Sendable {
    // @unchecked Sendable: it is changed only by a `VisibleRows` that alone refers to it.

    var state: ListState

    /// The visible rows of a snapshot.
    convenience init(of source: Snapshot) {
        self.init(
            source.sections.map { section in
                let outline = section.outline
                let items = outline.visibleRows.map { outline.items[$0] }
                return ListSection(id: section.id, title: section.title, items: items)
            })
    }

    /// Just the rows of a snapshot.
    convenience init(showing snapshot: Snapshot) {
        self.init(
            snapshot.sections.map { ListSection(id: $0.id, title: $0.title, items: Array($0.items)) })
    }

    private init(_ sections: [ListSection]) {
        state = ListState()
        do { try state.apply(.listReloaded(old: [], new: sections)) } catch {
            // Ids that come twice are those of unreadable rows: shown as they are, and built anew with every change.
            state = ListState(NodeStore(limits: TreeLimits()), isTracking: false)
            for (index, section) in sections.enumerated() { try? state.apply(.sectionInserted(at: index, section)) }
        }
    }

    func snapshot(_ version: Version) -> Snapshot {
        state.version = version
        return state.snapshot()
    }
}
