// A request of `exec`: a line with an object of one member, whose name is the kind of request.
//
// Always holds: a parsed request has every field that it needs, and no other.

import ListModel

/// A request.
public enum ExecRequest: Equatable, Sendable {
    /// One edit: a commit of its own, or a part of the open group.
    case edit(RequestedEdit)
    /// A group begins: all edits up to its end are one commit of this name.
    case begin(String)
    /// The group ends.
    case end
    /// A request to the history, with the policy for conflicts.
    case history(HistoryRequest, ConflictPolicy)
    /// Lists the branches of the history, at most `limit`.
    case branches(limit: Int?)
    /// An undo step begins: all commits up to its end are undone together. They have this name, or their own.
    case beginGroup(String?)
    /// The undo step ends.
    case endGroup
}

extension ExecRequest {
    /// All requests, for error messages.
    static let names = [
        "apply", "begin", "beginGroup", "branches", "changeDepth", "check", "collapse", "delete", "deleteSection",
        "deleteSubtree", "earlier", "end", "endGroup", "expand", "go", "indent", "insert", "insertSection", "later",
        "move", "moveSection", "moveSubtree", "outdent", "redo", "reload", "renameSection", "restore", "restoreRow",
        "restoreSection", "revert", "toggle", "undo", "update",
    ]

    /// The request of a line.
    ///
    /// - Throws: ``RequestError`` that says what is wrong with the line.
    public init(line: some Sequence<UInt8>) throws {
        let value: JSONValue
        do { value = try JSONValue(parsing: line) } catch {
            throw RequestError(.invalidJSON, "expected a JSON object: \(error)")
        }
        guard let members = value.members, members.count == 1, let (name, argument) = members.first else {
            let found = value.members.map { "\($0.count) members" } ?? value.summary
            throw RequestError(.unknownRequest, "expected an object with one member, the request; found \(found)")
        }
        switch name {
        case "begin":
            guard let name = argument.text else {
                throw RequestError.field("begin", expected: "a name", found: argument)
            }
            self = .begin(name)
        case "end":
            _ = try RequestFields(argument, "end")
            self = .end
        case "beginGroup": self = .beginGroup(try ExecRequest.groupName(argument))
        case "endGroup":
            _ = try RequestFields(argument, "endGroup")
            self = .endGroup
        case "branches":
            let fields = try RequestFields(argument, "branches", expected: "limit")
            let limit = try fields.has("limit") ? fields.index("limit") : nil
            if let limit, limit < 0 {
                throw RequestError.field(
                    "branches.limit", expected: "at least 0", found: .integer(Int64(limit)))
            }
            self = .branches(limit: limit)
        case _ where HistoryRequest.names.contains(name):
            let (request, policy) = try HistoryRequest.parsed(name, argument)
            self = .history(request, policy)
        default: self = .edit(try RequestedEdit(name, argument))
        }
    }

    /// The name of a group of commits; nil if they keep their own names.
    private static func groupName(_ argument: JSONValue) throws -> String? {
        if let name = argument.text { return name }
        guard argument.members != nil else {
            throw RequestError.field("beginGroup", expected: "a name, or {}", found: argument)
        }
        _ = try RequestFields(argument, "beginGroup")
        return nil
    }

    /// The name of the request; for an edit, the name of its commit.
    var name: String {
        switch self {
        case .edit(let edit): edit.commitName
        case .begin: "begin"
        case .end: "end"
        case .history(let request, _): request.name
        case .branches: "branches"
        case .beginGroup: "beginGroup"
        case .endGroup: "endGroup"
        }
    }
}
