// Verifying, repairing, salvaging and backing up a store by its path.
//
// Always holds: a file that was never a store is not called damaged.

import LMDB
import ListModel
import Listory

/// A store that is damaged, and what can be salvaged of it.
public struct DamagedStore: Error {
    /// The error of opening it.
    public let cause: any Error
    /// What can be read.
    public let survey: SalvageReport

    /// An error that is explained by what can be read.
    public init(cause: any Error, survey: SalvageReport) {
        self.cause = cause
        self.survey = survey
    }
}

/// What a quick check found.
public struct QuickCheck: Sendable {
    /// The newest version, and how many rows it has.
    public let version: Version
    public let itemCount: Int
    /// Whether the checkpoints could not be used, so that the log was replayed instead.
    public let wasRebuilt: Bool
}

extension StoreFile {
    /// Checks the whole store.
    public func verify(progress: (Double) -> Void) throws -> StoreVerification {
        try requireFile()
        return try explaining { try StoreVerification(path: path, progress: progress) }
    }

    /// Opens the store as an app does, and reads the newest rows.
    public func check() throws -> QuickCheck {
        try requireFile()
        var options = StoreOptions()
        options.isReadOnly = true
        return try explaining {
            let store = try UntypedStore.open(at: path, options: options)
            defer { try? store.close() }
            if let lost = store.recovery.lostVersion {
                throw ListError.headMismatch(
                    what: "journal", expected: "entries that follow it", found: "one that ends with version \(lost)")
            }
            let snapshot = try store.snapshot
            try snapshot.reading {
                for section in snapshot.sections {
                    for item in section.items { try store.source.withShownContent(of: item.content) { _ in } }
                }
            }
            return QuickCheck(
                version: snapshot.version, itemCount: snapshot.itemCount, wasRebuilt: store.recovery.wasRebuilt)
        }
    }

    /// What can be salvaged, if a check found damage.
    public func survey<Found>(after outcome: Result<Found, any Error>) -> SalvageReport? {
        guard case .failure(let error) = outcome, ListError.saysDamage(error) else { return nil }
        return try? UntypedStore.survey(at: path)
    }

    /// Rebuilds what follows from the log.
    public func repair(progress: (Double) -> Void) throws -> RepairReport {
        try requireFile()
        return try explaining { try UntypedStore.repair(at: path, progress: progress) }
    }

    /// Makes a new store of what can be read.
    public func salvage(to target: String, progress: (Double) -> Void) throws -> SalvageReport {
        try requireFile()
        return try UntypedStore.salvage(from: path, to: target, progress: progress)
    }

    /// Copies the store.
    ///
    /// - Throws: ``ToolError`` if the store may only be read; an error of the store.
    /// - Returns: the size of the copy in bytes.
    @discardableResult
    public func copy(to target: String, progress: (Double) -> Void) throws -> Int {
        // Only a process that may edit the store knows its newest commits.
        let store: UntypedStore
        do { store = try open(isReadOnly: false) } catch ListError.notPermitted(_, isReadOnly: false) {
            throw ToolError(
                .inputOutput,
                "\(path.visible), its folder or its lock file may not be written, as copy has to; listory backup only reads",
                code: "notPermitted")
        }
        defer { try? store.close() }
        try withoutActuallyEscaping(progress) { progress in try store.copy(to: target) { progress($0) } }
        return try FileStatus(target)?.size ?? 0
    }

    /// Copies the store and verifies the copy.
    public func backup(to target: String, progress: (Double) -> Void) throws -> StoreVerification {
        let store = try open(isReadOnly: true)
        defer { try? store.close() }
        return try store.backup(to: target, progress: progress)
    }
}
