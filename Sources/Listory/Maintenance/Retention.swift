// How much history a store keeps by itself. See `Docs/Design/Retention.md`.

import LMDB
import ListModel

/// How much history a store keeps. A commit goes if one of the bounds lets it go.
public struct Retention: Hashable, Sendable {
    /// How far back to keep: the version of that time and later ones, by the times of commits.
    public var age: Duration?
    /// How many of the newest undo steps to keep, of all histories and branches.
    public var steps: Int?
    /// The newest commits are kept whose unpacked records fit into this many bytes.
    public var recordBytes: Int?

    /// Bounds of the history; without any, all of it is kept.
    public init(age: Duration? = nil, steps: Int? = nil, recordBytes: Int? = nil) {
        (self.age, self.steps, self.recordBytes) = (age, steps, recordBytes)
    }
}

extension StoreProtocol {
    /// Sets how much history to keep. Older commits are dropped later: nobody can look at them or undo them then. Versions with names
    /// (``addName(_:to:)``) can still be read.
    ///
    /// ```swift
    /// let store = try ListStore<String, Todo>.open(at: path)
    /// try store.keep(Retention(age: .seconds(90 * 86_400)))
    /// ```
    ///
    /// Call it each time the store is opened, and `projection(_:)` for each projection of the app: then what goes is folded into their stored
    /// states before, whether their values are used or not. Once as many commits can go as stay, and at least 1,024, the store writes a file
    /// without them beside its own, in the background. That file takes the place of the store's when the store is closed, or when it is
    /// opened next. It does not while another process has the store open.
    ///
    /// - Parameter retention: the bounds; they replace those of an earlier call. Commits that the earlier bounds let go may be gone by
    ///   then.
    /// - Throws: ``ListError/readOnly``, ``ListError/closed``; ``ListError/inUse(path:)`` if another file is just made beside the store,
    ///   and there is a second one which the new bounds do not allow; an error of the log. The earlier bounds then stay.
    public func keep(_ retention: Retention) throws {
        try door {
            try core.withHead { _ in }
            if core.options.isReadOnly { throw ListError.readOnly }
            try core.keeper.withLock { keeper in
                // It may be about to finish a successor.
                keeper?.stop()
                do { try core.removeSuccessor(lackingVersionsFrom: core.oldestVersion(keptBy: retention)) } catch {
                    keeper?.start()
                    throw error
                }
                keeper = HistoryKeeper(core, retention)
                keeper?.start()
            }
        }
    }
}

extension UntypedStore {
    /// Removes a successor that lacks what is to be kept now.
    ///
    /// - Parameter base: the version with which the log can begin.
    func removeSuccessor(lackingVersionsFrom base: @autoclosure () throws -> Version) throws {
        guard let oldest = oldestVersionOfSuccessor, try base() < oldest else { return }
        try UntypedStore.claiming(filePath) { DataFile.remove(UntypedStore.successor(of: filePath)) }
    }

    /// The version with which the log can begin.
    ///
    /// - Complexity: O(commits that go) records for an age; O(commits that are kept) for steps; O(blocks and records that are kept) for
    ///   bytes, and unpacking one block.
    func oldestVersion(keptBy retention: Retention) throws -> Version {
        var base = oldestVersion
        if let age = retention.age { base = max(base, try version(ofAge: age)) }
        if let steps = retention.steps { base = max(base, try version(ofSteps: steps)) }
        if let bytes = retention.recordBytes { base = max(base, try version(ofBytes: bytes)) }
        return min(base, durableVersion)
    }

    /// The version of a time that lies so far back.
    private func version(ofAge age: Duration) throws -> Version {
        let then = options.now().microseconds.subtractingReportingOverflow(age.microseconds)
        if then.overflow { return age < .zero ? durableVersion : oldestVersion }
        return try version(isOld: { $0.microseconds <= then.partialValue })
    }

    /// The version before the first commit that is not old.
    ///
    /// Times may descend, if a clock was set back: the first commit that is too young, with a possible time, stays, and so do those behind
    /// it. But a time that is still to come says nothing, because somebody's clock was wrong. The commits behind it decide; otherwise a
    /// single wrong time would keep all of them for years.
    ///
    /// - Parameter isOld: whether a commit of this time is old.
    func version(isOld: (Timestamp) -> Bool) throws -> Version {
        let now = options.now()
        var (base, version) = (oldestVersion, oldestVersion)
        while version < durableVersion {
            version = version.next
            let time = try group.commitTime(version)
            if isOld(time) { base = version } else if time <= now { break }
        }
        return base
    }

    /// The version before the newest undo steps.
    private func version(ofSteps count: Int) throws -> Version {
        var (version, count) = (durableVersion, count)
        // Commits that steps which are kept continue: others may have edited in between.
        var begun: Set<Version> = []
        while version > oldestVersion {
            if count <= 0 && begun.isEmpty { return version }
            let entry = try group.historyMark(of: version).entry
            if case .node(let node) = entry, begun.contains(version) || count > 0 {
                if begun.remove(version) == nil { count -= 1 }
                if node.continues && node.parent > oldestVersion { begun.insert(node.parent) }
            }
            version = version.previous
        }
        return version
    }

    /// The version after which as many commits as possible have so many bytes of records.
    func version(ofBytes bytes: Int) throws -> Version {
        var (version, total) = (durableVersion, 0)
        // Blocks are asked once each, because the checksum of all their bytes is compared.
        var unasked = version.next
        while version > oldestVersion {
            var size = try group.log.withRecord(of: version) { $0?.count }
            if size == nil, version < unasked, let block = try packedBlock(of: version) {
                unasked = block.first
                // All of it may fit: a block says how many bytes its records have. Only the one with the bound in it is unpacked.
                if block.last == version, total + block.size <= bytes { (version, size) = (block.first, block.size) }
            }
            total += try size ?? group.withRecord(of: version) { $0.count }
            if total > bytes { break }
            version = version.previous
        }
        return version
    }

    /// The versions of the packed block that has a commit, and how many bytes their records have.
    private func packedBlock(of version: Version) throws -> (first: Version, last: Version, size: Int)? {
        try group.log.packed.withBlock(of: version) { ($0.first, $0.last, $0.recordBytes) }
    }
}
