// Which data files this process has open.
//
// POSIX record locks belong to the process: closing a second descriptor of a lock file drops the locks of the first
// one, and LMDB's reader table becomes wrong. So a process opens a file only once, also under other names.
//
// Opening can take long, because all pages may be checked first. So the registry is not locked meanwhile: the file is
// claimed, and only threads that want the same file wait.
//
// Always holds: one thread at a time checks, opens or closes a file; files that a fork inherited from its parent do not
// count.

/// The open data files of this process, by device and inode.
///
/// `@unchecked Sendable`: `files` is read and written with `monitor` locked.
final class EnvironmentRegistry: @unchecked Sendable {
    /// The one registry of the process.
    static let shared = EnvironmentRegistry()

    /// A file that is open, or that a thread has claimed.
    private struct File {
        /// The path without symbolic links. It identifies a file that does not exist yet.
        let path: String
        /// Identifies the file under all its names; nil if it does not exist yet.
        let identity: FileIdentity?
        let processID: Int32
        /// Whether the file is open; otherwise a thread is opening or checking it.
        let isOpen: Bool
    }

    private let monitor = Monitor()
    /// Files in use are few, so they are searched in order.
    private var files: [File] = []

    /// Opens a file that is not open yet, and adds it to the registry.
    ///
    /// - Parameters:
    ///   - path: The file; it need not exist.
    ///   - open: Opens it.
    /// - Throws: `alreadyOpen`, and what `open` throws.
    func open(
        _ path: String, _ open: () throws(LMDBError) -> Environment.Opened
    ) throws(LMDBError) -> Environment.Opened {
        try withClosedFile(path, "Environment.open") { () throws(LMDBError) in
            let opened = try open()
            monitor.withLock {
                // An entry that a fork inherited under this identity does not count.
                files.removeAll { $0.isOpen && $0.identity == opened.identity }
                files.append(File(path: path, identity: opened.identity, processID: Platform.processID, isOpen: true))
            }
            return opened
        }
    }

    /// Runs `body` on a file that is not open, and keeps it from being opened meanwhile.
    func withClosedFile<Result>(
        _ path: String, _ call: String, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        let resolved = Platform.resolved(path) ?? path
        try claim(resolved, path, call)
        defer {
            monitor.withLock {
                let own = Platform.processID
                files.removeAll { !$0.isOpen && $0.path == resolved && $0.processID == own }
            }
            monitor.broadcast()
        }
        return try body()
    }

    /// Closes a file and forgets it.
    func close(_ identity: FileIdentity, _ close: () -> Void) {
        monitor.lock()
        defer { monitor.unlock() }
        close()
        files.removeAll { $0.isOpen && $0.identity == identity }
    }

    /// Waits until nobody else has claimed a file, and claims it.
    private func claim(_ resolved: String, _ path: String, _ call: String) throws(LMDBError) {
        let own = Platform.processID
        monitor.lock()
        defer { monitor.unlock() }
        while true {
            // Asked again after each wait: the file may have been made or replaced.
            let identity = try? Platform.status(of: path).get().identity
            var isClaimed = false
            for file in files where file.processID == own {
                let isSame = identity != nil && file.identity == identity
                // The name of an open file may have been given to another one.
                if file.isOpen && isSame { throw LMDBError(.alreadyOpen(path: file.path), in: call, detail: path) }
                if !file.isOpen && (isSame || file.path == resolved) { isClaimed = true }
            }
            guard isClaimed else {
                return files.append(File(path: resolved, identity: identity, processID: own, isOpen: false))
            }
            monitor.wait()
        }
    }
}
