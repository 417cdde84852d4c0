// The sizes of the lists and logs that are measured.

/// The sizes of everything that is measured.
struct Scale {
    /// How many rows the lists have.
    let rowCounts: [Int]
    /// How many rows the lists for transitions have, and those that are shuffled.
    let transitionRowCounts: [Int]
    let shuffledRowCounts: [Int]
    /// How many edits a sample of the apply benchmarks makes.
    let editCount: Int
    /// How many commits are appended for each size of a group.
    let appends: [(batch: Int, commitCount: Int)]
    /// How many events the replayed logs have, and how many rows their lists grow to.
    let replayEventCount: Int
    let replayRowCount: Int
    /// How many commits a sample of the undo benchmarks reverts, and how many edits the large commit has.
    let undoCount: Int
    let largeCommitSize: Int
    /// The numbers of events of the two logs in which undo must take the same time, and how many commits a sample
    /// reverts in them.
    let logEventCounts: (short: Int, long: Int)
    let logUndoCount: Int
    /// How many commits each of the concurrent writers makes, each waited for; the first is one writer alone.
    let groupCommits: [(writerCount: Int, commitCount: Int)]
    /// How many edits of one process another one sees in a sample.
    let neighbourUpdateCount: Int
    /// How many rows the stored list has, and how many edits were made in it; a multiple of 10,000.
    let storedRowCount: Int
    /// How many old versions a sample reads, and how many edits a sample makes.
    let storedVersionCount: Int
    let storedEditCount: Int
    /// A peer is left out if its sample would probably take longer than this many seconds.
    let longestPeerSample: Double

    /// The sizes for which targets are stated.
    static let full = Scale(
        rowCounts: [1_000, 100_000, 1_000_000], transitionRowCounts: [1_000, 10_000, 100_000, 1_000_000],
        shuffledRowCounts: [10_000, 100_000], editCount: 10_000,
        appends: [(1, 200), (100, 10_000), (10_000, 200_000)], replayEventCount: 1_000_000, replayRowCount: 100_000,
        undoCount: 2_000, largeCommitSize: 1_000, logEventCounts: (1_000, 1_000_000), logUndoCount: 250,
        groupCommits: [(1, 1_000), (8, 1_000), (64, 500)], neighbourUpdateCount: 200,
        storedRowCount: 1_000_000, storedVersionCount: 1_000, storedEditCount: 100_000,
        longestPeerSample: 40)

    /// Sizes for a quick check that everything works.
    static let quick = Scale(
        rowCounts: [1_000, 10_000], transitionRowCounts: [1_000, 10_000], shuffledRowCounts: [1_000], editCount: 1_000,
        appends: [(1, 20), (100, 1_000), (10_000, 20_000)],
        replayEventCount: 20_000, replayRowCount: 2_000, undoCount: 200, largeCommitSize: 100,
        logEventCounts: (1_000, 20_000), logUndoCount: 100,
        groupCommits: [(1, 20), (8, 10), (64, 5)], neighbourUpdateCount: 10,
        storedRowCount: 20_000, storedVersionCount: 100, storedEditCount: 5_000, longestPeerSample: 1)

    /// Whether the targets for the largest list apply to a list of this many rows.
    static func isTargetSize(_ rowCount: Int) -> Bool { rowCount == 1_000_000 }
}
