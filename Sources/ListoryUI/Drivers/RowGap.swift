// A place between rows, named by the ids of its neighbours.
//
// On screen a place is an index. The store may have other rows by now, or rows that a filter hides. So a place is named
// by its neighbours, which are looked up when the edit is made.

import ListModel

/// A place in the rows that a view shows.
struct RowGap {
    /// The section it is in.
    let section: UntypedID
    /// The row before it, not counting the rows that are moved there.
    let previous: UntypedID?
    /// The row after it, not counting the rows that are moved there.
    let next: UntypedID?
    /// Whether all rows that are moved there are beside it, so that they stay between the same rows.
    let isPresentPlace: Bool

    /// A gap between the shown rows.
    ///
    /// - Parameters:
    ///   - gap: the section, and the number of rows above the gap, including those that move; as SwiftUI and AppKit
    ///     count.
    ///   - moved: the rows that are moved there.
    ///   - isOutline: whether the rows below them move too.
    /// - Throws: ``ListError`` if there is no such section or gap.
    /// - Complexity: O(log n) for each moved row beside the gap; O(level · log n) in an outline.
    init(
        gap: ListIndexPath, moved: Set<UntypedID> = [], isOutline: Bool = false, in snapshot: UntypedSnapshot
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
        isPresentPlace =
            !moved.isEmpty && (before + 1..<after).count { moved.contains(items[$0].id) } == moved.count
    }

    /// The destination of a row, as UIKit counts.
    ///
    /// - Parameters:
    ///   - target: its place after the move: the index counts the rows without the one that moves.
    ///   - source: its present place.
    ///   - isOutline: whether the rows below it move too.
    /// - Throws: ``ListError`` if there is no such row or place.
    init(
        moving source: ListIndexPath, to target: ListIndexPath, isOutline: Bool = false, in snapshot: UntypedSnapshot
    ) throws(ListError) {
        guard let item = snapshot.item(at: source) else {
            throw ListError.itemIndexOutOfRange(source, valid: 0..<snapshot.itemCount(inSection: source.section))
        }
        var gap = target
        if source.section == target.section && target.item > source.item { gap.item += 1 }
        try self.init(gap: gap, moved: [item.id], isOutline: isOutline, in: snapshot)
    }

    /// The place in the rows of the editor.
    ///
    /// It is after the neighbour before, if that is still in the section; otherwise before the neighbour after;
    /// otherwise at the end of the section, or of the last one if the store does not have it.
    ///
    /// - Parameter isSectionKnown: whether the section is one of the store. In grouped rows it is not, and the
    ///   neighbours may be in any section.
    func destination(in editor: inout UntypedEditor, isSectionKnown: Bool) -> ItemDestination {
        let index = isSectionKnown ? editor.state.indexOfSection(section) : nil
        for (id, destination) in [(previous, ItemDestination.after), (next, ItemDestination.before)] {
            guard let id, let path = editor.state.indexPath(of: id) else { continue }
            if !isSectionKnown || path.section == index { return destination(id) }
        }
        return .end(ofSection: isSectionKnown ? section : storeSection(in: &editor))
    }

    /// The place in the outline of the editor where the view has another order than the store, or other sections: as the next sibling of
    /// the neighbour before, if that is still there; otherwise before the neighbour after; otherwise at the end of the section.
    func siblingDestination(in editor: inout UntypedEditor) -> OutlineDestination {
        for (id, destination) in [(previous, OutlineDestination.after), (next, OutlineDestination.before)] {
            if let id, editor.state.indexPath(of: id) != nil { return destination(id) }
        }
        return .root(ofSection: storeSection(in: &editor))
    }

    /// The section, if the store has it; otherwise the last one of the store, because a view that makes its own sections may show no rows.
    private func storeSection(in editor: inout UntypedEditor) -> UntypedID {
        if editor.state.indexOfSection(section) != nil { return section }
        return editor.state.sectionID(at: editor.state.sectionCount - 1) ?? section
    }

    /// The place in the outline of the editor, for rows with their subtrees.
    ///
    /// Between a row and its first shown child, the rows become the first children. Everywhere else they become the
    /// next siblings of the row before, after its whole subtree, shown or not. If they are less deep, they become
    /// siblings of one of its ancestors, as far as the row after allows. They become children of the row before only if
    /// `depth` says so, or if they were.
    ///
    /// - Parameters:
    ///   - depth: how deep they will be; nil for the default.
    ///   - present: how deep they are now; nil if they are new.
    func outlineDestination(
        in editor: inout UntypedEditor, depth: Int? = nil, present: Int? = nil
    ) -> OutlineDestination {
        let index = editor.state.indexOfSection(section)
        let neighbour = { (id: UntypedID?, editor: inout UntypedEditor) -> (id: UntypedID, row: Int, depth: Int)? in
            guard let id, let path = editor.state.indexPath(of: id), path.section == index else { return nil }
            return editor.state.item(id).map { (id, path.item, $0.depth) }
        }
        let after = neighbour(next, &editor)
        guard let index, let before = neighbour(previous, &editor) else {
            return after.map { .before($0.id) } ?? .root(ofSection: section)
        }
        if let after, after.depth > before.depth { return .before(after.id) }
        let usual = isPresentPlace ? present : present.map { min($0, before.depth) }
        let wanted = min(max(depth ?? usual ?? before.depth, after?.depth ?? 0), before.depth + 1)
        if wanted > before.depth { return .lastChild(of: before.id) }
        let outline = editor.state.outline(inSectionAt: index)
        var row = before.row
        while outline.items[row].depth > wanted, let parent = outline.parent(of: row) { row = parent }
        // Where depths skip a level, the row after would be below the one that was found.
        if let after, outline.items[row].depth < after.depth { return .before(after.id) }
        return .after(outline.items[row].id)
    }
}

extension UntypedSnapshot {
    /// How many rows a section has; 0 if there is no such section.
    func itemCount(inSection index: Int) -> Int {
        let sections = sections
        return sections.indices.contains(index) ? sections[index].items.count : 0
    }
}
