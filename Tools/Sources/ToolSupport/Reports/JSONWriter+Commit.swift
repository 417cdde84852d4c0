// What is printed of a commit besides its events.
//
// Always holds: members that say nothing unusual are left out.

import ListModel

extension JSONWriter {
    /// Writes the members of a commit, without its events.
    public mutating func writeHeader(_ commit: Commit) {
        member("version", commit.version.rawValue)
        writeOccasion(commit)
        member("hash", commit.stateHash.description)
    }

    /// Writes when and why a commit was made, its name, who made it, and its place in the history.
    mutating func writeOccasion(_ commit: Commit) {
        // A time of another age has no such text.
        if isExact, CompactionRequest.time(commit.time.text) != commit.time {
            member("time", commit.time.microseconds)
        } else {
            member("time", commit.time.text)
        }
        writeCause(commit.cause, name: commit.name, origin: commit.origin)
        if commit.continuesStep { member("continuesStep", true) }
        switch commit.tracking {
        case .shared: break
        case .own: member("tracking", "own")
        case .untracked: member("tracking", "untracked")
        }
        if commit.isDiscardable { member("discardable", true) }
    }

    /// Writes the members of a commit: version, time, cause, name, origin.
    public mutating func write(membersOf commit: CommitInfo) {
        member("version", commit.version.rawValue)
        member("time", commit.time.text)
        writeCause(commit.cause, name: commit.name, origin: commit.origin)
    }

    /// Writes commits, each as an object under its name; those that are nil are left out.
    public mutating func write(commits: [(String, CommitInfo?)]) {
        for (name, commit) in commits {
            guard let commit else { continue }
            key(name)
            object { $0.write(membersOf: commit) }
        }
    }

    private mutating func writeCause(_ cause: Commit.Cause, name: String, origin: String) {
        let (word, preposition) = cause.words
        member("cause", word)
        if let target = cause.target { member(preposition, target.rawValue) }
        member("name", name)
        member("origin", origin)
    }
}

extension Commit.Cause {
    /// The word for a cause, and the preposition before the version that it refers to.
    var words: (word: String, preposition: String) {
        switch self {
        case .edit: ("edit", "of")
        case .undo: ("undo", "of")
        case .redo: ("redo", "of")
        case .go: ("go", "to")
        case .revert: ("revert", "of")
        case .restore: ("restore", "of")
        }
    }
}
