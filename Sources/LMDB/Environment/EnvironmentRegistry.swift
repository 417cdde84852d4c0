// Which data files this process has open.
//
// POSIX record locks belong to the process: closing a second descriptor of a lock file drops the locks of the first
// one, and LMDB's reader table becomes wrong. So a process opens a file only once, also under other names.
//
// Opening can take long, because all pages may be checked first. So the registry is not locked meanwhile: the file is
// claimed, and only threads that want the same file wait.
//
// Always holds: one thread at a time checks, opens or closes a file; entries and claims that a fork inherited from its
// parent do not count.

/// The open data files of this process, by device and inode.
///
/// `@unchecked Sendable`: `entries` and `claims` are read and written with `monitor` locked.
final class EnvironmentRegistry: @unchecked Sendable {
    /// The one registry of the process.
    static let shared = EnvironmentRegistry()

    private struct Entry {
        let identity: FileIdentity
        let path: String
        let processID: Int32
    }

    /// A file that a thread is opening or checking.
    private struct Claim: Equatable {
        /// The path without symbolic links. It identifies a file that does not exist yet.
        let path: String
        /// Identifies the file under all its names; nil if it does not exist yet.
        let identity: FileIdentity?
        let processID: Int32

        func isSameFile(_ other: Claim) -> Bool {
            path == other.path || (identity != nil && identity == other.identity)
        }
    }

    private let monitor = Monitor()
    /// Open files are few, so they are searched in order.
    private var entries: [Entry] = []
    private var claims: [Claim] = []

    /// Opens a file that is not open yet, and adds it to the registry.
    ///
    /// - Parameters:
    ///   - path: The file; it need not exist.
    ///   - open: Opens it, and returns the environment with the identity of its file.
    /// - Throws: `alreadyOpen`, and what `open` throws.
    func open(
        _ path: String, _ open: () throws(LMDBError) -> (OpaquePointer, FileIdentity)
    ) throws(LMDBError) -> (OpaquePointer, FileIdentity) {
        try withClosedFile(path, "Environment.open") { () throws(LMDBError) in
            let (environment, identity) = try open()
            monitor.withLock {
                // An entry that a fork inherited under this identity does not count.
                entries.removeAll { $0.identity == identity }
                entries.append(Entry(identity: identity, path: path, processID: Platform.processID))
            }
            return (environment, identity)
        }
    }

    /// Runs `body` on a file that is not open, and keeps it from being opened meanwhile.
    func withClosedFile<Result>(
        _ path: String, _ call: String, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        let claim = try claim(path, call)
        defer {
            monitor.withLock { claims.removeAll { $0 == claim } }
            monitor.broadcast()
        }
        return try body()
    }

    /// Closes a file and forgets it.
    func close(_ identity: FileIdentity, _ close: () -> Void) {
        monitor.lock()
        defer { monitor.unlock() }
        close()
        entries.removeAll { $0.identity == identity }
    }

    /// Waits until no other thread has claimed a file, and claims it.
    private func claim(_ path: String, _ call: String) throws(LMDBError) -> Claim {
        let resolved = Platform.resolved(path) ?? path
        monitor.lock()
        defer { monitor.unlock() }
        while true {
            // Read again after each wait, because the file may have been created or replaced.
            let identity = try? Platform.status(of: path).get().identity
            let claim = Claim(path: resolved, identity: identity, processID: Platform.processID)
            if claims.contains(where: { $0.processID == claim.processID && $0.isSameFile(claim) }) {
                monitor.wait()
                continue
            }
            if let entry = entries.first(where: { $0.identity == identity }), entry.processID == claim.processID {
                throw LMDBError(.alreadyOpen(path: entry.path), in: call, detail: path)
            }
            claims.append(claim)
            return claim
        }
    }
}
