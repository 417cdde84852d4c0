// Makes a store with the built tool, for the tests of commands.

import Foundation
import Testing
import ToolSupport

extension ToolProcess {
    /// Makes a store in a folder of its own, and has `exec` make edits there.
    ///
    /// - Parameter requests: the lines of `exec`.
    static func makeStore(_ requests: String) throws -> (folder: TemporaryFolder, store: String) {
        let folder = try TemporaryFolder()
        let store = folder.file("store")
        for result in [try run("new", store), try run("exec", store, input: requests)] {
            try #require(result.status == .success, "\(result.errors)")
        }
        return (folder, store)
    }

    /// Damages a store wherever it has a text: the journal may still have a copy of a record that is in the database.
    static func damage(_ store: String, at text: String) throws {
        let url = URL(fileURLWithPath: store)
        var data = try Data(contentsOf: url)
        var rest = data.startIndex..<data.endIndex
        while let found = data.range(of: Data(text.utf8), in: rest) {
            data[found.lowerBound] ^= 0x20
            rest = found.upperBound..<data.endIndex
        }
        try #require(rest.lowerBound > data.startIndex)
        try data.write(to: url)
    }

    /// All commits of a store as JSON, the oldest first.
    static func log(_ store: String) throws -> [JSONValue] {
        try run("log", store, "--all", "--format", "json").json().reversed()
    }
}
