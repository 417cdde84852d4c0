// Environments and databases as the tests of the binding use them.

import Foundation
import LMDB
import TestSupport

extension TemporaryFolder {
    /// The path of the data file that most tests use.
    func file() -> String { file("data") }

    /// Opens a file in the folder with options that a test changes.
    func open(
        _ name: String = "data", _ change: (inout Environment.Options) -> Void = { _ in }
    ) throws -> Environment {
        var options = Environment.Options()
        options.mapSize = 1 << 20
        options.resizeTimeout = .milliseconds(50)
        change(&options)
        return try Environment.open(path: file(name), options: options)
    }
}

extension Environment {
    /// The length of the data file, in bytes.
    var fileSize: Int {
        get throws { try URL(fileURLWithPath: path).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
    }

    /// A database of numbers and bytes, for tests.
    func bytes(_ name: String? = "rows") throws -> Database<UInt64, [UInt8]> {
        try openDatabase(named: name, of: UInt64.self, [UInt8].self, create: true)
    }

    /// A database of numbers and text, for tests.
    func texts(_ name: String? = "texts") throws -> Database<UInt64, String> {
        try openDatabase(named: name, of: UInt64.self, String.self, create: true)
    }
}

/// The kind of the error that a closure throws; `nil` when it throws none of ours.
func kind(_ body: () throws -> Void) -> LMDBError.Kind? {
    do {
        try body()
        return nil
    } catch let error as LMDBError {
        return error.kind
    } catch {
        return nil
    }
}
