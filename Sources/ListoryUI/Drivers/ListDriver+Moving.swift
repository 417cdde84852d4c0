// Moving rows: by a drag, which the view shows already, or by a command, which the view has yet to show.

import ListModel
import Listory

extension ListDriver {
    /// The user has dragged a row, and the view shows it at its new place already: "Move Milk".
    ///
    /// The shown rows get the move first, so that nothing is played for it. If it is refused, the row goes back where the
    /// store says it is. In an outline, the rows below it follow it.
    ///
    /// - Parameters:
    ///   - source: where the row was in the shown rows.
    ///   - target: where it is now: its index counts the rows without the one that moved. That is what UITableView and
    ///     UICollectionView give.
    ///   - depth: the depth that it should have in an outline, or nil; it gets the nearest that the rows around it allow.
    /// - Returns: whether it was committed.
    @discardableResult
    public func didMove(from source: ListIndexPath, to target: ListIndexPath, depth: Int? = nil) -> Bool {
        let before = playback.shown
        let id = id(at: source)
        let name = name(.move, id.map { [$0] } ?? [])
        let isCommitted = attempt(.move, name) {
            try playback.didMove(from: source, to: target)
            let place = try RowGap(moving: source, to: target, isOutline: isOutline, in: before)
            return try commitMove(id.map { [$0] } ?? [], to: place, depth, named: name)
        }
        if let newest = readNewest(isReporting: false) { playback.showSoon(newest) }
        return isCommitted
    }

    /// Moves rows; the view has yet to show it: "Move Milk".
    ///
    /// - Parameters:
    ///   - ids: the rows; they keep their order.
    ///   - gap: the section, and the number of rows above the place, those that move among them; as SwiftUI and AppKit
    ///     count.
    ///   - depth: the depth that they should have in an outline, or nil; they get the nearest that the rows around them allow.
    /// - Returns: whether it was committed.
    @discardableResult
    public func move(_ ids: [Identifier], toGap gap: ListIndexPath, depth: Int? = nil) -> Bool {
        move(ids, toGap: gap, depth: depth, in: playback.shown)
    }

    /// Moves rows to a gap in the rows that the user saw; other rows may be shown by now.
    func move(_ ids: [Identifier], toGap gap: ListIndexPath, depth: Int? = nil, in seen: Snapshot) -> Bool {
        let name = name(.move, ids)
        let isCommitted = attempt(.move, name) {
            let place = try RowGap(gap: gap, moved: Set(ids), isOutline: isOutline, in: seen)
            return try commitMove(ids, to: place, depth, named: name)
        }
        showResult()
        return isCommitted
    }

    private func commitMove(
        _ ids: [Identifier], to place: RowGap, _ depth: Int?, named name: String
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
