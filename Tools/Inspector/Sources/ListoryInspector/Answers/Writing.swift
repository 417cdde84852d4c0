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
    /// - Returns: the status, and a line of JSON.
    /// - Throws: `RequestError` if the body is anything but one request, or if the request begins or ends a group: nobody
    ///   else could edit before the page ends it.
    func exec(_ body: [UInt8]) throws -> (status: Int, answer: [UInt8]) {
        // JSON may have lines, the requests of a session may not. No text in JSON has a line feed.
        let line = body.map { $0 == 0x0A ? 0x20 : $0 }
        switch try ExecRequest(line: line) {
        case .begin, .end, .beginGroup, .endGroup:
            throw RequestError(.invalidRequest, "expected a request that is an edit of its own, found one of a group")
        case .edit, .history, .branches: break
        }
        var answer: [UInt8] = []
        // SAFETY: the session calls the closure on this thread.
        var session = try ExecSession(store, input: LineReader(bytes: line)) { answer += $0 }
        try session.run()
        if session.rejectedCount == 0 { return (200, answer) }
        let code = try JSONValue(parsing: answer).members?["error"]?.members?["code"]?.text
        return (code.flatMap(RequestError.Code.init) == nil ? 409 : 400, answer)
    }
}
