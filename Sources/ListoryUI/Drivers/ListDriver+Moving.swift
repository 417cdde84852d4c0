// Moving rows: by a drag that the view shows already, or by an order that it is yet to show.

import ListModel
import Listory

extension ListDriver {
    /// The user has dragged a row, and the view shows it at its new place already: "Move Milk".
    ///
    /// The shown rows get the move first, so that nothing is played for it. If it is refused, the row goes back where the
    /// store says it is.
    ///
    /// - Parameters:
    ///   - source: where the row was in the shown rows.
    ///   - target: where it is now: its index counts the rows without the one that moved. That is what UITableView and
    ///     UICollectionView give.
    /// - Returns: whether it was committed.
    @discardableResult
    public func didMove(from source: ListIndexPath, to target: ListIndexPath) -> Bool {
        let before = playback.shown
        let id = id(at: source)
        let name = name(.move, id.map { [$0] } ?? [])
        let isCommitted = attempt(.move, name) {
            try playback.didMove(from: source, to: target)
            let place = try RowGap(moving: source, to: target, in: before)
            return try commitMove(.items(id.map { [$0] } ?? []), to: place, named: name)
        }
        if let newest = readNewest() { playback.showSoon(newest) }
        return isCommitted
    }

    /// Moves rows; the view is yet to show it: "Move Milk".
    ///
    /// - Parameters:
    ///   - ids: the rows; they keep their order.
    ///   - gap: the section, and the number of rows above the place, those that move among them; as SwiftUI and AppKit
    ///     count.
    /// - Returns: whether it was committed.
    @discardableResult
    public func move(_ ids: [Identifier], toGap gap: ListIndexPath) -> Bool {
        let name = name(.move, ids)
        let isCommitted = attempt(.move, name) {
            let place = try RowGap(gap: gap, moved: Set(ids), in: playback.shown)
            return try commitMove(.items(ids), to: place, named: name)
        }
        refresh()
        return isCommitted
    }

    private func commitMove(_ rows: ItemSelection, to place: RowGap, named name: String) throws -> Commit? {
        guard source.keepsOrder else { throw MoveRefused() }
        return try source.editedStore.edit(name, origin: origin, durability: durability) { editor in
            let destination = place.destination(in: &editor, isSectionKnown: true)
            try editor.move(rows, to: destination)
        }
    }
}
