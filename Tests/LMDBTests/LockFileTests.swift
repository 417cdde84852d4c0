// Tests the lock file: its disk space, and the error of opening if the disk is full.

#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import LMDB

@Suite struct LockFileTests {
    @Test(
        "All its disk space is allocated before it is mapped, for any number of readers",
        arguments: [1, 62, 126, 1022])
    func room(readers: Int) throws {
        let folder = try TemporaryFolder()
        // A lock file without disk space, as earlier builds left it.
        for isThere in [false, true] {
            if isThere {
                try Data().write(to: URL(fileURLWithPath: folder.file("data-lock")))
                #expect(truncate(folder.file("data-lock"), 64 * 2_048) == 0)
            }
            let environment = try folder.open { $0.maximumReaders = readers }
            let status = try Platform.status(of: folder.file("data-lock")).get()
            #expect(status.size == (isThere ? 64 * 2_048 : LockFile.size(readers: readers)))
            #expect(status.isWhole)
            #expect(try environment.information.maximumReaders >= readers)
            try environment.close()
        }
    }

    @Test(
        "Opening throws if the disk has no space for it",
        .enabled(if: MountedDisk.isPossible, "this process may not mount a disk"))
    func fullDisk() throws {
        let disk = try MountedDisk(megabytes: 1)
        let path = disk.path + "/data"
        try Environment.open(path: path).close()
        try FileManager.default.removeItem(atPath: path + "-lock")
        try disk.fill()
        // In a separate process, because a write to the map would end it.
        #expect(try ChildProcess("LMDBTestHelper", ["open", path]).lines() == ["\(LMDBError.Code.noSpace.rawValue)"])
        try disk.makeRoom()
        #expect(try ChildProcess("LMDBTestHelper", ["open", path]).lines() == ["opened"])
    }

    @Test(
        "Before a data file is replaced, its lock file says nothing of it any more, so who waits to open it makes it anew"
    )
    func replaced() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        // As a process leaves it that is killed.
        try Data(repeating: 7, count: 8_192).write(to: URL(fileURLWithPath: LockFile.path(of: folder.file())))
        // Renaming is the last step that can fail before.
        let missing = folder.file("missing")
        #expect(kind { _ = try DataFile.replace(folder.file(), with: missing) { true } } == .engine(.noSuchFile))
        #expect(LockFile.isUnready(for: folder.file()))
        try folder.open().close()
    }
}
#endif
