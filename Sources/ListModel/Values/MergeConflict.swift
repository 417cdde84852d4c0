// What could not be done when a change was applied to rows that somebody else had changed meanwhile.
//
// Always holds: nothing that is listed as a conflict was touched.

/// A row or section that is not as an undo, a redo or a revert expects it.
public struct MergeConflict: Hashable, Sendable {
    /// What it is about.
    public enum Subject: Hashable, Sendable {
        case item(Identifier)
        case section(Identifier)
    }

    /// Why it could not be done.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// It is not in the list any more.
        case gone
        /// It is not what it was: another content, title, checkmark or depth.
        case changed
        /// Somebody else moved it.
        case moved
        /// The section that it should go to is not in the list any more.
        case sectionGone
        /// The section has rows that would be lost with it.
        case notEmpty
        /// What should come back is there, and differs.
        case alreadyThere
    }

    /// What it is about.
    public let subject: Subject
    /// Why it could not be done.
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
        case .alreadyThere: return "\(what) is there again, and differs"
        }
    }
}

/// What to do if rows are not as an undo, a redo or a revert expects them.
public enum ConflictPolicy: Hashable, Sendable {
    /// Throw ``ListError/conflicts(_:)`` with all of them, and change nothing.
    case refuse
    /// Do the rest, and return them.
    case skip
}
