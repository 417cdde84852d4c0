// An LMDB environment: one data file, its lock file, and the map through which it is read.
//
// An environment is opened once and shared by all threads. `read` and `write` run closures in transactions. They handle
// the cases that LMDB leaves to its users: a full map, a map that another process made larger, dead readers, a second
// write on one thread.
//
// Always holds:
// - A data file is open at most once in a process (EnvironmentRegistry).
// - The map changes only while no transaction of this process is live (TransactionGate).
// - A fork never touches its parent's environment: every entry point compares process ids first.
// - Transactions keep the environment alive, so `deinit` runs when none is live.

import Synchronization

/// An open LMDB data file.
///
/// ```swift
/// let environment = try Environment.open(path: "list.store")
/// let names = try environment.openDatabase(named: "names", of: UInt64.self, String.self, create: true)
/// try environment.write { txn in try txn.put("Ada", forKey: 1, in: names) }
/// let name = try environment.read { txn in try txn.get(1, in: names) }
/// ```
///
/// The lock file lies beside the data file, with `-lock` appended to its name.
///
/// - Warning: While an environment is open, do not open and close its files, the lock file above all, by other
///   means in the same process (not even to copy them): on POSIX systems that drops the process's locks on them.
/// - Warning: A file with several hard links has a lock file for each name; processes that open it by different
///   names do not see each other. Symbolic links are resolved and are safe.
///
/// `@unchecked Sendable`: the stored properties are constants, and LMDB allows all threads to use an environment. LMDB
/// forbids changing the map during transactions and opening a file twice; `gate` and the registry prevent both.
public final class Environment: @unchecked Sendable {
    /// The data file, without symbolic links.
    public let path: String
    /// What the environment was opened with.
    public let options: Options
    /// The longest possible key, in bytes: 511 in an ordinary build of LMDB.
    public let maximumKeySize: Int

    let handle: OpaquePointer
    let gate: TransactionGate
    let databases: DatabaseTable
    /// LMDB's locks, where they are semaphores; nil if there is no lock file.
    let semaphores: LockSemaphores?
    /// Reads the file and checks every number; nil if nothing is checked.
    let pages: PageMap?
    /// Whether the file system makes holes, as far as is known.
    let makesHoles = Atomic(true)
    /// Whether the name of the file may not be durable. Read and written by the writer, and before the first one.
    let mustSyncName = Atomic(false)
    private let identity: FileIdentity
    private let processID: Int32
    /// What is closed with the environment.
    private let companions = Mutex<[any EnvironmentCompanion]>([])

    private init(path: String, options: Options, _ opened: Opened) {
        self.path = path
        self.options = options
        (handle, semaphores, identity) = (opened.handle, opened.semaphores, opened.identity)
        processID = Platform.processID
        // Each spare handle keeps a slot in the reader table, so a small table must not be filled by them.
        gate = TransactionGate(spareLimit: max(1, min(16, options.maximumReaders / 4)))
        databases = DatabaseTable(capacity: options.maximumDatabases)
        // SAFETY: `handle` is open, as below.
        if options.gate != .off, let descriptor = try? Engine.descriptor(handle),
            let statistics = try? Engine.statistics(handle)
        {
            pages = PageMap(
                descriptor: descriptor, path: path, pageSize: statistics.pageSize, unloads: options.unloadsPages)
        } else {
            pages = nil
        }
        // SAFETY: `handle` is open: it was returned by a successful open just now.
        maximumKeySize = Engine.maximumKeySize(handle)
    }

    deinit {
        // A fork must not touch the parent's environment. In this process no transaction can be live, because each
        // keeps a reference, so closing cannot fail.
        guard processID == Platform.processID else { return }
        try? close()
    }

    /// Opens a data file, or makes one.
    ///
    /// - Parameters:
    ///   - path: The data file. Its folder must exist.
    ///   - options: How to open it.
    /// - Returns: The open environment.
    /// - Throws: ``LMDBError``: `alreadyOpen` when this process has the file open by any name,
    ///   `networkFileSystem`; `damaged` when the gate refuses the file, and `changing` when it could not check all of
    ///   it because another process writes too fast; `engine` for what LMDB and the system say.
    public static func open(path: String, options: Options = Options()) throws(LMDBError) -> Environment {
        let path = try resolve(path)
        let opened = try EnvironmentRegistry.shared.open(path) { () throws(LMDBError) -> Opened in
            try refuseNetwork(path, options)
            Platform.takeStandardDescriptors()
            switch options.gate {
            case .off: break
            case .quick: try DataFile.checkClosed(path, depth: .quick)
            case .full: try DataFile.checkClosed(path, depth: .full)
            }
            try LockFile.reserve(for: path, options)
            return try openHandle(path, options)
        }
        return Environment(path: path, options: options, opened)
    }

