// Makes a store with the built tool, for the tests of commands.

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

    /// All commits of a store as JSON, the oldest first.
    static func log(_ store: String) throws -> [JSONValue] {
        try run("log", store, "--all", "--format", "json").json().reversed()
    }
}
