// What a replica says of itself, for an interface.

import ListModel
import SharedLog
import Synchronization

/// How far a replica is.
public struct SyncState: Sendable {
    /// How the replica stands with the shared log.
    public enum Phase: Sendable {
        /// It has not asked the log yet, or was cancelled while it did.
        case unknown
        /// Everything that the log had when it was last asked is here, and nothing waits.
        case upToDate
        /// Commits are being read or sent, or wait to be.
        case working
        /// The log cannot be reached since then; edits are kept, and are sent later.
        case offline(since: Timestamp, cause: SharedLogError)
        /// The log is not the one that this replica has followed, or has something that no replica may adopt. Edits are kept. Nothing
        /// is sent or read before somebody has decided.
        case stopped(SyncProblem)
    }

    /// How the replica stands with the log.
    public internal(set) var phase = Phase.unknown
    /// How many commits of this replica wait to be sent.
    public internal(set) var waitingCount: UInt64 = 0
    /// How many commits were set aside: see ``UntypedStore/setAsideCommits``. One that is damaged counts, too.
    public internal(set) var setAsideCount = 0
    /// The newest version that is in the shared log.
    public internal(set) var confirmed = Version.empty
    /// Why the last snapshot for new replicas could not be offered; nil if it could. Commits are exchanged all the same.
    public internal(set) var snapshotFailure: (any Error)?
    /// How a log that had lost commits was healed, the newest last.
    public internal(set) var repairs: [SyncRepair] = []
}

/// How a shared log that had lost commits was healed.
public enum SyncRepair: Hashable, Sendable, CustomStringConvertible {
    /// It had lost its end: these commits were appended again, as they were.
    case appendedAgain(ClosedRange<UInt64>)
    /// It had lost its end, and others have gone on from an earlier one: so many commits that it had confirmed wait to be sent again.
    case forked(after: UInt64, waiting: UInt64)

    public var description: String {
        switch self {
        case .appendedAgain(let range):
            "the shared log had lost commits \(range.lowerBound) to \(range.upperBound); they were appended again"
        case .forked(let number, let count):
            "the shared log had lost \(count) commits after \(number), and others had gone on; they are sent again"
        }
    }
}

/// Why a replica has stopped to follow a log.
public enum SyncProblem: Error, Sendable, CustomStringConvertible {
    /// The commits from a position on have to be made again, because the log has lost them, or the store had a past when it joined; but
    /// checkpoints or packed commits cover them. The store has to be closed and ``Replica/retreat(storeAt:after:options:)`` called. Nothing is lost.
    case forked(after: UInt64)
    /// The log is one of another list, or has been replaced.
    case otherLog
    /// The log has lost commits, and this replica cannot give all of them back, because it has dropped its own old ones. One that has them
    /// can.
    case lost(after: UInt64, oldest: UInt64)
    /// An entry is damaged or forged, or does not fit the rows.
    case unacceptable(number: UInt64, cause: any Error)
    /// The log has another commit at a number than the one that it had confirmed.
    case differs(number: UInt64)
    /// The server refuses this replica, or has something damaged.
    case server(SharedLogError)
    /// The store has failed, or is closed.
    case store(any Error)
    /// The key is not that of the list.
    case wrongKey(String)

    public var description: String {
        switch self {
        case .forked(let number):
            "the commits after number \(number) have to be made again behind those of the shared log, for which the store is closed"
        case .otherLog: "the shared log is another one: not even its first commit is the one that this replica has"
        case .lost(let number, let oldest):
            "the shared log has lost the commits after \(number); this replica has those after \(oldest)"
        case .unacceptable(let number, let cause): "commit \(number) of the shared log cannot be adopted: \(cause)"
        case .differs(let number): "the shared log has another commit \(number) than the one that it had confirmed"
        case .server(let error): error.description
        case .store(let error): "\(error)"
        case .wrongKey(let reason): "the key is not that of the list: \(reason)"
        }
    }
}

/// The state of a replica, and who wants to hear of it.
final class SyncStates: Sendable {
    private let current = Mutex(SyncState())
    private let broadcast = Broadcast<SyncState>()

    var state: SyncState { current.withLock { $0 } }

    func change(_ body: (inout SyncState) -> Void) {
        let state = current.withLock { state in
            body(&state)
            return state
        }
        // Not under the lock: a reader may ask for the state.
        broadcast.yield(state)
    }

    /// The states from now on, the present one first. A slow reader gets the newest.
    func stream() -> AsyncStream<SyncState> {
        // Under the lock, so that no later state comes before.
        current.withLock { broadcast.stream(beginningWith: $0) }
    }
}
