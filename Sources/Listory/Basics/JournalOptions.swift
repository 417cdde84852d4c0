// How the tail of a log is kept. The defaults are measured; tests choose others to reach the edges.

/// How large the tail is, and how long commits stay in it.
package struct JournalOptions: Sendable {
    /// How many bytes LMDB has before a value on pages of its own.
    package static let pageHeaderSize = 16

    /// Whether a file that has no tail gets one, and commits are written to it.
    package var isUsed = true
    /// The size of the tail, in bytes: whole pages but for the header that LMDB puts before it.
    package var size = (128 << 10) - JournalOptions.pageHeaderSize
    /// After how long at most what is in the tail is moved into the database.
    package var storeDelay = Duration.milliseconds(200)
    /// Whether what only the tail has is left out when the store is opened: loses commits. For tests, which must see that.
    package var isIgnored = false
    /// Whether opening moves what it found before it had the lock, though another process may have added to it since: loses
    /// commits. For tests, which must see that.
    package var isFoundEarly = false
    /// Called when opening has seen that the tail may have commits, before it takes the lock. For tests, in which another
    /// process writes then.
    package var whenFound: (@Sendable () -> Void)?
}
