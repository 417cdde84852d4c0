// When checkpoints are taken, and which of them are kept.

/// When a store takes checkpoints, and which of them it keeps.
///
/// A checkpoint stores what has changed in the tree of rows since the last one. Opening a store replays only what came
/// after the newest; going to a version of the past replays from the nearest. So checkpoints that stand close make both
/// fast and the file larger.
public struct CheckpointPolicy: Hashable, Sendable {
    /// After how many events a checkpoint is taken. This many may have to be replayed after a crash.
    public var eventInterval = 4_096
    /// After how many bytes of records a checkpoint is taken, however few events they hold.
    public var byteInterval = 16 << 20
    /// Whether closing a store takes one, so that the next opening replays nothing.
    public var atClose = true
    /// Whether checkpoints are written in the background, while edits go on; otherwise the edit that makes one due waits.
    public var isBackground = true
    /// How many events may lie between two old checkpoints. Half as many may have to be replayed to reach a version.
    public var maximumSpacing = 8_192
    /// How far checkpoints may lie apart in proportion to their age: they are dense near the newest version, and
    /// exponentially sparse behind it, up to ``maximumSpacing``. With 4, those that are n events old are up to n / 4 apart.
    public var density = 4
    /// How many bytes are written in one transaction. An edit that waits for durability may have to wait for one.
    public var sliceSize = 1 << 20

    /// The defaults, which suit an app.
    public init() {}

    /// No checkpoint is ever taken: opening a store replays its whole log.
    public static let never: CheckpointPolicy = {
        var policy = CheckpointPolicy()
        policy.eventInterval = .max
        policy.byteInterval = .max
        policy.atClose = false
        return policy
    }()

    /// Which of some checkpoints are too many.
    ///
    /// - Parameters:
    ///   - events: the number of events that led to each checkpoint, ascending; the newest is never too many.
    ///   - beginning: the number of events that led to the oldest version that can be reached.
    ///   - isNeeded: whether the checkpoint at an index must be kept.
    /// - Returns: their indices, ascending.
    /// - Complexity: O(n).
    func surplus(_ events: [UInt64], since beginning: UInt64 = 0, isNeeded: (Int) -> Bool = { _ in false }) -> [Int] {
        guard let newest = events.last else { return [] }
        var surplus: [Int] = []
        var next = newest
        for index in stride(from: events.count - 2, through: 0, by: -1) {
            let age = newest - events[index]
            let least = UInt64(max(1, min(eventInterval, maximumSpacing)))
            let spacing = min(UInt64(max(1, maximumSpacing)), max(least, age / UInt64(max(1, density))))
            // The beginning of the log is as good as a checkpoint.
            let before = index == 0 ? beginning : events[index - 1]
            if next - before <= spacing && !isNeeded(index) {
                surplus.append(index)
            } else {
                next = events[index]
            }
        }
        return surplus.reversed()
    }
}
