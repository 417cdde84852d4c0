// The steps of undo as a tree, for the screen.
//
// Each commit that made new paragraphs is a revision, and its parent is the revision that the list had before it. A step is
// a run of revisions that undo takes back at once.
//
// Always holds: the steps ascend by version, so each comes after its parent; the first is the root.

import Listory

/// The newest steps of the history.
struct StepTree {
    /// How many commits are read at most. Earlier ones are together the root.
    static let maximumCommitCount = 5000

    struct Step {
        /// The last revision of the step, which is checked out to go there.
        var version: Version
        let parent: Int?
        let name: String
        let time: Timestamp?
        /// How many commits it has.
        var count: Int
    }

    private(set) var steps: [Step]
    /// The step whose paragraphs the list has.
    private(set) var current = 0

    /// Reads the steps of a store.
    init(of store: NoteStore) throws {
        let (oldest, newest) = (store.oldestVersion, try store.version)
        let skipped =
            newest.rawValue > UInt64(Self.maximumCommitCount) ? newest.rawValue - UInt64(Self.maximumCommitCount) : 0
        let first = max(oldest, Version(skipped))
        var position = first > oldest ? try store.commit(first).history?.position ?? oldest : oldest
        steps = [
            Step(version: position, parent: nil, name: first > oldest ? "Earlier" : "Beginning", time: nil, count: 0)
        ]
        var stepOf = [position: 0]
        guard first < newest else { return }
        try store.forEachCommit(in: first.next...newest) { commit in
            guard let history = commit.history else { return }
            if history.position == commit.version {
                let parent = stepOf[position] ?? 0
                if commit.continuesStep && parent > 0 {
                    steps[parent].version = commit.version
                    steps[parent].count += 1
                    stepOf[commit.version] = parent
                } else {
                    stepOf[commit.version] = steps.count
                    steps.append(
                        Step(version: commit.version, parent: parent, name: commit.name, time: commit.time, count: 1))
                }
            }
            position = history.position
        }
        current = stepOf[position] ?? 0
    }

    /// A step, and the branches beside it.
    struct Line: Equatable {
        let step: Int
        /// The branches as lines from above to below, with a dot for the step.
        let branches: String
    }

    /// The tree from above, the newest step first.
    var lines: [Line] {
        var lines: [Line] = []
        // For each column the step that its line leads down to.
        var columns: [Int?] = []
        for step in steps.indices.reversed() {
            let own = columns.indices.filter { columns[$0] == step }
            let column = own.first ?? columns.firstIndex(of: nil) ?? columns.count
            if column == columns.count { columns.append(nil) }
            var text = ""
            for index in columns.indices {
                let isInside = index < (own.last ?? column)
                if index == column {
                    text += (step == current ? "●" : "○") + (isInside ? "─" : " ")
                } else if own.contains(index) {
                    text += isInside ? "┴─" : "╯ "
                } else if columns[index] != nil {
                    text += index > column && isInside ? "┼─" : "│ "
                } else {
                    text += index > column && isInside ? "──" : "  "
                }
            }
            while text.last == " " { text.removeLast() }
            lines.append(Line(step: step, branches: text))
            for index in own { columns[index] = nil }
            columns[column] = steps[step].parent
            while let last = columns.last, last == nil { columns.removeLast() }
        }
        return lines
    }
}
