// Small disks for tests, which only root may make.

import Foundation

/// A file system that is mounted for a test.
public final class MountedDisk: Sendable {
    /// Where it is mounted.
    public let path: String
    private let folder: TemporaryFolder
    private let image: String?

    /// A disk in memory.
    public init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        (path, image) = (folder.path, nil)
        try MountedDisk.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
    }

    /// A disk with the file system ext4, in a file.
    public init(ext4Megabytes megabytes: Int) throws {
        folder = try TemporaryFolder()
        let image = folder.file("image")
        (path, self.image) = (folder.file("disk"), image)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try MountedDisk.run("truncate", "-s", "\(megabytes)M", image)
        try MountedDisk.run("mkfs.ext4", "-q", "-F", image)
        try mount()
    }

    deinit { try? MountedDisk.run("umount", "-l", path) }

    /// Mounts it again, after the file system was shut down.
    public func remount() throws {
        try MountedDisk.run("umount", path)
        try mount()
    }

    private func mount() throws { try MountedDisk.run("mount", "-o", "loop", image!, path) }

    /// Fills the disk completely.
    public func fill() throws {
        guard let file = fopen(path + "/filler", "w") else { throw Failure() }
        setvbuf(file, nil, _IONBF, 0)
        defer { fclose(file) }
        let zeros = [UInt8](repeating: 0, count: 4_096)
        while fwrite(zeros, 1, zeros.count, file) == zeros.count {}
    }

    public func makeRoom() throws { try FileManager.default.removeItem(atPath: path + "/filler") }

    /// Whether this process may mount a disk in memory.
    public static let isPossible = (try? MountedDisk(megabytes: 1)) != nil
    /// Whether it may mount one with ext4, which needs a loop device.
    public static let isExt4Possible = (try? MountedDisk(ext4Megabytes: 8)) != nil

    private struct Failure: Error {}

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
    }
}
