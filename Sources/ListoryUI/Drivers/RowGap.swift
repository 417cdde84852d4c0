// A place between rows, by the ids of its neighbours.
//
// On screen a place is an index; in the store there may be other rows by now, or rows that a filter hides. So a place is
// given by its neighbours, and looked up when the edit is made.

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
    ///   - isOutline: whether all that is below them is to go there too.
    /// - Throws: ``ListError`` if there is no such section or gap.
    /// - Complexity: O(log n) for each moved row beside the gap; O(level · log n) in an outline.
    init(
        gap: ListIndexPath, moved: Set<Identifier> = [], isOutline: Bool = false, in snapshot: Snapshot
    ) throws(ListError) {
        let sections = snapshot.sections
        guard sections.indices.contains(gap.section) else {
            throw ListError.sectionIndexOutOfRange(gap.section, valid: 0..<sections.count)
        }
        let items = sections[gap.section].items
        guard gap.item >= 0 && gap.item <= items.count else {
            throw ListError.itemIndexOutOfRange(gap, valid: 0..<items.count + 1)
        }
        section = sections[gap.section].id
        let outline = isOutline && !moved.isEmpty ? sections[gap.section].outline : nil
        let isMoved = { (row: Int) in
            moved.contains(items[row].id)
                || outline.map { outline in
                    sequence(first: row, next: outline.parent).contains { moved.contains(items[$0].id) }
                } ?? false
        }
        var before = gap.item - 1
        while before >= 0, isMoved(before) { before -= 1 }
        previous = before >= 0 ? items[before].id : nil
        var after = gap.item
        while after < items.count, isMoved(after) { after += 1 }
        next = after < items.count ? items[after].id : nil
    }

    /// The place where a row is to be put, as UIKit counts.
    ///
    /// - Parameters:
    ///   - target: where it will be: its index counts the rows without the one that moves.
    ///   - source: where it is.
    ///   - isOutline: whether all that is below it is to go there too.
    /// - Throws: ``ListError`` if there is no such row or place.
    init(
        moving source: ListIndexPath, to target: ListIndexPath, isOutline: Bool = false, in snapshot: Snapshot
    ) throws(ListError) {
        guard let item = snapshot.item(at: source) else {
            throw ListError.itemIndexOutOfRange(source, valid: 0..<snapshot.itemCount(inSection: source.section))
        }
        var gap = target
        if source.section == target.section && target.item > source.item { gap.item += 1 }
        try self.init(gap: gap, moved: [item.id], isOutline: isOutline, in: snapshot)
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

    /// The place in the outline that is edited, for rows with all that is below them.
    ///
    /// Between a row and the first that is shown below it is the place of the first child. Everywhere else they become the
    /// next siblings of the row before, after all that is below that one, shown or not; or of one that it is below, if they
    /// are less deep, as far as the row after allows. Its children they become only if somebody says so.
    ///
    /// - Parameters:
    ///   - depth: how deep they will be; nil for the default.
    ///   - present: how deep they are now; nil if they are new.
    func outlineDestination(
        in editor: inout ListEditor, depth: Int? = nil, present: Int? = nil
    ) -> OutlineDestination {
        let index = editor.state.indexOfSection(section)
        let neighbour = { (id: Identifier?, editor: inout ListEditor) -> (id: Identifier, row: Int, depth: Int)? in
            guard let id, let path = editor.state.indexPath(of: id), path.section == index else { return nil }
            return editor.state.item(id).map { (id, path.item, $0.depth) }
        }
        let after = neighbour(next, &editor)
        guard let index, let before = neighbour(previous, &editor) else {
            return after.map { .before($0.id) } ?? .root(ofSection: section)
        }
        if let after, after.depth > before.depth { return .before(after.id) }
        let wanted = min(max(depth ?? min(present ?? before.depth, before.depth), after?.depth ?? 0), before.depth + 1)
        if wanted > before.depth { return .lastChild(of: before.id) }
        let outline = editor.state.outline(inSectionAt: index)
        var row = before.row
        while outline.items[row].depth > wanted, let parent = outline.parent(of: row) { row = parent }
        return .after(outline.items[row].id)
    }
}

extension Snapshot {
    /// How many rows a section has; none if there is no such section.
    func itemCount(inSection index: Int) -> Int {
        let sections = sections
        return sections.indices.contains(index) ? sections[index].items.count : 0
    }
}
