// Makes commits again that lost a race: another process appended its own commits first.
//
// The commits are taken back, the newest first; the commits of the others are replayed; then the change of each own commit is merged into
// the rows. `Docs/Design/Processes.md` has the rules.
//
// Always holds: each commit that is taken back gets exactly one successor, so its version only shifts by the number of
// commits of the others. A function that throws leaves a state that cannot be used: its owner replaces it.

/// A commit that was made again, because another process appended its own commits first.
public struct RebasedCommit: Sendable {
    /// The version that the commit had, before it was in the log. Another commit has that version now.
    public let version: Version
    /// The checksum of its record.
    package let before: UInt64
    /// The commit that replaced it.
    public let commit: Commit
    /// The changes that were left out, because others changed the same rows.
    public let conflicts: [MergeConflict]
    /// Why nothing is left of it; nil if something is.
    public let reason: String?

    /// - Parameter commit: the commit that replaced it, or the same commit as another replica has made it again.
    package init(_ old: Commit, became commit: Commit, _ conflicts: [MergeConflict] = [], reason: String? = nil) {
        (version, before, self.commit, self.conflicts) = (old.version, old.checksum, commit, conflicts)
        self.reason = reason
    }
}

/// The contents of commits that were taken back. Their records are gone, so contents that are still needed are written again.
package final class MovedContents {
    /// The first version that was taken back. Snapshots from before refer to contents of this version and later ones.
    let first: Version
    /// The versions of the others, behind which the commits are made again; nil if these have replaced commits from before.
    private let others: [Version]?
    /// Reads a content that was taken back.
    private let read: (ContentReference) throws -> [UInt8]
    /// Whether somebody has asked what the others have put somewhere.
    private var hasReadOthers = false
    /// What they have put somewhere; nil before somebody has asked, and if it is not known.
    private var placedByOthers: Changeset.Elements?
    /// Where contents are now.
    package private(set) var places: [ContentReference: ContentReference] = [:]

    package init(
        from first: Version, behind others: [Version]?, read: @escaping (ContentReference) throws -> [UInt8]
    ) {
        (self.first, self.others, self.read) = (first, others, read)
    }

    /// What the others have put somewhere; nil if that is not known.
    func placedByOthers(_ read: ([Version]) throws -> Changeset.Elements?) rethrows -> Changeset.Elements? {
        if !hasReadOthers { (placedByOthers, hasReadOthers) = (try others.flatMap(read), true) }
        return placedByOthers
    }

    /// Where a content is now; nil if it has to be written again.
    func place(of content: ContentReference) -> ContentReference? {
        content.version < first ? content : places[content]
    }

    func bytes(of content: ContentReference) throws -> [UInt8] { try read(content) }

    /// Forgets where contents were written again by a commit that is not made.
    package func restore(_ places: [ContentReference: ContentReference]) { self.places = places }

    /// Notes where a content was written again.
    func note(_ old: ContentReference, at new: ContentReference) {
        if old.version >= first { places[old] = new }
    }
}

extension UntypedEditor {
    /// Takes back the newest commits.
    ///
    /// - Parameters:
    ///   - commits: these commits, the oldest first.
    ///   - histories: the histories before the first of them.
    ///   - checksum: the checksum of the commit before.
    /// - Returns: the rows before the first commit, and after each.
    package mutating func takeBack(
        _ commits: [Commit], to histories: HistoryTable, checksum: UInt64
    ) throws -> [UntypedSnapshot] {
        precondition(!isEditing, "commits are taken back between two commits")
        var rows = [state.snapshot()]
        for commit in commits.reversed() {
            try commit.record.withUnsafeBytes { try state.unreplay($0) }
            rows.append(state.snapshot())
        }
        state.restore(histories)
        adopt(checksum)
        return rows.reversed()
    }

    /// Replays the record of the next commit, which another process made.
    ///
    /// - Parameter isLast: whether to compare the hash of the rows.
    package mutating func replay(_ record: UnsafeRawBufferPointer, isLast: Bool) throws {
        precondition(!isEditing, "commits of others are replayed between two commits")
        adopt(try state.replay(record, previousChecksum: checksum, check: isLast ? .everyHash : .records))
    }

