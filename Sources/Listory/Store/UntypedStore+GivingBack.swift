// Gives the free pages of a file back to the system when the store is closed: a copy without them takes the file's place.
//
// Always holds: at any moment, the file at the path is complete and durable. It is replaced only while no process has it open, and only
// if nobody has written to it since the copy was begun. The new file has the owner and the permissions of the old one. What fails here is
// no error: the file stays as it is, and nothing is lost.

import LMDB
import ListModel

extension UntypedStore {
    /// Whether so much of the file is free that it should be given back, and whether this process may. Only a store that packs its past
    /// does that.
    var isMostlyFree: Bool {
        guard !options.isReadOnly, !options.trustsPages, options.unpackedCount < Int.max,
            (try? otherProcesses().isEmpty) ?? false, let used = try? group.log.environment.databaseBytes()
        else { return false }
        let free = Platform.size(path) - used
        return free > used && free >= options.packing.freeSize
    }

    /// Gives free pages back. The store is closed.
    ///
    /// - Complexity: O(bytes in use).
    func giveBack() {
        // The file is replaced, not a symbolic link to it.
        let path = Platform.resolved(path) ?? path
        let copy = path + "-compacted"
        let span = options.diagnostics.begin(.compaction)
        let bytesBefore = Platform.size(path)
        let isReplaced = try? DataFile.claiming(path) {
            // A process that was killed may have left one.
            DataFile.remove(copy)
            defer { DataFile.remove(copy) }
            // Where the system's times are coarse, only the meta pages tell that another process has written.
            func state() throws -> (FileFingerprint?, [UInt8]) { (FileFingerprint(path), try DataFile.metaPages(path)) }
            let before = try state()
            var readOptions = Environment.Options()
            readOptions.isReadOnly = true
            let environment = try Environment.open(path: path, options: readOptions)
            do {
                defer { try? environment.close() }
                try environment.copy(to: copy)
            }
            guard Platform.adoptAttributes(of: path, by: copy) else { return false }
            return try DataFile.replace(path, with: copy) { (try? state()).map { $0 == before } ?? false }
        }
        if isReplaced == true {
            let bytesAfter = Platform.size(path)
            options.diagnostics.end(
                span, .compacted(bytesBefore: bytesBefore, bytesAfter: bytesAfter, dropped: 0, packed: 0))
        }
    }
}
