// An answer of `exec`.
//
// Always holds: one line of JSON for each line of input.

import ListModel

/// The result of a request.
public enum ExecAnswer {
    /// A commit, or none if nothing changed: the rows now, the changes, and the skipped conflicts.
    case committed(UntypedSnapshot, Changeset, conflicts: [MergeConflict] = [])
    /// Of several steps, the first ones were made; the next was refused for this reason. Or an edit, of which nothing is left because
    /// another process committed first. Has the rows now and the changes.
    case stopped(UntypedSnapshot, Changeset, any Error)
    /// The branches of the history.
    case branches(BranchReport)
    /// A group of commits begins or ends; the number of open groups.
    case openGroups(Int)
    /// An edit inside a group; the number of events of the group so far.
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

    /// Writes the members about a version and its changes.
    mutating func write(_ snapshot: UntypedSnapshot, _ changeset: Changeset) {
        member("version", snapshot.version.rawValue)
        key("changeset")
        write(changeset)
        member("hash", snapshot.stateHash.description)
    }
}
