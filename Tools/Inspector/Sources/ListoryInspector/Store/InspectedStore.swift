// The store that is shown, and the rows of the versions that were shown recently.
//
// Always holds: what is kept of a version is what the version has now, also after commits were replaced; only rows of the past
// are kept, because the newest version is at hand anyway; nothing that keeps the file open is kept of a closed store.

import Foundation
import ListModel
import Listory
import Synchronization
import ToolSupport

/// A store that is shown.
final class InspectedStore: Sendable {
    /// The store.
    let store: UntypedStore
    /// Where contents are read.
    let source: any CommitSource
    /// Whether the page may edit it.
    let allowsWriting: Bool
    /// How long an answer may look at one commit or row after another.
    let answerTime: Duration

    /// What was read of versions, since commits were replaced last.
    private struct Kept {
        var replacementCount: UInt64 = 0
        /// The snapshots that were asked for last, the last one at the end.
        var snapshots: [UntypedSnapshot] = []
        /// The times of commits that were asked for.
        var times: [Version: Timestamp] = [:]
    }
    private let kept = Mutex(Kept())

    /// The name of the file, for names of exported files: a header must not have all characters.
    var name: String {
        let name = URL(filePath: store.path).deletingPathExtension().lastPathComponent
        return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) ? $0 : "_" })
    }

    /// How many snapshots are kept. Neighbouring ones share nearly all of their nodes.
    private static let keptCount = 32
    /// How many times are kept.
    private static let timeCount = 10_000

    init(_ store: UntypedStore, allowsWriting: Bool, answerTime: Duration) {
        (self.store, source, self.allowsWriting, self.answerTime) = (store, store.source, allowsWriting, answerTime)
    }

    /// Calls `body` with what is kept.
    private func withKept<Result>(_ body: (inout Kept) -> Result) -> Result {
        kept.withLock { kept in
            let count = store.replacementCount
            if kept.replacementCount != count { kept = Kept(replacementCount: count) }
            return body(&kept)
        }
    }

    /// Keeps something, unless commits have been replaced since before it was read, or the store was closed.
    private func keep(since count: UInt64, _ body: (inout Kept) -> Void) {
        withKept { kept in
            if kept.replacementCount == count, (try? store.version) != nil { body(&kept) }
        }
    }

    /// Forgets what is kept: snapshots keep the file of a closed store open.
    func forget() { kept.withLock { $0 = Kept() } }

    /// The rows at a version; the newest ones without a name.
    ///
    /// - Throws: `ListError` if there is no such version.
    func snapshot(_ name: VersionName?) throws -> UntypedSnapshot {
        let count = store.replacementCount
        let newest = try store.snapshot
        guard let version = try name?.version(in: store), version != newest.version else { return newest }
        let known = withKept { kept -> UntypedSnapshot? in
            guard let index = kept.snapshots.firstIndex(where: { $0.version == version }) else { return nil }
            let found = kept.snapshots.remove(at: index)
            kept.snapshots.append(found)
            return found
        }
        if let known { return known }
        let snapshot = try store.snapshot(at: version)
        guard version < newest.version else { return snapshot }
        keep(since: count) { kept in
            if kept.snapshots.count >= Self.keptCount { kept.snapshots.removeFirst() }
            kept.snapshots.append(snapshot)
        }
        return snapshot
    }

    /// When a version was committed.
    func time(of version: Version) throws -> Timestamp {
        let count = store.replacementCount
        if let known = withKept({ $0.times[version] }) { return known }
        let time = try store.commitInfo(version).time
        keep(since: count) { kept in
            if kept.times.count >= Self.timeCount { kept.times.removeAll() }
            kept.times[version] = time
        }
        return time
    }
}
