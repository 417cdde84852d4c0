// Conflicts of a three-way merge: changes that could not be applied, because others changed the same rows meanwhile.
//
// Always holds: a merge does not change the field in conflict: the content, the depth, the title or the place. It may change
// the other fields of the same row or section.

/// A row or section that an undo, a redo or a revert did not find as expected.
public struct MergeConflict: Hashable, Sendable {
    /// The row or section in conflict.
    public enum Subject: Hashable, Sendable {
        /// The row with this id.
        case item(UntypedID)
        /// The section with this id.
        case section(UntypedID)
    }

    /// The reason of a conflict.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The row or section is no longer in the list.
        case gone
        /// Its content, title, checkmark or depth was changed.
        case changed
        /// Somebody else moved it.
        case moved
        /// The destination section is no longer in the list.
        case sectionGone
        /// The section to delete has rows that would be lost.
        case notEmpty
        /// The row or section to insert is in the list already, and differs.
        case alreadyThere
    }

    /// The row or section in conflict.
    public let subject: Subject
    /// The reason of the conflict.
    public let reason: Reason

    /// A conflict.
    public init(_ subject: Subject, _ reason: Reason) {
        self.subject = subject
        self.reason = reason
    }
}

extension MergeConflict: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        let what =
            switch subject {
            case .item(let id): "row \(id)"
            case .section(let id): "section \(id)"
            }
        switch reason {
        case .gone: return "\(what) is gone"
        case .changed: return "\(what) was changed since"
        case .moved: return "\(what) was moved since"
        case .sectionGone: return "the section of \(what) is gone"
        case .notEmpty: return "\(what) has other rows now"
        case .alreadyThere: return "\(what) is there again, and differs or is elsewhere"
        }
    }
}

/// What an undo, a redo or a revert does on conflicts.
public enum ConflictPolicy: Hashable, Sendable {
    /// Throw ``ListError/conflicts(_:)`` with all conflicts, and change nothing.
    case refuse
    /// Apply the rest, and return the conflicts.
    case skip
    /// Override what others wrote to the same rows: contents, titles, depths, places; and delete a row that they changed. What cannot be
    /// overridden is a conflict as with ``skip``: a row or section that is gone, or there again, and a section that has others' rows. A
    /// redo with nothing in between brings back what was overridden.
    case mine
}
