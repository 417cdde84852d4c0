// A folder for the files of one test or one measurement, removed afterwards.

import Foundation

/// A folder that goes away with its last reference.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// Makes a folder in another: that of the system for temporary files, or the one given, where the file system matters.
    public init(in parent: String? = nil) throws {
        let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let url = parent.appendingPathComponent("listory-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
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
