// Which file systems are refused, and what happens to a write for which one has no room.

import Foundation
import TestSupport
import Testing

@testable import LMDB

@Suite struct FileSystemTests {
    @Test(
        "Network file systems are recognised by their numbers",
        arguments: [
            (0x6969, "NFS"), (0x517B, "SMB"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2"), (0x0102_1997, "9P"),
        ] as [(UInt64, String)])
    func network(_ type: UInt64, _ name: String) {
        #expect(FileSystemKind.networkName(linuxType: type) == name)
    }

    @Test("A number with its sign extended is the same file system")
    func signExtension() {
        #expect(FileSystemKind.networkName(linuxType: 0xFFFF_FFFF_FF53_4D42) == "CIFS")
    }

    @Test(
        "Local file systems and those in user space are allowed",
        arguments: [
            0xEF53, 0x0102_1994, 0x9123_683E, 0x5846_5342, 0x794C_7630, 0x6573_5546, 0,
        ] as [UInt64])
    func local(_ type: UInt64) {
        #expect(FileSystemKind.networkName(linuxType: type) == nil)
    }

    @Test("A Darwin mount is remote unless it says that it is local")
    func darwin() {
        #expect(FileSystemKind.networkName(darwinFlags: 0x1000, localFlag: 0x1000, name: "apfs") == nil)
        #expect(FileSystemKind.networkName(darwinFlags: 0x0001, localFlag: 0x1000, name: "smbfs") == "smbfs")
    }

    @Test("The length of an open file is known without its times")
    func length() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("file")
        let descriptor = try Platform.create(path, mode: 0o600).get()
        defer { Platform.close(descriptor) }
        #expect(try Platform.length(of: descriptor).get() == 0)
        try Data(repeating: 7, count: 12_345).write(to: URL(filePath: path))
        #expect(try Platform.length(of: descriptor).get() == 12_345)
        #expect(throws: SystemError.self) { try Platform.length(of: -1).get() }
    }

    @Test("The folder for temporary files is local")
    func here() throws {
        let folder = try TemporaryFolder()
        #expect(FileSystemKind.networkName(at: folder.path) == nil)
        try folder.open().close()
    }

    @Test(
        "A write of which the disk takes only a part is an error",
        .enabled(if: MountedDisk.isPossible, "this process may not mount a disk"))
    func partialWrite() throws {
        let disk = try MountedDisk(megabytes: 1)
        let bytes = [UInt8](repeating: 1, count: 2 << 20)
        let descriptor = try Platform.create(disk.path + "/file", mode: 0o600).get()
        defer { Platform.close(descriptor) }
        #expect(bytes.withUnsafeBytes { Platform.write(descriptor, $0, at: 0) } == Platform.noSpace)
        let size = try Platform.status(of: descriptor).get().size
        #expect(size > 0 && size < bytes.count)
    }

    #if os(Linux)
    @Test("A read that brings only a part is continued")
    func partialRead() throws {
        // The system gives such a file page by page.
        let descriptor = try Platform.openForReading("/proc/self/smaps").get()
        defer { Platform.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 24 << 10)
        let read = try bytes.withUnsafeMutableBytes { try Platform.read(descriptor, into: $0, at: 0).get() }
        #expect(read == bytes.count)
    }
    #endif
}
