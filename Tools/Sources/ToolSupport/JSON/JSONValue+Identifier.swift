// Identifiers as JSON: an integer is a number, a string is a string, and a UUID is shown as its string.
//
// Always holds: every identifier can be given in a request. A UUID is given as {"$uuid": "…"}, because its string would
// be read as a string.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONValue {
    /// The member of an object that means a UUID.
    static let uuidKey = "$uuid"

    /// The identifier that the value means; nil if it is none.
    public var identifier: UntypedID? {
        switch self {
        case .integer(let value): .integer(value)
        case .string(let text): .string(text)
        case .object(let members) where members.count == 1:
            members[JSONValue.uuidKey]?.text.flatMap(UUID.init(uuidString:)).map(UntypedID.uuid)
        default: nil
        }
    }
}

extension JSONWriter {
    /// Writes an identifier.
    public mutating func write(_ id: UntypedID) {
        switch id {
        case .integer(let value): write(value)
        case .uuid(let value) where isExact: object { $0.member(JSONValue.uuidKey, value.uuidString) }
        case .uuid(let value): write(value.uuidString)
        case .string(let value): write(value)
        }
    }
}

extension UntypedID {
    /// The identifier without quotation marks, for people.
    public var plainText: String {
        if case .string(let value) = self { value } else { description }
    }
}
