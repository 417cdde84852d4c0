// Views without sections that take their changes one after another: NSTableView.

import ListModel

/// A view that shows all rows in one sequence, and takes changes one after another; each refers to the result of the
/// one before.
@MainActor
public protocol OperationScreen: ListScreen {
    /// The layout of the sections in the sequence.
    var layout: RowLayout { get }

    /// Animates updates.
    ///
    /// - Parameters:
    ///   - updates: to be called once, right after the view has begun its updates. It lets the data source answer with
    ///     the new rows and calls ``play(_:)`` for each operation.
    ///   - done: to be called when the animation has ended, whether or not it was visible.
    func perform(_ updates: () -> Void, done: @escaping @MainActor () -> Void)

    /// Plays a removal, an insertion or a move, inside of ``perform(_:done:)``.
    func play(_ operation: RowOperation)

    /// Shows the contents of rows again in place, including headers. An animation may still be running.
    func reconfigure(rows: [Int])
}

extension OperationScreen {
    public func phases(of transition: ListTransition, reloadAbove: Int?) -> [TransitionPhase] {
        let planned = transition.operations(layout: layout, reloadAbove: reloadAbove)
        if planned.isReload { return [.reload(transition.new)] }
        var structure: [RowOperation] = []
        var updated: [Int] = []
        for operation in planned.operations {
            if case .update(let row) = operation { updated.append(row) } else { structure.append(operation) }
        }
        var phases: [TransitionPhase] = []
        if !structure.isEmpty {
            phases.append(
                .play(transition.new) { [weak self, structure] show, done in
                    guard let self else {
                        show()
                        return done()
                    }
                    // The view reads its rows when it begins its updates, and must still get the old ones then.
                    perform(
                        {
                            show()
                            for operation in structure { play(operation) }
                        }, done: done)
                })
        }
        if !updated.isEmpty {
            phases.append(.contents(transition.new) { [weak self, updated] in self?.reconfigure(rows: updated) })
        }
        return phases
    }
}
