// A line that `exec` answers with.
//
// Always holds: one line of JSON for each line of input.

import ListModel

/// What came of a request.
public enum ExecAnswer {
    /// A commit, or none if nothing changed: the version that now stands, and what led to it.
    case committed(Snapshot, Changeset)
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
            case .committed(let snapshot, let changeset):
                writer.member("version", snapshot.version.rawValue)
                writer.key("changeset")
                writer.write(changeset)
                writer.member("hash", snapshot.stateHash.description)
            case .pending(let count): writer.member("pending", count)
            case .rejected(let error): writer.writeError(error)
            }
        }
        endLine()
    }

    /// Writes the member that tells of an error.
    mutating func writeError(_ error: any Error) {
        key("error")
        object { writer in
            writer.member("code", Diagnostic.code(error))
            writer.member("message", Diagnostic.text(error))
        }
    }
}
