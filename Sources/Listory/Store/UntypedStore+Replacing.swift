// Puts another file in the place of the store's, when the store is closed.
//
// Always holds: at any moment, the file at the path is complete and durable. It is replaced only while no process has it open, and only
// if nobody has written to it since the other file was made or compared. The new file has the owner and the permissions of the old
// one. What fails here is no error: the file stays as it is, and nothing is lost.

import LMDB
import ListModel

/// What changes when somebody writes to a file.
struct FileState: Equatable {
    private let fingerprint: FileFingerprint?
    /// Where the system's times are coarse, only these tell that another process has written; nil if they cannot be read.
    private let metaPages: [UInt8]?

    init(_ path: String) { (fingerprint, metaPages) = (FileFingerprint(path), try? DataFile.metaPages(path)) }
}

extension UntypedStore {
    /// The path of the file: it is replaced, not a symbolic link to it. It is the same if the program has changed its folder since.
    var filePath: String { group.log.environment.path }

    /// Replaces the file of the store, which is closed.
    ///
    /// - Parameters:
    ///   - count: how many commits the other file lacks.
    ///   - replacement: receives the path, and returns that of the file which takes its place; nil if none does. It is not called if
    ///     none can.
    func replaceFile(dropping count: UInt64 = 0, with replacement: (String) throws -> String?) {
        let path = filePath
        let span = options.diagnostics.begin(.compaction)
        let bytesBefore = Platform.size(path)
        let isReplaced = try? DataFile.claiming(path) {
            let before = FileState(path)
            // First, because the other file may be a copy of all.
            guard Platform.isReplaceable(path, trying: DataFile.Scratch.made.path(of: path)) else { return false }
            guard let other = try replacement(path), Platform.exists(other) else { return false }
            guard Platform.adoptAttributes(of: path, by: other) else { return false }
            return try DataFile.replace(path, with: other) { FileState(path) == before }
        }
        guard isReplaced == true else { return }
        options.diagnostics.end(
            span, .compacted(bytesBefore: bytesBefore, bytesAfter: Platform.size(path), dropped: count, packed: 0))
    }
}
