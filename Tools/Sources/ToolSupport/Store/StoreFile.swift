// Opens a store by its path, with errors that distinguish a damaged store from a file of another format.
//
// Always holds: commands that only read open the store for reading, so they neither wait for an app nor disturb it. A
// store opens as it does in an app: from its newest checkpoint, and a page is checked when it is used. Only commands that
// read the whole file anyway check all of it first.

import LMDB
import ListModel
import Listory

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The file of a store, as a command line names it.
public struct StoreFile: Sendable {
    /// The path.
    public let path: String

    /// The file at a path.
    public init(path: String) {
        self.path = path
    }

    /// Whether a file is known to exist at the path.
    public var exists: Bool { (try? FileStatus(path)) != nil }

    /// The options for edits: each commit is a separate undo step, however fast a program makes them. Only groups make
    /// steps of several commits. Memory stays small, however large the file is.
    private static var options: StoreOptions {
        var options = StoreOptions()
        (options.coalescing, options.unloadsPages) = (.never, true)
        return options
    }

    /// The bytes of stored rows that are kept in memory by commands which read, or make one commit: they go through the rows once.
    static let memoryBudget = 2 << 20

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - isReadOnly: whether the command only reads.
    ///   - isSession: whether many edits are made, and not only one.
    ///   - isSearch: whether the command reads many whole versions, so that what it has read is kept in memory.
    ///   - origin: the origin in whose own history the command undoes; nil for the shared history.
    public func open(
        isReadOnly: Bool, isSession: Bool = false, isSearch: Bool = false, origin: String? = nil
    ) throws -> UntypedStore {
        var options = StoreFile.options
        options.isReadOnly = isReadOnly
        if isSearch {
            options.unloadsPages = false
        } else if !isSession {
            options.memoryBudget = StoreFile.memoryBudget
            // The app packs, and sessions do; a command that makes one edit ends at once.
            options.unpackedCount = .max
        }
        options.undoScope = origin == nil ? .shared : .origin
        return try open(options)
    }

    private func open(_ options: StoreOptions) throws -> UntypedStore {
        try requireFile()
        do { return try explaining { try UntypedStore.open(at: path, options: options) } } catch {
            guard let survey = survey(after: Result<UntypedStore, any Error>.failure(error)) else { throw error }
            throw DamagedStore(cause: error, survey: survey)
        }
    }

    /// The version of a name.
    public func version(_ name: VersionName) throws -> Version {
        let store = try open(isReadOnly: true)
        let version = try name.version(in: store)
        try store.close()
        return version
    }

    /// Opens the store, or creates it if it does not exist.
    ///
    /// - Parameter coalescing: which commits become one undo step.
    public func openOrCreate(coalescing: CoalescingPolicy = .never) throws -> UntypedStore {
        var options = StoreFile.options
        options.coalescing = coalescing
        return exists ? try open(options) : try UntypedStore.create(at: path, options: options)
    }

    /// Creates the store. It has its name only when it is complete.
    ///
    /// - Parameter body: makes its commits.
    /// - Returns: its newest rows.
    public func create(_ body: (UntypedStore) throws -> Void) throws -> UntypedSnapshot {
        if exists { throw ListError.alreadyExists(path: path) }
        let partial = "\(path).\(ProcessInfo.processInfo.processIdentifier).partial"
        defer {
            for suffix in ["", "-lock", "-processes"] { try? FileManager.default.removeItem(atPath: partial + suffix) }
        }
        let store = try UntypedStore.create(at: partial, options: StoreFile.options)
        do {
            try body(store)
            let snapshot = try store.snapshot
            try store.close()
            try FileManager.default.moveItem(atPath: partial, toPath: path)
            return snapshot
        } catch {
            try? store.close(discardingUnappended: true)
            throw error
        }
    }

    /// Refuses a path that cannot be a store.
    func requireFile() throws {
        guard let status = try status() else { throw ListError.notFound(path: path) }
        if status.isFolder { throw ListError.notAStore(path: path, found: "a folder") }
        // LMDB would make a database of an empty file.
        if status.size == 0 { throw ListError.notAStore(path: path, found: "an empty file") }
    }

    /// What the system knows about the file; nil if there is none.
    private func status() throws -> FileStatus? {
        do throws(SystemError) { return try FileStatus(path) } catch {
            if error.saysNotPermitted { throw ListError.notPermitted(path: path, isReadOnly: true) }
            throw ToolError(.inputOutput, "\(path.visible) cannot be read: \(error)")
        }
    }

    /// Calls `body`. If the file was never an LMDB file, the error does not say that it is damaged.
    func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch ListError.failed(let cause as LMDBError) {
            guard case .damaged = cause.kind, !hasMetaPage else { throw ListError.failed(cause: cause) }
            throw ListError.notAStore(path: path, found: "no LMDB file")
        }
    }

    /// Whether one of the two meta pages, which begin an LMDB file, can be recognised.
    private var hasMetaPage: Bool {
        guard let bytes = try? OpenFile(reading: path).read(upTo: 1 << 17) else { return false }
        let magic: [UInt8] = [0xDE, 0xC0, 0xEF, 0xBE]
        // The second page begins at the page size, which is a power of two.
        return ([0] + (8...16).map { 1 << $0 }).contains { page in
            bytes.dropFirst(page + 16).prefix(4).elementsEqual(magic)
        }
    }
}