    /// Closes the file. A second close does nothing.
    ///
    /// - Throws: ``LMDBError``: `closeBlocked` with the number of live transactions when there are any, in which
    ///   case the environment stays open; `forked` in a fork.
    public func close() throws(LMDBError) {
        try requireOwnProcess("Environment.close")
        guard let spare = try gate.close("Environment.close") else { return }
        EnvironmentRegistry.shared.close(identity) {
            // SAFETY: the gate has counted every transaction out and lets none in, and the spare handles are
            // reset read transactions that nobody else holds.
            for transaction in spare { Engine.abort(transaction) }
            for companion in companions.withLock({ $0 }) { companion.close() }
            Engine.close(handle)
            semaphores?.close()
        }
        pages?.close()
    }

    /// Whether there is a lock file, so that other processes may have the data file open.
    package var isLocked: Bool { (try? engineFlags).map { $0 & Engine.isUnlockedFlag == 0 } ?? true }

    /// What was attached to the environment, or what `make` returns, which is then attached and closed together with it.
    package func companion<Companion: EnvironmentCompanion>(_ make: () throws -> Companion?) rethrows -> Companion? {
        for known in companions.withLock({ $0 }) { if let known = known as? Companion { return known } }
        guard let new = try make() else { return nil }
        companions.withLock { $0.append(new) }
        return new
    }

    /// Gives back the memory of the pages that were read so far. They stay in the system's cache, and are mapped again when they are read
    /// again.
    package func unloadPages() { pages?.unload() }

    /// Refuses a use in a fork of the process that opened the environment.
    @inline(__always)
    package func requireOwnProcess(_ call: String) throws(LMDBError) {
        let current = Platform.processID
        guard current == processID else {
            throw LMDBError(.forked(opened: processID, current: current), in: call)
        }
    }

    /// Whether this is the process that opened the environment.
    package var isOwnProcess: Bool { Platform.processID == processID }
}

extension Environment {
    /// What opening returns.
    struct Opened {
        let handle: OpaquePointer
        let semaphores: LockSemaphores?
        let identity: FileIdentity
    }
}

/// What belongs to an open environment, and is closed with it.
package protocol EnvironmentCompanion: AnyObject, Sendable {
    /// Closes it. No transaction of this process is live.
    func close()
}

// MARK: - Opening

extension Environment {
    /// The path without symbolic links, so that all names for a file share one lock file.
    static func resolve(_ path: String) throws(LMDBError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw LMDBError(.invalidName(path), in: "Environment.open")
        }
        if let resolved = Platform.resolved(path) { return resolved }
        let missing = LMDBError.Kind.engine(.noSuchFile)
        if Platform.isSymbolicLink(path) {
            throw LMDBError(missing, in: "Environment.open", detail: "\(path) is a link to nothing")
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = parts.last, !path.hasSuffix("/") else {
            throw LMDBError(.invalidName(path), in: "Environment.open")
        }
        let folder = path.dropLast(name.count)
        guard let resolved = Platform.resolved(folder.isEmpty ? "." : String(folder)) else {
            throw LMDBError(missing, in: "Environment.open", detail: "the folder of \(path)")
        }
        return resolved.hasSuffix("/") ? resolved + name : resolved + "/" + name
    }

    private static func refuseNetwork(_ path: String, _ options: Options) throws(LMDBError) {
        guard !options.allowsNetworkFileSystem else { return }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        // The file need not exist yet.
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        if let name = FileSystemKind.networkName(at: folder) {
            throw LMDBError(.networkFileSystem(name: name), in: "Environment.open", detail: path)
        }
    }

    private static func openHandle(_ path: String, _ options: Options) throws(LMDBError) -> Opened {
        var opened = try openOnce(path, options)
        for _ in 0..<8 {
            // Before the lock was there, another process may have put another file in its place.
            guard let identity = Platform.identity(path), identity != opened.identity else { break }
            Engine.close(opened.handle)
            opened.semaphores?.close()
            opened = try openOnce(path, options)
        }
        return opened
    }

    private static func openOnce(_ path: String, _ options: Options) throws(LMDBError) -> Opened {
        var size = options.mapSize
        if case .success(let status) = Platform.status(of: path) { size = max(size, status.size) }
        var setup = Engine.Setup(
            mapSize: Engine.roundedMapSize(size),
            maximumReaders: UInt32(clamping: max(1, options.maximumReaders)),
            maximumDatabases: UInt32(clamping: max(0, options.maximumDatabases)),
            fileMode: options.fileMode,
            isReadOnly: options.isReadOnly,
            durability: options.durability
        )
        let (handle, semaphores): (OpaquePointer, LockSemaphores?)
        do throws(LMDBError) {
            (handle, semaphores) = try openWithLockFile(path, setup, options.writerTimeout)
        } catch {
            let isRefused = error.code == .accessDenied || error.code == .notPermitted
            // If there is a lock file, some process may be writing. If there is none, no process may write while the
            // file is open here.
            guard options.isReadOnly, isRefused, !Platform.exists(path + "-lock") else { throw error }
            setup.isUnlocked = true
            (handle, semaphores) = (try Engine.open(path, setup), nil)
        }
        do throws(LMDBError) {
            // SAFETY: `handle` is open and known only here, and it is closed on the failing path.
            try roundMapSize(handle)
            let descriptor = try Engine.descriptor(handle)
            // LMDB does not: a program that this process starts would keep the writer's lock when this process is killed.
            try Engine.check(Platform.closeOnExec(descriptor), "fcntl")
            let status = Platform.status(of: descriptor)
            switch status {
            case .success(let status): return Opened(handle: handle, semaphores: semaphores, identity: status.identity)
            case .failure(let error): throw LMDBError(code: error.number, in: "fstat", detail: path)
            }
        } catch {
            Engine.close(handle)
            semaphores?.close()
            throw error
        }
    }

