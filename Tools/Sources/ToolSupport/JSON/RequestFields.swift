// Reads and checks the fields of a request.
//
// Always holds: an unknown field is refused, because it is probably a typing error.

import ListModel

/// The fields of an object in a request.
struct RequestFields {
    /// The name of the object in errors: the request, and the path to the object in it.
    let name: String
    private let members: [String: JSONValue]

    /// Positions beyond this are refused: sums of them must not overflow.
    private static let limit: Int64 = 1 << 53

    init(_ value: JSONValue, _ name: String, expected: String...) throws {
        try self.init(value, name, allowing: expected)
    }

    /// As ``init(_:_:expected:)``, with an array of names.
    init(_ value: JSONValue, _ name: String, allowing expected: [String]) throws {
        guard let members = value.members else {
            throw RequestError.field(name, expected: "an object", found: value)
        }
        self.name = name
        self.members = members
        if let unknown = members.keys.filter({ !expected.contains($0) }).min() {
            let names = expected.isEmpty ? "no fields" : "one of " + expected.joined(separator: ", ")
            throw RequestError(.invalidRequest, "\(name): expected \(names), found the unknown field \"\(unknown)\"")
        }
    }

    /// The name of a field in an error message.
    func path(_ field: String) -> String { "\(name).\(field)" }

    /// Whether a field exists.
    func has(_ field: String) -> Bool { members[field] != nil }

    /// The value of a field.
    func value(_ field: String, expected: String) throws -> JSONValue {
        guard let value = members[field] else {
            throw RequestError.field(path(field), expected: expected, found: nil)
        }
        return value
    }

    func identifier(_ field: String) throws -> UntypedID {
        try RequestFields.identifier(value(field, expected: "an id"), path(field))
    }

    func identifiers(_ field: String) throws -> [UntypedID] {
        try array(field, of: "ids").enumerated().map { index, value in
            try RequestFields.identifier(value, "\(path(field))[\(index)]")
        }
    }

    static func identifier(_ value: JSONValue, _ name: String) throws -> UntypedID {
        guard let id = value.identifier else {
            throw RequestError.field(name, expected: "an integer or a string", found: value)
        }
        return id
    }

    func index(_ field: String) throws -> Int {
        try RequestFields.index(value(field, expected: "an integer"), path(field))
    }

    static func index(_ value: JSONValue, _ name: String) throws -> Int {
        guard case .integer(let index) = value, abs(index.clamped) < limit else {
            throw RequestError.field(name, expected: "an integer", found: value)
        }
        return Int(index)
    }

    func indexPath(_ field: String) throws -> ListIndexPath {
        let value = try value(field, expected: "[section, index]")
        guard case .array(let indices) = value, indices.count == 2 else {
            throw RequestError.field(path(field), expected: "[section, index]", found: value)
        }
        return ListIndexPath(
            section: try RequestFields.index(indices[0], "\(path(field))[0]"),
            item: try RequestFields.index(indices[1], "\(path(field))[1]"))
    }

    func bool(_ field: String) throws -> Bool {
        let value = try value(field, expected: "true or false")
        guard case .bool(let bool) = value else {
            throw RequestError.field(path(field), expected: "true or false", found: value)
        }
        return bool
    }

    func text(_ field: String) throws -> String {
        let value = try value(field, expected: "a string")
        guard let text = value.text else {
            throw RequestError.field(path(field), expected: "a string", found: value)
        }
        return text
    }

    func array(_ field: String, of what: String) throws -> [JSONValue] {
        let value = try value(field, expected: "an array of \(what)")
        guard case .array(let elements) = value else {
            throw RequestError.field(path(field), expected: "an array of \(what)", found: value)
        }
        return elements
    }

    /// The one of several fields that exists.
    ///
    /// - Throws: ``RequestError`` if there is none of them, or more than one.
    func only(of fields: String...) throws -> String {
        let found = fields.filter(has)
        guard found.count == 1 else {
            throw RequestError(
                .invalidRequest,
                "\(name): expected one of \(fields.joined(separator: ", ")), "
                    + "found \(found.isEmpty ? "none" : found.joined(separator: " and "))")
        }
        return found[0]
    }

    /// Refuses a field that needs another one.
    func require(_ other: String, with field: String) throws {
        if has(field) && !has(other) {
            throw RequestError(.invalidRequest, "\(path(field)): expected only together with \(other)")
        }
    }
}

extension Int64 {
    /// The number, or the nearest one whose absolute value can be computed.
    fileprivate var clamped: Int64 { self == .min ? .max : self }
}
