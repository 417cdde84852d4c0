// Moves rows: by a drag, which the view already shows, or by a command, which the view does not show yet.

import ListModel
import Listory

extension ListDriver {
    /// The user has dragged a row, and the view already shows it at its new place: "Move Milk".
    ///
    /// The move is first applied to the shown rows, so that it is not played again. If it is refused, the row moves
    /// back to its place in the store. In an outline, the rows below it follow.
    ///
    /// - Parameters:
    ///   - source: its place in the shown rows before the drag.
    ///   - target: its place now: the index counts the rows without the one that moved, as UITableView and
    ///     UICollectionView pass it.
    ///   - depth: the wanted depth in an outline, or nil; it gets the nearest depth that the rows around it allow.
    /// - Returns: whether it was committed.
    @discardableResult
    public func didMove(from source: ListIndexPath, to target: ListIndexPath, depth: Int? = nil) -> Bool {
        let before = player.shown
        let id = id(at: source)
        let name = name(.move, id.map { [$0] } ?? [])
        // Also if it is refused: then the row moves back.
        let played = Result { try player.didMove(from: source, to: target) }
        let isCommitted = attempt(.move, name) {
            try played.get()
            let place = try RowGap(moving: source, to: target, isOutline: isOutline, in: before)
            return try commitMove(id.map { [$0] } ?? [], to: place, depth, named: name)
        }
        showNewest(isReporting: false, soon: true)
        return isCommitted
    }

    /// Moves rows; the view does not show it yet: "Move Milk".
    ///
    /// - Parameters:
    ///   - ids: the rows; they keep their order.
    ///   - gap: the section, and the number of rows above the place, including those that move; as SwiftUI and AppKit
    ///     count.
    ///   - depth: the wanted depth in an outline, or nil; they get the nearest depth that the rows around them allow.
    /// - Returns: whether it was committed.
    @discardableResult
    public func move(_ ids: [UntypedID], toGap gap: ListIndexPath, depth: Int? = nil) -> Bool {
        move(ids, toGap: gap, depth: depth, in: player.shown)
    }

    /// Moves rows to a gap in the rows that the user saw; other rows may be shown by now.
    func move(_ ids: [UntypedID], toGap gap: ListIndexPath, depth: Int? = nil, in seen: UntypedSnapshot) -> Bool {
        let name = name(.move, ids)
        let isCommitted = attempt(.move, name) {
            let place = try RowGap(gap: gap, moved: Set(ids), isOutline: isOutline, in: seen)
            return try commitMove(ids, to: place, depth, named: name)
        }
        showResult()
        return isCommitted
    }

    private func commitMove(
        _ ids: [UntypedID], to place: RowGap, _ depth: Int?, named name: String
    ) throws -> Commit? {
        guard source.keepsOrder else { throw MoveRefused() }
        let isOutline = isOutline
        return try source.editedStore.edit(name, origin: origin, durability: durability) { editor in
            if isOutline {
                let present = ids.first.flatMap { editor.state.item($0)?.depth }
                let destination = place.outlineDestination(in: &editor, depth: depth, present: present)
                return try editor.moveSubtrees(ids, to: destination)
            }
            let destination = place.destination(in: &editor, isSectionKnown: true)
            try editor.move(.items(ids), to: destination)
        }
    }
}
