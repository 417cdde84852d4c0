// Parses requests to the history: {"undo":2}, {"earlier":"5m"}, or with a policy for conflicts:
// {"revert":{"version":7,"skipConflicts":true}}, or with an id: {"restoreRow":{"id":7,"version":12}}.
//
// Always holds: a parsed request has at least one step.

import ListModel

extension HistoryRequest {
    /// The names of these requests.
    static let names = ["earlier", "go", "later", "redo", "restore", "restoreRow", "restoreSection", "revert", "undo"]

    /// The name in a request.
    var name: String {
        switch self {
        case .undo: "undo"
        case .redo: "redo"
        case .go: "go"
        case .earlier: "earlier"
        case .later: "later"
        case .revert: "revert"
        case .restore: "restore"
        case .restoreRow: "restoreRow"
        case .restoreSection: "restoreSection"
        }
    }

    /// The request and its policy for conflicts.
    ///
    /// - Parameters:
    ///   - name: the name of the request, one of ``names``.
    ///   - argument: its value, plain or in an object.
    /// - Throws: ``RequestError``.
    static func parsed(_ name: String, _ argument: JSONValue) throws -> (HistoryRequest, ConflictPolicy) {
        if name == "restoreRow" || name == "restoreSection" {
            let fields = try RequestFields(argument, name, expected: "id", "version")
            let id = IdentifierText(try fields.identifier("id"))
            var from: VersionName?
            if fields.has("version") {
                let value = try fields.value("version", expected: expected(name))
                from = version(value)
                if from == nil {
                    throw RequestError.field(fields.path("version"), expected: expected(name), found: value)
                }
            }
            return (name == "restoreRow" ? .restoreRow(id, from) : .restoreSection(id, from), .refuse)
        }
        guard argument.members != nil else { return (try HistoryRequest(name, argument, at: name), .refuse) }
        let field =
            switch name {
            case "undo", "redo": "count"
            case "earlier", "later": "by"
            default: "version"
            }
        // A restore has no conflicts: any rows can be replaced by those of a version.
        let fields =
            name == "restore"
            ? try RequestFields(argument, name, expected: field)
            : try RequestFields(argument, name, expected: field, "skipConflicts")
        let isSkipping = try fields.has("skipConflicts") && fields.bool("skipConflicts")
        let value = try fields.value(field, expected: expected(name))
        return (try HistoryRequest(name, value, at: fields.path(field)), isSkipping ? .skip : .refuse)
    }

    /// A request from its only number or text.
    private init(_ name: String, _ value: JSONValue, at path: String) throws {
        let result: HistoryRequest? =
            switch name {
            case "undo": HistoryRequest.count(value).map { .undo($0) }
            case "redo": HistoryRequest.count(value).map { .redo($0) }
            case "go": HistoryRequest.version(value).map { .go(to: $0) }
            case "revert": HistoryRequest.version(value).map { .revert($0) }
            case "restore": HistoryRequest.version(value).map { .restore($0) }
            case "earlier": HistoryRequest.distance(value).map { .earlier($0) }
            default: HistoryRequest.distance(value).map { .later($0) }
            }
        guard let result else {
            throw RequestError.field(path, expected: HistoryRequest.expected(name), found: value)
        }
        self = result
    }

    /// The expected number or text, for error messages.
    private static func expected(_ name: String) -> String {
        switch name {
        case "undo", "redo": "how many steps, at least 1"
        case "earlier", "later": HistoryDistance.expected
        default: VersionNameError.expected
        }
    }

    private static func count(_ value: JSONValue) -> Int? {
        guard case .integer(let count) = value, count > 0 else { return nil }
        return Int(exactly: count)
    }

    private static func version(_ value: JSONValue) -> VersionName? {
        guard case .integer(let number) = value else { return value.text.flatMap { try? VersionName($0) } }
        return UInt64(exactly: number).map { VersionName(Version($0)) }
    }

    private static func distance(_ value: JSONValue) -> HistoryDistance? {
        count(value).map { .steps($0) } ?? value.text.flatMap { HistoryDistance($0) }
    }
}
