// How the tail of a log is kept. The defaults are measured; tests choose others to reach the edges.

/// How the newest batches are kept in the tail, and how far the file is grown ahead of them.
struct TailOptions: Sendable {
    /// Whether a file that has no tail gets one, and batches are written to it.
    var isUsed = true
    /// The size of a slot, in bytes: whole pages but for the header that LMDB puts before it. Batches that do not fit
    /// are synced twice, as everything else is.
    var slotSize = (32 << 10) - LogTail.pageHeaderSize
    /// How many bytes the file is grown by when it is full: an eighth of it, within these bounds.
    var growth = (64 << 10)...(1 << 20)
    /// Whether what the tail has and the log has not is left out when the store is opened: loses commits. For tests, which
    /// must see that.
    var isIgnored = false
}
