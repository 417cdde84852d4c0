// The open gate: is this file one that LMDB can be trusted with?
//
// LMDB believes its data file. A page number that points beyond the end, a node that lies outside of its page, a
// file that was cut: all of them end the process, not the call. So the raw file is read first, by code that
// believes nothing.
//
// Always holds: the file is read with ordinary reads, never mapped; every number from it is checked before it is
// used; the amount of work and memory is bounded by the length of the file. The check finds damage to the
// structure, not to keys and values: records need checksums of their own.

/// Checks LMDB data files without LMDB.
public enum DataFile {
    /// How much of the file is checked.
    public enum Depth: Sendable {
        /// The meta pages and the length of the file; constant time, unless the file is shorter than its last page
        /// number says. That can be right (pages that were never needed are never written), so that the whole
        /// file is checked then.
        case quick
        /// Every page that the newest version of every database reaches, and the list of free pages.
        case full
    }

    /// Checks a data file that this process does not have open. A file that does not exist, or is empty, passes.
    ///
    /// Another process may have it open and write to it; a check of the whole file is then repeated until it has
    /// seen one version.
    ///
    /// - Parameters:
    ///   - path: The data file.
    ///   - depth: How much of it to check.
    /// - Throws: ``LMDBError``: `damaged` with what, where, expected and found; `alreadyOpen` when this process has
    ///   the file open (reading it would drop LMDB's locks); `changing` when another process writes too fast;
    ///   `engine` when the file cannot be read.
    /// - Complexity: O(1) for `quick`, linear in the length of the file for `full`.
    public static func check(path: String, depth: Depth = .quick) throws(LMDBError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw LMDBError(.invalidName(path), in: "DataFile.check")
        }
        try EnvironmentRegistry.shared.withClosedFile(path, "DataFile.check") { () throws(LMDBError) in
            try checkClosed(path, depth: depth)
        }
    }

    /// How often a check is repeated that another process has disturbed.
    private static let attempts = 8

    /// Checks a file that is known not to be open in this process.
    static func checkClosed(_ path: String, depth: Depth) throws(LMDBError) {
        guard let file = try RawFile(path) else { return }
        for _ in 0..<attempts {
            // First of all, so that a commit after it is noticed below.
            let before = try MetaPage.fingerprint(of: file)
            let length = try file.length()
            if length == 0 { return }
            do throws(LMDBError) {
                let meta = try MetaPage.newest(in: file, length: length)
                let isShort = length < meta.requiredLength
                if depth == .quick && !isShort { return }
                var walk = PageWalk(file: file, length: length, meta: meta)
                return try walk.run()
            } catch {
                // Damage that was seen while a writer went on may be two versions mixed up. If nothing has moved
                // since, it is real.
                guard case .damaged = error.kind, try MetaPage.fingerprint(of: file) != before else { throw error }
            }
        }
        throw LMDBError(.changing, in: "DataFile.check", detail: path)
    }
}
