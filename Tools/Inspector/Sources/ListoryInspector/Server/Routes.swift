// What is answered at which path.
//
// Always holds: a path takes one method, and only the parameters that are listed with it.

import Hummingbird
import ToolSupport

/// What is at a path.
enum Route: Sendable {
    /// An answer as JSON, whose members are written.
    case answer(
        [String], repeated: Set<String> = [], @Sendable (InspectedStore, Query, inout JSONWriter) throws -> Void)
    /// What the store is now, with the token.
    case state
    /// A file.
    case export
    /// The stream of new versions.
    case events
    /// Makes edits.
    case exec

    /// The method that it takes.
    var method: HTTPRequest.Method { if case .exec = self { .post } else { .get } }

    /// All paths below that of the cookie, besides those of the page's files.
    static let all: [String: Route] = [
        "/api/state": .state,
        "/api/rows": .answer(["at", "from", "limit"]) { try $0.rows($1, &$2) },
        "/api/row": .answer(["id", "at"]) { try $0.row($1, &$2) },
        "/api/find": .answer(["id", "at"]) { try $0.find($1, &$2) },
        "/api/search": .answer(["at", "words", "from", "limit"]) { try $0.search($1, &$2) },
        "/api/changes": .answer(["from", "to"]) { try $0.changes($1, &$2) },
        "/api/batches": .answer(["from", "to"]) { try $0.batches($1, &$2) },
        "/api/diff": .answer(["from", "to", "skip", "limit"]) { try $0.diff($1, &$2) },
        "/api/timeline": .answer(["buckets"]) { try $0.timeline($1, &$2) },
        "/api/log": .answer(InspectedStore.logParameters, repeated: ["cause", "kind"]) { try $0.log($1, &$2) },
        "/api/commit": .answer(["version", "skip", "limit"]) { try $0.commit($1, &$2) },
        "/api/history": .answer(["id", "section", "before", "limit"]) { try $0.history($1, &$2) },
        "/api/blame": .answer(["id"]) { try $0.blame($1, &$2) },
        "/api/trash": .answer(["words", "before", "limit"]) { try $0.trash($1, &$2) },
        "/api/why": .answer(InspectedStore.whyParameters, repeated: ["section", "filter"]) { try $0.why($1, &$2) },
        "/api/export": .export,
        "/api/events": .events,
        "/api/exec": .exec,
    ]
}
