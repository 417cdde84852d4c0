// Views without sections that take their changes one after another: NSTableView.

import ListModel

/// A view that shows all rows in one sequence, and is given changes of which each sees the result of the one before.
@MainActor
public protocol StepScreen: ListScreen {
    /// How the sections lie in the sequence.
    var layout: RowLayout { get }

    /// Plays removals, insertions and moves, one after another.
    ///
    /// - Parameters:
    ///   - steps: what is played; no updates are among them.
    ///   - show: to be called before the first step: from then on the data source answers with the rows after the last.
    ///   - done: to be called when the animation has ended, whether or not it could be seen.
    func perform(_ steps: [RowStep], show: @escaping @MainActor () -> Void, done: @escaping @MainActor () -> Void)

    /// Shows the contents of rows anew, headers among them, where they are and as the same rows.
    func reconfigure(rows: [Int])
}

extension StepScreen {
    public func stages(of transition: Transition, reloadAbove: Int?) -> [PlaybackStage] {
        let planned = transition.steps(layout: layout, reloadAbove: reloadAbove)
        if planned.isReload { return [.reload(transition.new)] }
        var structure: [RowStep] = []
        var updated: [Int] = []
        for step in planned.steps {
            if case .update(let row) = step { updated.append(row) } else { structure.append(step) }
        }
        var stages: [PlaybackStage] = []
        if !structure.isEmpty {
            stages.append(
                .play(transition.new) { [weak self, structure] show, done in
                    guard let self else {
                        show()
                        return done()
                    }
                    perform(structure, show: show, done: done)
                })
        }
        if !updated.isEmpty {
            stages.append(
                .play(transition.new) { [weak self, updated] show, done in
                    show()
                    self?.reconfigure(rows: updated)
                    done()
                })
        }
        return stages
    }
}
