// Writes a successor of an open store, without the history that is not to be kept. See `Docs/Design/Retention.md`.
//
// Always holds: there is a file of the successor's name only when it is complete and verified; one keeper of a store is at work.

import Dispatch
import LMDB
import ListModel

/// Looks now and then whether a store has more history than is to be kept.
final class HistoryKeeper: StoreKeeper {
    private weak let store: UntypedStore?
    private let retention: Retention
    private let queue = DispatchQueue(label: "listory.retention", qos: .utility)
    /// Counts beginnings and ends: what was begun before the last of them is not wanted any more.
    private let generation = Locked(0)

    init(_ store: UntypedStore, _ retention: Retention) { (self.store, self.retention) = (store, retention) }

    /// Looks soon, and then every ten minutes; less and less often while it fails, because each attempt may write the whole store.
    func start() { look(in: 5, advance()) }

    private static let pause = 600
    private static let longestPause = 86_400

    func stop() {
        _ = advance()
        queue.sync {}
    }

    private func advance() -> Int {
        generation.withLock { generation in
            generation += 1
            return generation
        }
    }

    private func look(in seconds: Int, _ number: Int, failing: Int = 0) {
        queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
            guard let self, let store, isPresent(number) else { return }
            var failures = 0
            do {
                try store.trim(retention) { if !self.isPresent(number) { throw ListError.closed } }
            } catch ListError.inUse {
                // Another file is just made beside the store, such as a snapshot for other replicas.
            } catch {
                // The log has everything, and there will be another look.
                failures = failing + 1
                if isPresent(number) {
                    store.options.diagnostics.report(.trimmingFailed(reason: Diagnostics.reason(error)))
                }
            }
            look(
                in: min(HistoryKeeper.pause << min(failures, 16), HistoryKeeper.longestPause), number,
                failing: failures)
        }
    }

    private func isPresent(_ number: Int) -> Bool { generation.withLock { $0 == number } }
}

extension UntypedStore {
    /// Writes a successor, if enough commits can go. Before that, projections fold and store what they lack of these. Otherwise, if there is
    /// a successor, appends to it what was committed since.
    ///
    /// - Parameters:
    ///   - count: how many commits must be able to go, at least; also, as many as are kept.
    ///   - checkGoesOn: throws if the successor is not wanted any more.
    /// - Returns: whether it wrote one.
    /// - Throws: what `checkGoesOn` throws; an error of the log, of the file or of a projection. Then there is no new successor.
    @discardableResult
    package func trim(
        _ retention: Retention, atLeast count: UInt64 = 1_024, checkGoesOn: () throws -> Void = {}
    ) throws -> Bool {
        try withHead { _ in }
        // Opening has found that a part of the log was lost, which may be salvaged.
        if recovery.lostVersion != nil { return false }
        let path = filePath
        // Read once: it is lower for a moment while pending commits of a replica are being replaced.
        let durable = durableVersion
        guard let checkpointer, checkpointer.mayTrim else { return false }
        defer { checkpointer.giveUpUnusedRole() }
        guard group.log.confirmed.covers(durable) else { return false }
        let base = try oldestVersion(keptBy: retention)
        guard base <= durable else { return false }
        try removeSuccessor(lackingVersionsFrom: base)
        let kept = durable.rawValue - base.rawValue
        // A store may stay open for months, so a successor may have too much as well.
        let oldest = oldestVersionOfSuccessor ?? oldestVersion
        guard base > oldest, base.rawValue - oldest.rawValue >= max(count, kept) else {
            try extendSuccessor(through: durable, checkGoesOn)
            return false
        }
        guard try followers.storeAll(in: self) else { return false }
        return try UntypedStore.claiming(path) { try writeSuccessor(path, from: base, checkGoesOn) }
    }

    private func writeSuccessor(_ path: String, from base: Version, _ checkGoesOn: () throws -> Void) throws -> Bool {
        let unfinished = DataFile.Scratch.made.path(of: path)
        // Otherwise all the writing would be in vain, at each look.
        guard Platform.isReplaceable(path, trying: unfinished) else {
            throw ListError.notPermitted(path: path, isReadOnly: false)
        }
        // As above.
        let durable = durableVersion
        guard base <= durable else { return false }
        var compaction = Compaction(keeping: .from(base))
        let lastPacked = try group.log.packed.lastPacked()
        compaction.isPacked = options.unpackedCount < .max || lastPacked > base
        // Another process may have packed commits that this one has not read yet.
        let packed = min(durable, max(base, lastPacked))
        compaction.unpackedCount = max(1, min(options.unpackedCount, Int(durable.rawValue - packed.rawValue)))
        compaction.checkpointSpacing = options.checkpoints.spacingAtOnce
        var compactor = try Compactor(self, compaction, to: DataFile.Scratch.making.path(of: path), options)
        let written = try compactor.run { _ in try checkGoesOn() }
        // An edit may have come meanwhile, which no other replica has.
        guard group.log.confirmed.covers(written.version) else { return false }
        try compactor.finish(unfinished)
        try group.log.copySharing(to: unfinished)
        try written.verify(unfinished) { _ in try checkGoesOn() }
        try checkGoesOn()
        // Otherwise it could not take the place.
        guard Platform.adoptAttributes(of: path, by: unfinished) else {
            throw ListError.notPermitted(path: path, isReadOnly: false)
        }
        DataFile.remove(UntypedStore.successor(of: path))
        try DataFile.publish(unfinished, as: UntypedStore.successor(of: path))
        return true
    }
}
