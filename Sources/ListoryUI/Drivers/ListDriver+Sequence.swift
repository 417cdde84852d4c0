// The shown rows as one sequence, for views without sections.

import ListModel
import Listory

extension ListDriver {
    /// The rows that the view shows, in one sequence.
    ///
    /// - Complexity: O(s) for s sections if the rows have changed, otherwise O(1).
    public func rows(in layout: RowLayout) -> LaidOutRows { player.rows(in: layout) }

    /// The item or header at a row of the sequence, or nil if there is no such row.
    public func place(atRow row: Int, in layout: RowLayout) -> RowPlace? {
        let rows = rows(in: layout)
        return rows.indices.contains(row) ? rows.place(at: row) : nil
    }

    /// The items at some rows of the sequence, without headers.
    public func items(
        atRows rows: some Sequence<Int>, in layout: RowLayout
    ) -> [ListRow<Source.Item>] {
        rows.compactMap { row in
            guard case .item(let path) = place(atRow: row, in: layout) else { return nil }
            return self.row(at: path)
        }
    }

    /// The place above a row of the sequence, for a drop: the section, and the number of its rows above the place.
    /// Above the header of a section, it is the end of the section before; nil if there is no section.
    public func gap(aboveRow row: Int, in layout: RowLayout) -> ListIndexPath? {
        switch place(atRow: row, in: layout) {
        case .item(let path): path
        case .header(section: 0): ListIndexPath(section: 0, item: 0)
        case .header(let section): end(ofSection: section - 1)
        case nil: sectionCount == 0 ? nil : end(ofSection: sectionCount - 1)
        }
    }

    /// Whether rows may be dropped at a place. It costs O(dragged rows), so it can be called whenever the mouse moves.
    ///
    /// - Parameters:
    ///   - rows: the dragged rows.
    ///   - gap: the section, and the number of its rows above the place.
    public func canMove(_ rows: [ListRow<Source.Item>], toGap gap: ListIndexPath) -> Bool {
        source.keepsOrder && previewed == nil && !rows.isEmpty && gap.section >= 0 && gap.section < sectionCount
            && rows.allSatisfy { rules.canMove($0) && rules.canMoveInto($0, gap.section) }
    }

    private func end(ofSection section: Int) -> ListIndexPath {
        ListIndexPath(section: section, item: itemCount(inSection: section))
    }
}
