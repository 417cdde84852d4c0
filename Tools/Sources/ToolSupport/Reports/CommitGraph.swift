// Draws the tree of commits beside the log: a column for each branch, the newest commit first.
//
// Always holds: a column leads from a revision down to its parent, the revision whose rows were there before it.

import ListModel

/// The columns of a graph, while commits are drawn from the newest to the oldest.
struct CommitGraph {
    /// The commit whose rows the list has.
    let position: Version
    /// For each column, the revision that it leads to; nil if the column is free.
    private var columns: [Version?] = []

    init(position: Version) { self.position = position }

    /// The lines before a commit, where branches part, and the marks before its text.
    mutating func draw(_ commit: Commit) -> (joins: [String], marks: String) {
        guard let parent = commit.parent else {
            // A checkout or an untracked commit is on no branch.
            return ([], columns.map { $0 == nil ? "  " : "│ " }.joined() + "· ")
        }
        let waiting = columns.indices.filter { columns[$0] == commit.version }
        let column = waiting.first ?? columns.firstIndex { $0 == nil } ?? columns.count
        if column == columns.count { columns.append(nil) }
        var joins: [String] = []
        if let last = waiting.dropFirst().last {
            joins.append(
                line { index in
                    let isBetween = index > column && index < last
                    let joint = index == column ? "├" : waiting.contains(index) ? (index == last ? "╯" : "┴") : nil
                    let plain = columns[index] == nil ? (isBetween ? "─" : " ") : (isBetween ? "┼" : "│")
                    return (joint ?? plain) + (index >= column && index < last ? "─" : " ")
                })
            for index in waiting.dropFirst() { columns[index] = nil }
            trim()
        }
        let marks = line { index in
            index == column ? (commit.version == position ? "◉ " : "● ") : columns[index] == nil ? "  " : "│ "
        }
        columns[column] = parent == .empty ? nil : parent
        trim()
        return (joins, marks)
    }

    /// Removes free columns at the right.
    private mutating func trim() { while let last = columns.last, last == nil { columns.removeLast() } }

    /// The marks before the lines below a commit.
    var below: String { columns.map { $0 == nil ? "  " : "│ " }.joined() }

    private func line(_ cell: (Int) -> String) -> String { columns.indices.map(cell).joined() }
}
