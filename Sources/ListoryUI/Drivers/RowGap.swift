// A place between rows, by the ids of its neighbours.
//
// On screen a place is an index; in the store there may be other rows by now, or rows that a filter hides. So a place is
// named by the rows next to it, and found again from them when the edit is made.

import ListModel

/// A place in the rows that a view shows.
struct RowGap {
    /// The section it is in.
    let section: Identifier
    /// The row before it, without those that are to be put there.
    let previous: Identifier?
    /// The row after it, without those that are to be put there.
    let next: Identifier?

    /// A gap between the shown rows.
    ///
    /// - Parameters:
    ///   - gap: the section, and the number of rows above the gap, those that are to move among them; as SwiftUI and
    ///     AppKit count.
    ///   - moved: the rows that are to be put there.
    /// - Throws: ``ListError`` if there is no such section or gap.
    /// - Complexity: O(log n) for each moved row beside the gap.
    init(gap: ListIndexPath, moved: Set<Identifier> = [], in snapshot: Snapshot) throws(ListError) {
        let sections = snapshot.sections
        guard sections.indices.contains(gap.section) else {
            throw ListError.sectionIndexOutOfRange(gap.section, valid: 0..<sections.count)
        }
        let items = sections[gap.section].items
        guard gap.item >= 0 && gap.item <= items.count else {
            throw ListError.itemIndexOutOfRange(gap, valid: 0..<items.count + 1)
        }
        section = sections[gap.section].id
        var before = gap.item - 1
        while before >= 0, moved.contains(items[before].id) { before -= 1 }
        previous = before >= 0 ? items[before].id : nil
        var after = gap.item
        while after < items.count, moved.contains(items[after].id) { after += 1 }
        next = after < items.count ? items[after].id : nil
    }

    /// The place where a row is to be put, as UIKit counts.
    ///
    /// - Parameters:
    ///   - target: where it will be: its index counts the rows without the one that moves.
    ///   - source: where it is.
    /// - Throws: ``ListError`` if there is no such row or place.
    init(moving source: ListIndexPath, to target: ListIndexPath, in snapshot: Snapshot) throws(ListError) {
        guard let item = snapshot.item(at: source) else {
            throw ListError.itemIndexOutOfRange(source, valid: 0..<snapshot.itemCount(inSection: source.section))
        }
        var gap = target
        if source.section == target.section && target.item > source.item { gap.item += 1 }
        try self.init(gap: gap, moved: [item.id], in: snapshot)
    }

    /// The place in the rows that are edited.
    ///
    /// Neighbours count if they are still in the section: the one before, or else the one after. Without either it is
    /// the end of the section.
    ///
    /// - Parameter isSectionKnown: whether the section is one of the store; in rows that are grouped by something it is
    ///   not, and any neighbour counts.
    func destination(in editor: inout ListEditor, isSectionKnown: Bool) -> ItemDestination {
        let index = isSectionKnown ? editor.state.indexOfSection(section) : nil
        for (id, destination) in [(previous, ItemDestination.after), (next, ItemDestination.before)] {
            guard let id, let path = editor.state.indexPath(of: id) else { continue }
            if !isSectionKnown || path.section == index { return destination(id) }
        }
        return .end(ofSection: section)
    }
}

extension Snapshot {
    /// How many rows a section has; none if there is no such section.
    func itemCount(inSection index: Int) -> Int {
        let sections = sections
        return sections.indices.contains(index) ? sections[index].items.count : 0
    }
}
