// Reads numbers that LMDB stores in a file.

import LMDB

/// Numbers of files that no process has open.
public enum FileNumbers {
    /// The number of the last transaction in a file that no process has open.
    public static func lastTransaction(_ path: String) throws -> Int {
        var options = Environment.Options()
        options.isReadOnly = true
        let environment = try Environment.open(path: path, options: options)
        let result = try environment.information.lastTransaction
        try environment.close()
        return result
    }
}
