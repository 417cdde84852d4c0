// Gives the free pages of a file back to the system: as holes while the store is open, and when it is closed by a copy without them,
// which takes the file's place. `Docs/Design/Packing.md` says why there are both.
//
// Always holds: only if most of the file is free; the copy only for a store that packs its past.

import LMDB
import ListModel

extension UntypedStore {
    /// Whether so much of the disk space of the file is free that it should be given back now.
    var isMostlyFreeOnDisk: Bool {
        if options.packing.givesBackAlways { return true }
        return isMostlyFree(Platform.diskSize(filePath), atLeast: options.packing.openFreeSize)
    }

    /// Whether so much of the length of the file is free that closing the store should give it back, and whether this process may. Only a
    /// store that packs its past does that.
    var isMostlyFree: Bool {
        guard !options.isReadOnly, options.unpackedCount < Int.max, (try? otherProcesses().isEmpty) ?? false else {
            return false
        }
        return isMostlyFree(Platform.size(filePath), atLeast: options.packing.freeSize)
    }

    /// Whether more than half of so many bytes is free, and at least `count`. Not without checks of the pages, and not if a part of the
    /// log was lost: salvage may find it in free pages.
    ///
    /// - Complexity: O(databases).
    private func isMostlyFree(_ bytes: Int, atLeast count: Int) -> Bool {
        guard recovery.lostVersion == nil, let used = try? group.log.environment.databaseBytes() else { return false }
        let free = bytes - used
        return free > used && free >= count
    }

    /// Gives free pages back. The store is closed.
    ///
    /// - Complexity: O(bytes in use).
    func giveBack() {
        replaceFile { path in
            let copy = DataFile.Scratch.made.path(of: path)
            // A snapshot that is kept may have it open.
            try DataFile.check(path: path)
            let log = try CommitLog(path: path, mode: .open, options: unknownOptions(true))
            defer { try? log.environment.close() }
            // The journal is empty, unless another process has edited since and was killed. Opening the copy for editing makes a new one.
            let found = try log.readHead()
            let isEmpty = found.commitCount == 0 && found.lost == nil
            try log.environment.copy(to: copy, emptying: isEmpty ? LogFormat.journalDatabase : nil)
            // A commit that is in the journal only does not show in the state of the file where times are coarse.
            let after = try log.readHead()
            return after.head == found.head && after.lost == found.lost ? copy : nil
        }
    }
}
