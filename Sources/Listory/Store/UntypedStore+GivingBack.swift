// Gives the free pages of a file back to the system when the store is closed: a copy without them takes the file's place.
//
// Always holds: only a store that packs its past does it, and only if most of its file is free.

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
        let copy = filePath + "-compacted"
        replaceFile(removing: copy) { path in
            // A process that was killed may have left one.
            DataFile.remove(copy)
            var readOptions = Environment.Options()
            readOptions.isReadOnly = true
            let environment = try Environment.open(path: path, options: readOptions)
            defer { try? environment.close() }
            try environment.copy(to: copy)
            return copy
        }
    }
}
