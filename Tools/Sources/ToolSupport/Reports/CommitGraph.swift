// Draws the tree of commits beside the log: a column for each branch, the newest commit first.
//
// Always holds: a column leads from a revision down to its parent, the revision whose rows were there before it. The column of
// a revision without a parent ends with a mark of its own, so that the column below it is seen to be another one.

import ListModel

/// The columns of a graph, while commits are drawn from the newest to the oldest.
struct CommitGraph {
    /// The oldest version that there is; the commit after it is the last one that is drawn.
    private let oldest: Version
    /// For each history, the revision at which it stands after the newest commit that is drawn.
    private var positions: [HistoryScope: Version] = [:]
    /// For each column, the revision that it leads to; nil if the column is free.
    private var columns: [Version?] = []

    init(oldest: Version) { self.oldest = oldest }

    /// The lines around a commit: where branches part, before it; the marks before the text of the commit, and before each
    /// line below the text; a line after all of these where the column of a root ends.
    mutating func draw(_ commit: Commit) -> (joins: [String], marks: String, below: String, ends: [String]) {
        if let scope = commit.scope, positions[scope] == nil { positions[scope] = commit.history?.position }
        guard let parent = commit.parent else {
            // A checkout or an untracked commit is on no branch.
            let lines = columns.map { $0 == nil ? "  " : "│ " }.joined()
            return ([], lines + "· ", lines, [])
        }
        let isPosition = commit.scope.map { positions[$0] == commit.version } ?? false
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
            index == column ? (isPosition ? "◉ " : "● ") : columns[index] == nil ? "  " : "│ "
        }
        // Below the last commit of the log, nothing has to be told from this column.
        let isLast = commit.version == oldest.next
        columns[column] = isLast && parent == .empty ? nil : parent
        let below = line { columns[$0] == nil ? "  " : "│ " }
        guard parent == .empty else { return (joins, marks, below, []) }
        let end = line { index in index == column ? "╵ " : columns[index] == nil ? "  " : "│ " }
        columns[column] = nil
        trim()
        return (joins, marks, below, isLast ? [] : [end])
    }

    /// Removes free columns at the right.
    private mutating func trim() { while let last = columns.last, last == nil { columns.removeLast() } }

    private func line(_ cell: (Int) -> String) -> String { columns.indices.map(cell).joined() }
}
