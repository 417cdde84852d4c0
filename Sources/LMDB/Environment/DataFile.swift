// Checks a data file before LMDB opens it.
//
// LMDB trusts its data file. A page number beyond the end, a node outside its page or a truncated file ends the
// process, not only the call. So the file is first read by code that checks every number.
//
// Always holds: the file is read with ordinary reads, never mapped; every number from it is checked before it is
// used; the amount of work and memory is bounded by the length of the file. The check finds damage to the
// structure, not to keys and values: records need checksums of their own.

/// Checks LMDB data files without LMDB.
public enum DataFile {
    /// How much of the file is checked.
    public enum Depth: Sendable {
        /// The meta pages and the length of the file; constant time, unless the file is shorter than its last page
        /// number says. Such a file may be sound, because LMDB does not write pages that were never needed; so the
        /// whole file is checked then.
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

    /// The bytes of a file that every transaction changes.
    package static func metaPages(_ path: String) throws(LMDBError) -> [UInt8] {
        guard let file = try RawFile(path) else { return [] }
        return try MetaPage.fingerprint(of: file)
    }

    /// How often a check is repeated if another process changed the file during it.
    private static let attempts = 8

    /// Checks a file that is known not to be open in this process.
    static func checkClosed(_ path: String, depth: Depth) throws(LMDBError) {
        guard let file = try RawFile(path) else { return }
        for _ in 0..<attempts {
            // Read first, so that a later commit is detected below.
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
                // If another process writes meanwhile, apparent damage may be a mixture of two versions. If the meta
                // pages have not changed, the damage is real.
                guard case .damaged = error.kind, try MetaPage.fingerprint(of: file) != before else { throw error }
            }
        }
        throw LMDBError(.changing, in: "DataFile.check", detail: path)
    }
}
