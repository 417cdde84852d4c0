import ListModel
import SharedLog

/// How far a replica is, for an interface.
public struct SyncState: Sendable {
    /// How the replica stands with the shared log.
    public enum Phase: Sendable {
        /// Everything that the log had when it was last asked is here.
        case upToDate
        /// Commits are being read or sent.
        case working
        /// The log cannot be reached since then; edits are kept, and are sent later.
        case offline(since: Timestamp, cause: SharedLogError)
        /// The log is not the one that this replica has followed, or has something that no replica may adopt. Edits are kept. Nothing
        /// is sent or read before somebody has decided.
        case stopped(SyncProblem)
    }

    /// How the replica stands with the log.
    public var phase: Phase
    /// How many commits of this replica wait to be sent.
    public var waitingCount: UInt64
    /// The newest version that is in the shared log.
    public var confirmed: Version
}

/// Why a replica has stopped to follow a log.
public enum SyncProblem: Error, Sendable, CustomStringConvertible {
    /// The log has other commits from a position on than those that were confirmed.
    case forked(after: UInt64)
    /// The log is one of another list, or has been replaced.
    case otherLog
    /// An entry is damaged or forged, or does not fit the rows.
    case unacceptable(number: UInt64, cause: any Error)

    public var description: String {
        switch self {
        case .forked(let number):
            "the shared log has other commits after number \(number) than those that it had confirmed"
        case .otherLog: "the shared log is another one: not even its first commit is the one that this replica has"
        case .unacceptable(let number, let cause): "commit \(number) of the shared log cannot be adopted: \(cause)"
        }
    }
}
