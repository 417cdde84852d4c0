// How tests use the recorded editing sessions.
//
// Always holds: a test that needs them and runs without them is skipped and says so, unless `LISTORY_REQUIRE_TRACES` is
// set, as it is in continuous integration: then it fails.

import Foundation
import TestSupport
import Testing
import ToolSupport

extension RecordedTrace {
    /// Whether the tests that need recordings are to run.
    static var isAvailable: Bool {
        ProcessInfo.processInfo.environment["LISTORY_REQUIRE_TRACES"] != nil || allCases.allSatisfy(\.exists)
    }

    /// The text with which the recording ends.
    func endContent() throws -> String {
        try #require(EditingTrace(json: ImportInput(path: path).bytes).endContent)
    }
}
