// Makes names for files in the temporary folder. Always holds: no name is given twice.

import Foundation

/// Gives each file a unique name.
public final class FileNames {
    private let folder: String
    private var count = 0

    public init(folder: String) { self.folder = folder }

    /// Calls `body` with the path of a file that does not exist, and removes the file afterwards.
    public func withNewFile<Result>(_ body: (String) throws -> Result) throws -> Result {
        count += 1
        let path = "\(folder)/\(count).listory"
        defer {
            for end in ["", "-lock", "-processes"] { try? FileManager.default.removeItem(atPath: path + end) }
        }
        return try body(path)
    }
}
