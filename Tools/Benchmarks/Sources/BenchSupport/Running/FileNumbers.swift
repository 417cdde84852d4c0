// Reads numbers of a store's file.

import Foundation
import LMDB

/// Numbers of files that no process has open.
public enum FileNumbers {
    /// How many transactions a function makes in a file. Nil if it replaces the file, as a store does to give space back: the new one
    /// counts from its own beginning.
    public static func transactionCount(_ path: String, _ body: () throws -> Void) throws -> Int? {
        let (inode, first) = try (self.inode(of: path), lastTransaction(path))
        try body()
        return try self.inode(of: path) == inode ? lastTransaction(path) - first : nil
    }

    private static func inode(of path: String) throws -> Int? {
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