    /// Opens the file, and waits for a lock file that is being made.
    private static func openWithLockFile(
        _ path: String, _ setup: Engine.Setup, _ timeout: Duration
    ) throws(LMDBError) -> (OpaquePointer, LockSemaphores) {
        // LMDB waits without limit for a process that makes the lock file or replaces the data file. Each process that opens the file
        // has the exclusive lock for a moment, so this waits a little even if the caller does not want to.
        try Platform.lock("fcntl", path, within: max(timeout, .milliseconds(100))) {
            Platform.checkExclusiveLock(LockFile.path(of: path))
        }
        let monitor = Monitor()
        // Another process may have made it since the refusal, so a lock file that is ready is tried once more.
        var wasReady = false
        // Attempts are counted and not time, because a process that makes the file may be stopped for long.
        for _ in 0..<LockFile.attemptCount {
            do throws(LMDBError) {
                let handle = try Engine.open(path, setup)
                if let semaphores = try prepare(handle, path, timeout) { return (handle, semaphores) }
            } catch {
                let isReady = !LockFile.isUnready(for: path)
                // A file without bytes cannot be mapped.
                let isRefused = error.code == .invalid || error.code == .invalidArgument
                // Another process may have just closed the file as the last one, and removed the semaphores.
                let isThere = Platform.exists(LockFile.path(of: path)) && (!setup.isReadOnly || Platform.exists(path))
                let isRemoved = error.code == .noSuchFile && isThere
                guard isRemoved || (isRefused && !(isReady && wasReady)) else { throw error }
                wasReady = isReady
            }
            monitor.withLock { monitor.wait(atMost: .milliseconds(1)) }
        }
        throw LMDBError(.changing, in: "mdb_env_open", detail: path)
    }

    /// Opens the semaphores of an environment that was just opened, and frees the slots of dead readers. Otherwise, old pages
    /// that they hold would never be used again.
    ///
    /// - Returns: nil if the lock file is not ready. Then, and after an error, the environment is closed.
    private static func prepare(
        _ handle: OpaquePointer, _ path: String, _ timeout: Duration
    ) throws(LMDBError) -> LockSemaphores? {
        var semaphores: LockSemaphores?
        do throws(LMDBError) {
            let opened = try LockSemaphores(path)
            semaphores = opened
            // SAFETY: `handle` is open and known only to the caller.
            let isReady = try opened.withReaderTable(within: timeout) { () throws(LMDBError) in
                guard try Self.isReady(handle) else { return false }
                _ = try Engine.checkReaders(handle)
                return true
            }
            if isReady { return opened }
        } catch {
            Engine.close(handle)
            semaphores?.close()
            throw error
        }
        Engine.close(handle)
        semaphores?.close()
        return nil
    }

    /// Whether the lock file of an environment that was just opened has the number of the newest transaction. It has not if
    /// the process that made it was killed before it had written that number. LMDB would then read old pages, and write
    /// transactions that are lost. Once all processes have closed the lock file, the next one makes it again.
    private static func isReady(_ handle: OpaquePointer) throws(LMDBError) -> Bool {
        let reader: OpaquePointer
        // SAFETY: `handle` is open and known only here.
        do throws(LMDBError) { reader = try Engine.begin(handle, readOnly: true) } catch {
            // If no reader is left, the lock file is in use.
            guard error.code == .tryAgain || error.code == .accessDenied else { return true }
            // LMDB locks the byte of the lock file whose number is the process id.
            let id = Platform.processID
            let detail = "another process uses the file and has the id \(id) too, as in another container"
            throw LMDBError(.engine(.tryAgain), in: error.call, detail: detail)
        }
        defer { Engine.abort(reader) }
        if Engine.identifier(reader) > 0 { return true }
        return (try? Engine.information(handle).lastTransaction) == 0
    }

    /// Rounds up a map size that was read from the file. No transaction may be live.
    static func roundMapSize(_ handle: OpaquePointer) throws(LMDBError) {
        let size = try Engine.information(handle).mapSize
        let rounded = Engine.roundedMapSize(size)
        if rounded != size { try Engine.setMapSize(handle, rounded) }
    }
}
