// The recorded editing sessions, which lie beside the project and are never copied into it.
//
// Always holds: a test that needs them and runs without them is skipped and says so, unless `LISTORY_REQUIRE_TRACES` is
// set, as it is in continuous integration: then it fails.

import Foundation
import Testing
import ToolSupport

/// A recording that tests replay.
enum RecordedTrace: String, CaseIterable {
    case svelteComponent = "sveltecomponent.json.gz"
    case automergePaper = "automerge-paper.json.gz"

    /// Where the recordings are: the folder `LISTORY_TRACES` names, or `shared/data` beside the project.
    private static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["LISTORY_TRACES"] { return URL(fileURLWithPath: path) }
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.deletingLastPathComponent().appendingPathComponent("shared/data")
    }()

    var path: String { RecordedTrace.folder.appendingPathComponent(rawValue).path }

    /// Whether the tests that need recordings are to run.
    static var isAvailable: Bool {
        ProcessInfo.processInfo.environment["LISTORY_REQUIRE_TRACES"] != nil
            || allCases.allSatisfy { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// The text with which the recording ends.
    func endContent() throws -> String {
        try #require(EditingTrace(json: ImportInput(path: path).bytes).endContent)
    }
}
