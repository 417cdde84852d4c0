// When checkpoints are taken, and which of them are kept.

/// When a store takes checkpoints, and which of them it keeps.
///
/// A checkpoint stores the nodes of the tree that changed since the last one. Opening a store replays only the commits
/// after the newest checkpoint, and time travel replays from the nearest. Closer checkpoints make both faster and the
/// file larger.
///
/// Distances are in units of work. One unit is the time to replay an event of a row in memory, about a third of a
/// microsecond. A node that has to be read counts for several units, so scattered edits in a large list lead to
/// more checkpoints than typing in one place.
public struct CheckpointPolicy: Hashable, Sendable {
    /// The work after which a checkpoint is taken. About as much may have to be replayed after a crash.
    public var interval = 16_384
    /// The units for a node that changes for the first time since the last checkpoint. A replay reads it from two or three values.
    package var nodeWeight = 12
    /// A checkpoint with more chunks of the locators to write than this is due later in proportion, as far as the memory budget allows;
    /// ``chunksPerChange`` for each changed node, or for each commit if there are more, are not counted. A bulk insertion of random ids
    /// changes all chunks of a long list, and few nodes.
    package var chunksPerInterval = 1_024
    /// How many chunks are changed with a node, if its rows are changed one by one, or if their ids count up; and by a commit of a row.
    /// Rounded up.
    package var chunksPerChange = 2
    /// The bytes of records that count as one unit.
    package var bytesPerUnit = 512
    /// Whether closing a store takes a checkpoint, so that the next opening replays nothing.
    public var atClose = true
    /// Whether checkpoints are written in the background, while edits go on; otherwise the edit that makes one due waits.
    public var isBackground = true
    /// Old checkpoints are dropped where those beside them are not farther apart than this. Reaching a version takes about as much work if its
    /// commits are packed, and half of it otherwise; more where edits were faster than checkpoints.
    public var maximumSpacing = 16_384
    /// The spacing of checkpoints in proportion to their age, if ``maximumSpacing`` is greater than ``interval``: dense near the newest
    /// version and exponentially sparse behind it. With 4, checkpoints that are n units old are up to n / 4 apart.
    package var density = 4
    /// The bytes written in one transaction. An edit that waits for durability may wait for one such transaction.
    package var sliceSize = 1 << 18
    /// The parts in which the index of touches is written.
    package var touches = TouchLimits()

    /// How many events apart checkpoints are where commits are written into a file at once.
    var spacingAtOnce: Int { max(1, interval, maximumSpacing) }

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

    /// The work after which a checkpoint is due.
    ///
    /// - Parameters:
    ///   - chunks: the chunks of the index to write.
    ///   - changes: how many nodes have changed since the last checkpoint, or how many commits were made if there are more.
    ///   - rowBytes: what the nodes take in memory that have changed since then.
    ///   - memoryBudget: how many bytes of rows may stay in memory.
    func interval(chunks: Int, changes: Int, rowBytes: Int = 0, memoryBudget: Int = .max) -> Int {
        // Until they are stored, nodes that have changed cannot be evicted. So if they are large, the index may not wait any longer;
        // beside a large index they are not large.
        let chunkBytes = min(chunks, .max / CheckpointPolicy.chunkBytes) * CheckpointPolicy.chunkBytes
        if rowBytes > max(memoryBudget, chunkBytes) / 2 { return interval }
        let chunks = changes >= chunks / chunksPerChange ? 0 : chunks - changes * chunksPerChange
        if chunks <= chunksPerInterval { return interval }
        let (product, isOver) = interval.multipliedReportingOverflow(by: chunks)
        return isOver ? interval : product / max(1, chunksPerInterval)
    }

    /// What a changed chunk of the index takes in memory: 64 entries, as many as a chunk has on average at most. The few chunks of
    /// another kind take more.
    private static let chunkBytes = 512

    /// The checkpoints that are too many.
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
            let age = newest - min(newest, work[index])
            let least = UInt64(max(1, min(interval, maximumSpacing)))
            let spacing = min(UInt64(max(1, maximumSpacing)), max(least, age / UInt64(max(1, density))))
            // The beginning of the log serves as a checkpoint.
            let before = index == 0 ? beginning : work[index - 1]
            if next - min(next, before) <= spacing && !isNeeded(index) {
                surplus.append(index)
            } else {
                next = work[index]
            }
        }
        return surplus.reversed()
    }
}

/// How large the parts are in which the index of touches is written.
package struct TouchLimits: Hashable, Sendable {
    /// How many bytes of records a checkpoint leaves unread. They are read by the first search instead.
    package var interval = 1 << 17
    /// How many touches are gathered for a segment.
    package var runSize = 1 << 15
    /// How many segments a checkpoint adds, at most.
    package var runCount = 8
    /// How many touches a row of the index has on average, at most. With random ids, that many take less than half a page, so that the row
    /// needs no page of its own.
    package var bucketSize = 384
    /// How many segments of about one size become one. More are cheaper to write, and a search looks into more of them.
    package var fanOut = 16
    /// How many bytes are written in one transaction.
    package var sliceSize = 1 << 18
    /// After how many bytes of records the memory of the pages is given back that have been read.
    package var unloadedSize = 1 << 20
    /// How many rows are deleted in one transaction.
    package var deletionSize = 1_024
}
