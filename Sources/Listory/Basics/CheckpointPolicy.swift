// When checkpoints are taken, and which of them are kept.

/// When a store takes checkpoints, and which of them it keeps.
///
/// A checkpoint stores what has changed in the tree of rows since the last one. Opening a store replays only what came
/// after the newest; going to a version of the past replays from the nearest. So checkpoints that stand close make both
/// fast and the file larger.
///
/// Distances are in units of work: what it takes to replay an event of a row that is in memory, about a third of a
/// microsecond. A node that has to be read counts for ``nodeWeight`` units, so that edits all over a large list need
/// checkpoints more often than typing in one place.
public struct CheckpointPolicy: Hashable, Sendable {
    /// After how much work a checkpoint is taken. About as much may have to be done again after a crash.
    public var interval = 16_384
    /// How many units a node counts for that is changed for the first time since the last checkpoint.
    public var nodeWeight = 8
    /// For how many bytes of records a unit is counted.
    public var bytesPerUnit = 512
    /// Whether closing a store takes one, so that the next opening replays nothing.
    public var atClose = true
    /// Whether checkpoints are written in the background, while edits go on; otherwise the edit that makes one due waits.
    public var isBackground = true
    /// How much work may lie between two old checkpoints. At most half as much has to be done to reach a version.
    public var maximumSpacing = 32_768
    /// How far checkpoints may lie apart in proportion to their age: they are dense near the newest version, and
    /// exponentially sparse behind it, up to ``maximumSpacing``. With 4, those that are n units old are up to n / 4 apart.
    public var density = 4
    /// How many bytes are written in one transaction. An edit that waits for durability may have to wait for one.
    public var sliceSize = 1 << 20

    /// The defaults, which suit an app.
    public init() {}

    /// No checkpoint is ever taken: opening a store replays its whole log.
    public static let never: CheckpointPolicy = {
        var policy = CheckpointPolicy()
        policy.interval = .max
        policy.atClose = false
        return policy
    }()

    /// How much work a commit is, besides the nodes that it changes.
    func work(events: Int, bytes: Int) -> Int { events &+ bytes / max(1, bytesPerUnit) }

    /// Which of some checkpoints are too many.
    ///
    /// - Parameters:
    ///   - work: the work that led to each checkpoint, ascending; the newest is never too many.
    ///   - beginning: the work that led to the oldest version that can be reached.
    ///   - isNeeded: whether the checkpoint at an index must be kept.
    /// - Returns: their indices, ascending.
    /// - Complexity: O(n).
    func surplus(_ work: [UInt64], since beginning: UInt64 = 0, isNeeded: (Int) -> Bool = { _ in false }) -> [Int] {
        guard let newest = work.last else { return [] }
        var surplus: [Int] = []
        var next = newest
        for index in stride(from: work.count - 2, through: 0, by: -1) {
            let age = newest - work[index]
            let least = UInt64(max(1, min(interval, maximumSpacing)))
            let spacing = min(UInt64(max(1, maximumSpacing)), max(least, age / UInt64(max(1, density))))
            // The beginning of the log is as good as a checkpoint.
            let before = index == 0 ? beginning : work[index - 1]
            if next - before <= spacing && !isNeeded(index) {
                surplus.append(index)
            } else {
                next = work[index]
            }
        }
        return surplus.reversed()
    }
}
