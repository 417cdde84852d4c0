// Which data files this process has open.
//
// POSIX record locks belong to the process: opening and closing a lock file a second time drops the locks of the
// first, and LMDB's reader table then lies. So a file is open once in a process, by whatever name.
//
// Always holds: a file is looked at, opened and closed only while the registry is locked, and entries that a
// fork inherited from its parent do not count.

/// The open data files of this process, by device and inode.
///
/// `@unchecked Sendable`: `entries` is read and written with `monitor` locked.
final class EnvironmentRegistry: @unchecked Sendable {
    /// The one registry of the process.
    static let shared = EnvironmentRegistry()

    private struct Entry {
        let identity: FileIdentity
        let path: String
        let processID: Int32
    }

    private let monitor = Monitor()
    /// Open files are few, so they are searched in order.
    private var entries: [Entry] = []

    /// Opens a file that is not open yet, and notes it.
    ///
    /// - Parameters:
    ///   - path: The file; it need not exist.
    ///   - open: Opens it, and returns the environment with the identity of its file.
    /// - Throws: `alreadyOpen`, and what `open` throws.
    func open(
        _ path: String, _ open: () throws(LMDBError) -> (OpaquePointer, FileIdentity)
    ) throws(LMDBError) -> (OpaquePointer, FileIdentity) {
        monitor.lock()
        defer { monitor.unlock() }
        try requireNotOpen(path, "Environment.open")
        let (environment, identity) = try open()
        // What a fork inherited under this identity does not count.
        entries.removeAll { $0.identity == identity }
        entries.append(Entry(identity: identity, path: path, processID: Platform.processID))
        return (environment, identity)
    }

    /// Runs `body` on a file that is not open, and keeps it from being opened meanwhile.
    func withClosedFile<Result>(
        _ path: String, _ call: String, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        monitor.lock()
        defer { monitor.unlock() }
        try requireNotOpen(path, call)
        return try body()
    }

    /// Closes a file and forgets it.
    func close(_ identity: FileIdentity, _ close: () -> Void) {
        monitor.lock()
        defer { monitor.unlock() }
        close()
        entries.removeAll { $0.identity == identity }
    }

    private func requireNotOpen(_ path: String, _ call: String) throws(LMDBError) {
        guard case .success(let status) = Platform.status(of: path),
            let entry = entries.first(where: { $0.identity == status.identity }),
            entry.processID == Platform.processID
        else { return }
        throw LMDBError(.alreadyOpen(path: entry.path), in: call, detail: path)
    }
}
