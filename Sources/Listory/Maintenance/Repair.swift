// Repair: rebuilds everything in a file that follows from its log.
//
// Always holds: the file is replaced only by one that was verified and has the same commits, byte for byte; if a commit
// is lost, the file stays as it is.

import LMDB
import ListModel

/// The result of a repair.
public struct RepairReport: Hashable, Sendable {
    /// What was found in the file.
    public let found: SalvageReport
    /// Whether the file was damaged, and was replaced.
    public let wasRepaired: Bool
    /// The result of verifying the file.
    public let verification: StoreVerification
}

extension StoreProtocol {
    /// Rebuilds what follows from the log: pages and their tables, checkpoints, locators, lists of numbers. Stored states of
    /// projections that are damaged are left out, and folded again when the app uses them.
    ///
    /// A store without damage is not changed.
    ///
    /// - Parameters:
    ///   - path: a store that no process has open.
    ///   - options: the greatest size of the file.
    ///   - progress: called from time to time with the part that is done, 0 to 1.
    /// - Throws: ``ListError/notRepairable(commits:contents:names:)`` if commits, contents or names of versions are lost: then
    ///   ``salvage(from:to:options:progress:)`` saves the rest. ``ListError/inUse(path:)``; ``ListError/notPermitted(path:isReadOnly:)``,
    ///   also if the file has a second name (a hard link), which would keep the damaged file; what
    ///   ``salvage(from:to:options:progress:)`` throws. The file is then unchanged.
    @discardableResult
    public static func repair(
        at path: String, options: StoreOptions = StoreOptions(), progress: (Double) -> Void = { _ in }
    ) throws -> RepairReport {
        try door {
            // The file is replaced, not a symbolic link to it.
            let path = Platform.resolved(path) ?? path
            let sound: StoreVerification?
            do {
                sound = try StoreVerification(path: path) { progress($0 * 0.3) }
            } catch {
                guard error.saysDamage && !error.isOfNewerRelease else { throw error }
                sound = nil
            }
            // Asked before the whole file is read again.
            if sound == nil { try UntypedStore.checkReplaceable(path) }
            let survey = try survey(at: path)
            if let sound { return RepairReport(found: survey, wasRepaired: false, verification: sound) }
            guard survey.isComplete else { throw survey.notRepairable }
            return try UntypedStore.claiming(path) {
                try UntypedStore.checkReplaceable(path)
                let repaired = DataFile.Scratch.made.path(of: path)
                let before = FileState(path)
                let (report, found) = try UntypedStore.salvageAndVerify(
                    from: path, to: repaired, options, isRepair: true
                ) {
                    progress(0.3 + $0 * 0.7)
                }
                guard report.isComplete, let verification = found.first else { throw report.notRepairable }
                try UntypedStore.replace(path, with: repaired, before, verification.version)
                return RepairReport(found: report, wasRepaired: true, verification: verification)
            }
        }
    }
}

extension SalvageReport {
    /// The error that says what is lost.
    fileprivate var notRepairable: ListError {
        let unattached = looseCommitCount + parts.dropFirst().reduce(0) { $0 + $1.commitCount }
        return .notRepairable(commits: lostCommitCount + unattached, contents: lostContentCount, names: lostNameCount)
    }
}
