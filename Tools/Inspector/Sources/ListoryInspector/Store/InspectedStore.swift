// The store that is shown, and the rows of the versions that were shown recently.
//
// Always holds: only rows of the past are kept, because the newest version is at hand anyway, and may still get another
// number if another process commits first.

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

    /// The snapshots that were asked for last, the last one at the end.
    private let kept = Mutex<[UntypedSnapshot]>([])
    /// The times of commits that were asked for; those of commits of the past never change.
    private let times = Mutex<[Version: Timestamp]>([:])

    /// The name of the file, for names of exported files: a header must not have all characters.
    var name: String {
        let name = URL(filePath: store.path).deletingPathExtension().lastPathComponent
        return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) ? $0 : "_" })
    }

    /// How many snapshots are kept. Neighbouring ones share nearly all of their nodes.
    private static let keptCount = 32
    /// How many times are kept.
    private static let timeCount = 10_000

    init(_ store: UntypedStore, allowsWriting: Bool) {
        (self.store, source, self.allowsWriting) = (store, store.source, allowsWriting)
    }

    /// The rows at a version; the newest ones without a name.
    ///
    /// - Throws: `ListError` if there is no such version.
    func snapshot(_ name: VersionName?) throws -> UntypedSnapshot {
        let newest = try store.snapshot
        guard let version = try name?.version(in: store), version != newest.version else { return newest }
        let known = kept.withLock { kept -> UntypedSnapshot? in
            guard let index = kept.firstIndex(where: { $0.version == version }) else { return nil }
            let found = kept.remove(at: index)
            kept.append(found)
            return found
        }
        if let known { return known }
        let snapshot = try store.snapshot(at: version)
        guard version < newest.version else { return snapshot }
        kept.withLock { kept in
            if kept.count >= Self.keptCount { kept.removeFirst() }
            kept.append(snapshot)
        }
        return snapshot
    }

    /// When a version was committed.
    func time(of version: Version) throws -> Timestamp {
        if let known = times.withLock({ $0[version] }) { return known }
        let time = try store.commit(version).time
        times.withLock { times in
            if times.count >= Self.timeCount { times.removeAll() }
            times[version] = time
        }
        return time
    }
}
