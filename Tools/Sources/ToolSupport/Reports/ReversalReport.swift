// Prints the results of undo, redo, go, revert and restore.
//
// Always holds: every commit that was made is named, and every conflict. If only the first of several steps could be
// made, both formats have their results and the reason for the end.

import ListModel
import Listory

/// Carries out a request to the history, and reports the result.
public struct ReversalReport {
    private let store: UntypedStore
    private let before: UntypedSnapshot
    private let after: UntypedSnapshot
    /// The skipped conflicts.
    private let conflicts: [MergeConflict]
    /// The conflicts that stopped the request, if it was not completed.
    public let refusal: ListError?

    /// Carries out a request, and waits until its commits are durable.
    ///
    /// - Parameters:
    ///   - origin: the origin of the commits; see ``HistoryRequest/carryOut(in:origin:onConflict:durability:)``.
    ///   - onConflict: the policy for conflicts. If it is to refuse, ``refusal`` has them.
    /// - Throws: `ListError` if the request is impossible: too few steps, no such version.
    public init(
        _ request: HistoryRequest, in store: UntypedStore, origin: String = "", onConflict: ConflictPolicy = .refuse
    ) throws {
        self.store = store
        before = try store.snapshot
        do {
            conflicts = try request.carryOut(in: store, origin: origin, onConflict: onConflict).conflicts
            refusal = nil
        } catch ListError.conflicts(let found) {
            conflicts = []
            refusal = .conflicts(found)
        }
        after = try store.snapshot
        // If a later step is refused, the commits of the first ones become durable too.
        try store.waitUntilDurable()
    }

    /// A line for each commit and each conflict, and the version now; empty if no commit was made.
    public func text() throws -> String {
        if before.version == after.version && refusal != nil { return "" }
        var lines: [String] = []
        if before.version < after.version {
            try store.forEachCommit(in: before.version.next...after.version) { commit in
                lines.append(ReversalReport.line(commit))
            }
        } else if conflicts.isEmpty {
            lines.append("nothing to do")
        }
        lines += conflicts.map { "left as it is: \($0)".shown }
        return (lines + ["version \(after.version)\n"]).joined(separator: "\n")
    }

    private static func line(_ commit: Commit) -> String {
        let name = "\"\(commit.name.shown)\""
        return switch commit.cause {
        case .edit: "edited \(name)"
        case .undo(let target): "undid \(name) (version \(target))"
        case .redo(let target): "redid \(name) (version \(target))"
        case .go(let target): commit.name.isEmpty ? "went to version \(target)" : "went to \(name) (version \(target))"
        case .revert(let target): "reverted \(name) (version \(target))"
        case .restore(let target): "restored version \(target)"
        }
    }

    /// The change, as `exec` answers with it.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        let changeset = Changeset(from: before, to: after)
        if let refusal {
            writer.write(.stopped(after, changeset, refusal))
        } else {
            writer.write(.committed(after, changeset, conflicts: conflicts))
        }
        return writer.bytes
    }
}
