// A folder for the files of one invocation, on the file system that is measured.
//
// Always holds: the folder is new, and `remove` removes it with everything in it.

import Foundation

/// A new folder.
public struct TemporaryFolder {
    /// Where it is.
    public let path: String

    /// Makes a folder in another.
    public init(in parent: String) throws {
        let name = "bench-files-\(ProcessInfo.processInfo.processIdentifier)"
        path = URL(fileURLWithPath: parent).appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    /// Names for the files in it.
    public var files: FileNames { FileNames(folder: path) }

    /// Removes the folder.
    public func remove() {
        // Nothing depends on its being gone.
        try? FileManager.default.removeItem(atPath: path)
    }
}
