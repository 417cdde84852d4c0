// A folder for the files of one test or one measurement, removed afterwards.

import Foundation

/// A folder that is deleted with the last reference to it.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// Makes a folder in the system's folder for temporary files, or in `parent` if the file system matters.
    public init(in parent: String? = nil) throws {
        let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let url = parent.appendingPathComponent("listory-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    /// Makes a folder in memory, if the system has a place for it: there a sync takes no time.
    public static func inMemory() throws -> TemporaryFolder {
        try TemporaryFolder(in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in the folder.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file, and returns its path.
    public func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }
}