    /// Makes a commit again.
    ///
    /// - Parameters:
    ///   - commit: the commit as it was.
    ///   - change: the rows before and after it.
    ///   - now: the version that a commit has now.
    ///   - position: where a history is now that was at a commit.
    ///   - isUndisturbed: whether no other process has moved the position of its history.
    ///   - isExact: whether it undid or redid a step on the very rows that the step had left or begun with, so that nothing was overridden.
    ///   - moved: the contents of the commits that were taken back.
    package mutating func repeating(
        _ commit: Commit, _ change: (before: UntypedSnapshot, after: UntypedSnapshot), now: (Version) -> Version,
        position: (Version) -> Version, isUndisturbed: Bool, isExact: Bool = false, _ moved: MovedContents
    ) throws -> RebasedCommit {
        // Nothing was left of it before.
        if let reason = try commit.givenUpReason { return try givingUp(commit, reason) }
        (repeatedIdentifier, repeatedStep) = (try identifier(of: commit), isUndisturbed && commit.continuesStep)
        // Otherwise the step is undone or redone as it is now, without what others did to the same rows.
        repeatedChange = isExact ? nil : (commit, change.before, change.after, moved)
        defer { (repeatedIdentifier, repeatedStep, repeatedChange) = (nil, nil, nil) }
        let places = moved.places
        if isUndisturbed, let scope = commit.scope {
            if let again = try checkingOut(commit, scope, position), let new = again.commit {
                return RebasedCommit(commit, became: new, again.conflicts)
            }
            moved.restore(places)
        }
        var draft = CommitDraft(repeating: commit)
        switch commit.cause {
        case .edit, .redo, .go: break
        case .undo(let version), .revert(let version): draft.cause = .revert(of: now(version))
        case .restore(let version): draft.cause = .restore(of: now(version))
        }
        do {
            try begin(draft)
            let conflicts = try mergeAgain(commit, from: change.before, to: change.after, moved)
            for annotation in try commit.annotations() where annotation.name != CommitAnnotation.identifier {
                annotate(own: annotation.name, with: annotation.value)
            }
            if let new = try finish() {
                return RebasedCommit(commit, became: new, conflicts)
            }
            let reason = "nothing was left of it"
            return RebasedCommit(commit, became: try finishEmpty(draft, reason), conflicts, reason: reason)
        } catch let error as ListError where error.isRejection {
            // The rows of both do not fit together, for example there would be too many.
            if isEditing { cancel() }
            moved.restore(places)
            let reason = error.description
            return RebasedCommit(commit, became: try finishEmpty(draft, reason), reason: reason)
        } catch {
            // A commit that stays begun would keep the owner from replacing the state.
            if isEditing { cancel() }
            throw error
        }
    }

    /// Merges the change of a commit that is made again into the present rows.
    mutating func mergeAgain(
        _ commit: Commit, from before: UntypedSnapshot, to after: UntypedSnapshot, _ moved: MovedContents
    ) throws -> [MergeConflict] {
        let (source, limit) = (source, othersLimit)
        return try merge(from: before, to: after, now: state.snapshot(), moved) {
            try Changeset.Elements(placedBy: [commit])
        } placedByOthers: {
            try moved.placedByOthers { try Changeset.Elements(placedBy: $0, of: source, atMost: limit) }
        }
    }

    /// Notes which commit an open group continues now instead of one that was made again.
    package mutating func noteRepeated(_ commit: Commit, as new: Version) {
        if let scope = commit.scope { coalescing.noteRepeated(commit.version, as: new, in: scope) }
    }

    /// Makes a commit again that is given up: a commit without changes, which says why.
    package mutating func givingUp(_ commit: Commit, _ reason: String) throws -> RebasedCommit {
        repeatedIdentifier = try identifier(of: commit)
        defer { repeatedIdentifier = nil }
        return RebasedCommit(
            commit, became: try finishEmpty(CommitDraft(repeating: commit), reason), reason: reason)
    }

    /// The id of a commit that is made again; nil if the list is not that of a replica.
    private func identifier(of commit: Commit) throws -> [UInt8]? {
        try makeIdentifier == nil ? commit.identifier : commit.sharedIdentifier
    }

    /// Repeats an undo, a redo or a go, in its history; nil if that is none, or not possible.
    private mutating func checkingOut(
        _ commit: Commit, _ scope: HistoryScope, _ position: (Version) -> Version
    ) throws -> Reversal? {
        do {
            switch commit.cause {
            case .undo:
                return try undo(in: scope, origin: commit.origin, time: commit.time, onConflict: .skip)
            case .redo(let target):
                // From the same position, others may have changed what comes next.
                guard try tree.redoing(state.histories[scope])?.after.position == position(target) else { return nil }
                return try redo(in: scope, origin: commit.origin, time: commit.time, onConflict: .skip)
            case .go(let target):
                return try go(
                    to: position(target), in: scope, origin: commit.origin, time: commit.time, onConflict: .skip)
            case .edit, .revert, .restore: return nil
            }
        } catch {
            // It has changed nothing. The rows of a commit that is not in the log yet, for example, cannot be read.
            return nil
        }
    }

    /// Makes a commit in no history, which only notes that nothing is left of an edit.
    private mutating func finishEmpty(_ draft: CommitDraft, _ reason: String) throws -> Commit {
        var draft = draft
        draft.tracking = .untracked
        draft.cause = .edit
        try begin(draft)
        annotate(own: CommitAnnotation.lostRace, with: Array(reason.utf8))
        isKeptEmpty = true
        defer { isKeptEmpty = false }
        guard let commit = try finish() else { preconditionFailure("a commit that is kept empty is finished") }
        return commit
    }
}

extension CommitDraft {
    /// The header of a commit that is made again.
    fileprivate init(repeating commit: Commit) {
        self.init(
            name: commit.name, origin: commit.origin, time: commit.time, tracking: commit.tracking,
            isDiscardable: commit.isDiscardable)
    }
}
