// The use of recorded editing sessions in tests.
//
// Always holds: without the recordings, a test that needs them is skipped with a message. If `LISTORY_REQUIRE_TRACES`
// is set, as in continuous integration, it fails instead.

import Foundation
import TestSupport
import Testing
import ToolSupport

extension RecordedTrace {
    /// Whether the tests that need recordings run.
    static var isAvailable: Bool {
        ProcessInfo.processInfo.environment["LISTORY_REQUIRE_TRACES"] != nil || allCases.allSatisfy(\.exists)
    }

    /// The text with which the recording ends.
    func endContent() throws -> String {
        try #require(EditingTrace(json: ImportInput(path: path).bytes).endContent)
    }
}
