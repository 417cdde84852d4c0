// A line that `exec` answers with.
//
// Always holds: one line of JSON for each line of input.

import ListModel

/// What came of a request.
public enum ExecAnswer {
    /// A commit, or none if nothing changed: the version that now stands, what led to it, and what was left as it is.
    case committed(Snapshot, Changeset, conflicts: [MergeConflict] = [])
    /// The first of several steps were taken, and led there; the next was refused, for this reason.
    case stopped(Snapshot, Changeset, any Error)
    /// The branches of the history.
    case branches(BranchReport)
    /// A group of commits begins or ends: so many are open.
    case openGroups(Int)
    /// An edit inside a group, which has that many events so far.
    case pending(Int)
    /// The request changed nothing, for this reason.
    case rejected(any Error)
}

extension JSONWriter {
    /// Writes an answer and ends its line.
    public mutating func write(_ answer: ExecAnswer) {
        object { writer in
            switch answer {
            case .committed(let snapshot, let changeset, let conflicts):
                writer.write(snapshot, changeset)
                writer.writeConflicts(conflicts)
            case .stopped(let snapshot, let changeset, let error):
                writer.write(snapshot, changeset)
                writer.writeError(error)
            case .branches(let report):
                writer.key("branches")
                report.write(&writer)
            case .openGroups(let count): writer.member("openGroups", count)
            case .pending(let count): writer.member("pending", count)
            case .rejected(let error): writer.writeError(error)
            }
        }
        endLine()
    }

    /// Writes the members about a version and what led to it.
    mutating func write(_ snapshot: Snapshot, _ changeset: Changeset) {
        member("version", snapshot.version.rawValue)
        key("changeset")
        write(changeset)
        member("hash", snapshot.stateHash.description)
    }
}
