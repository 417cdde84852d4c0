// Why a row is where it is, and as it is: what the parts of a query decided, and the commits behind it.
//
// Always holds: everything is of one version; the row is shown exactly if no part of the query stopped it.

import ListModel

/// Why a row stands where it does on screen, or is not shown, and which commits made it as it is.
///
/// ```swift
/// print(try view.explanation(ofRow: 7))
/// // The row 7 is not shown at version 14.
/// // In the list, it is at [0, 2], in the section "today".
/// // It does not pass the filter.
/// // …
/// ```
public struct RowExplanation: Sendable {
    /// A position, and the section that it is in.
    public struct Location: Hashable, Sendable {
        /// The position.
        public let path: ListIndexPath
        /// The id of the section.
        public let section: UntypedID
    }

    /// The row.
    public let id: UntypedID
    /// The version of the rows.
    public let version: Version
    /// Where the row is shown; nil if it is not.
    public let location: Location?
    /// Where it is in the list; nil if it is not in it.
    public let listLocation: Location?
    /// The row in the list; nil if it is not in it.
    public let row: UntypedRow?
    /// What each part of the query decided, in the order in which they apply; nothing for the list itself, and for a row that is
    /// not in it.
    public let decisions: [QueryDecision]
    /// The commits that made the row as it is, or that deleted it.
    public let blame: RowBlame
    /// The commit that wrote its content: the one that last changed it, or an earlier one if an undo or a restore brought that
    /// content back. Nil if that was before ``StoreProtocol/oldestVersion``, and for a row that is not in the list.
    public let contentWritten: CommitInfo?
    /// The content before ``RowBlame/updated``. Read it with ``UntypedStore/source``.
    public let previousContent: ContentReference?
    /// The last commit that moved the row's section in the list, if that was after the row had come to its place in it.
    public let sectionMoved: CommitInfo?
}

extension RowExplanation {
    /// The part of the query because of which the row is not shown; nil if it is shown or not in the list.
    public var stopped: QueryDecision? { decisions.first { $0.isPassed == false } }

    /// The explanation, a fact in each sentence.
    public var sentences: [String] { whereItIs + chain + commits }

    private var whereItIs: [String] {
        guard let listLocation else {
            let reason = blame.deleted.map { "it was deleted by \($0)" } ?? "no commit of the log has deleted it"
            return ["The row \(id) is not in the list at version \(version): \(reason)."]
        }
        if decisions.isEmpty { return ["The row \(id) is \(listLocation) at version \(version)."] }
        let shown = location.map { "shown \($0)" } ?? "not shown"
        return ["The row \(id) is \(shown) at version \(version).", "In the list, it is \(listLocation)."]
    }

    private var chain: [String] {
        let reached = decisions.filter { $0.reason != nil }.map(\.description)
        let others = decisions.filter { $0.reason == nil }.map(\.part.rawValue)
        return others.isEmpty ? reached : reached + ["Not reached: \(others.joined(separator: ", "))."]
    }

    private var commits: [String] {
        var sentences: [String] = []
        func add(_ what: String, _ commit: CommitInfo?) {
            if let commit { sentences.append("\(what) \(commit).") }
        }
        add("It came into the list with", blame.inserted)
        if blame.inserted == nil && row != nil { sentences.append("It came into the list before the log begins.") }
        add("Its content was last changed by", blame.updated)
        if contentWritten != blame.updated ?? blame.inserted { add("Its content was written by", contentWritten) }
        add("Its checkmark was last changed by", blame.toggled)
        add("Its depth was last changed, or it was collapsed or expanded, by", blame.outlined)
        add("It was last moved by", blame.moved)
        add("Its section was last moved by", sectionMoved)
        return sentences
    }
}

extension RowExplanation: CustomStringConvertible {
    /// The ``sentences``, one a line.
    public var description: String { sentences.joined(separator: "\n") }
}

extension RowExplanation.Location: CustomStringConvertible {
    /// As in `at [0, 2], in the section "today"`.
    public var description: String { "at \(path), in the section \(section)" }
}
