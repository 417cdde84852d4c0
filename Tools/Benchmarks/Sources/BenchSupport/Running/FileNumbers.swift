// Reads numbers that LMDB stores in a file.

import Foundation
import LMDB

/// Numbers of files that no process has open.
public enum FileNumbers {
    /// How many transactions a function makes in a file that no process has open before and after it; nil if it has written the file
    /// anew, to give space back.
    public static func transactionCount(_ path: String, _ body: () throws -> Void) throws -> Int? {
        let (file, first) = try (number(of: path), lastTransaction(path))
        try body()
        return try number(of: path) == file ? lastTransaction(path) - first : nil
    }

    private static func number(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }

    private static func lastTransaction(_ path: String) throws -> Int {
        var options = Environment.Options()
        options.isReadOnly = true
        let environment = try Environment.open(path: path, options: options)
        let result = try environment.information.lastTransaction
        try environment.close()
        return result
    }
}
