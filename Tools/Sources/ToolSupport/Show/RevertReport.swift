// What undo and redo did, printed.
//
// Always holds: every commit that was undone or redone is named.

import ListModel
import Listory

/// Undoes or redoes, and tells what that did.
public struct RevertReport {
    private let store: Store
    private let before: Snapshot
    private let after: Snapshot

    /// Undoes commits, and waits until that is durable.
    ///
    /// - Throws: `ListError` if fewer can be undone.
    public static func undoing(_ count: Int, in store: Store) throws -> RevertReport {
        try RevertReport(store) { try store.undo(count) }
    }

    /// Takes undos back, and waits until that is durable.
    ///
    /// - Throws: `ListError` if fewer can be taken back.
    public static func redoing(_ count: Int, in store: Store) throws -> RevertReport {
        try RevertReport(store) { try store.redo(count) }
    }

    private init(_ store: Store, _ revert: () throws -> Commit?) throws {
        self.store = store
        before = try store.snapshot
        _ = try revert()
        after = try store.snapshot
    }

    /// A line for each commit, and the version that now stands.
    public func text() throws -> String {
        var text = ""
        let versions = before.version.rawValue + 1..<after.version.rawValue + 1
        for number in versions {
            let commit = try store.commit(Version(number))
            switch commit.cause {
            case .undo(let target): text += "undid \"\(commit.name.visible)\" (version \(target))\n"
            case .redo(let target): text += "redid \"\(commit.name.visible)\" (version \(target))\n"
            case .edit: continue
            }
        }
        return text + "version \(after.version)\n"
    }

    /// The change, as `exec` answers with it.
    public func json() -> [UInt8] {
        DifferenceReport(from: before, to: after, source: store.source).json()
    }
}
