// Edits, in the words of `listory exec`.
//
// Always holds: an answer is sent only after its commit is durable.

import ListModel
import Listory
import Synchronization
import ToolSupport

extension InspectedStore {
    /// `/api/exec`.
    ///
    /// - Returns: the status, and a line of JSON for each request.
    func exec(_ lines: [UInt8]) throws -> (status: Int, answers: [UInt8]) {
        var answers: [UInt8] = []
        // SAFETY: the session calls the closure on this thread.
        var session = try ExecSession(store, input: LineReader(bytes: lines)) { answers += $0 }
        try session.run()
        if answers.isEmpty { throw RequestError(.invalidJSON, "expected a request, found nothing") }
        if session.rejectedCount == 0 { return (200, answers) }
        let codes = try answers.split(separator: UInt8(ascii: "\n")).compactMap { line in
            try JSONValue(parsing: line).members?["error"]?.members?["code"]?.text
        }
        return (codes.contains { RequestError.Code(rawValue: $0) != nil } ? 400 : 409, answers)
    }
}
