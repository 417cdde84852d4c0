// A line of `exec`: an object with one member, whose name is the request.
//
// Always holds: a request that could be parsed has every field it needs, and no other.

import ListModel

/// What a line asks for.
public enum ExecRequest: Equatable, Sendable {
    /// One edit: a commit of its own, or a part of the group that has begun.
    case edit(ListEdit)
    /// A group begins: all edits up to its end are one commit of this name.
    case begin(String)
    /// The group ends.
    case end
    /// That many commits are to be undone.
    case undo(Int)
    /// That many undos are to be taken back.
    case redo(Int)
}

extension ExecRequest {
    /// All requests, for error messages.
    static let names = [
        "apply", "begin", "changeDepth", "check", "collapse", "delete", "deleteSection", "deleteSubtree", "end",
        "expand", "indent", "insert", "insertSection", "move", "moveSection", "moveSubtree", "outdent", "redo",
        "reload", "renameSection", "toggle", "undo", "update",
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
        case "undo": self = .undo(try ExecRequest.count(argument, "undo"))
        case "redo": self = .redo(try ExecRequest.count(argument, "redo"))
        default: self = .edit(try ListEdit(name, argument))
        }
    }

    private static func count(_ value: JSONValue, _ name: String) throws -> Int {
        guard case .integer(let count) = value, count > 0, let count = Int(exactly: count) else {
            throw RequestError.field(name, expected: "how many commits, at least 1", found: value)
        }
        return count
    }
}
