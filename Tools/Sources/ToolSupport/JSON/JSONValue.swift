// A JSON value: a part of a request, or the content of a row.
//
// Always holds: a whole number of up to 38 digits is kept digit by digit; the bytes of a value are canonical
// (`JSONWriter`), so two equal values have equal bytes.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A JSON value.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A whole number, however it was written: `1.0` is the integer 1.
    case integer(Int64)
    /// A whole number that does not fit into 64 bits, of up to 38 digits.
    case largeInteger(Decimal)
    /// Any other number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue {
    /// The members, if the value is an object.
    public var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The text, if the value is a string.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A description of the value, for error messages.
    public var summary: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .integer, .largeInteger, .number: "the number \(JSONValue.text(of: self))"
        case .string(let text) where text.count > 40: "a string of \(text.count) characters"
        case .string: "the string \(JSONValue.text(of: self))"
        case .array(let elements): "an array of \(elements.count)"
        case .object(let members): "an object of \(members.count)"
        }
    }

    /// The canonical text of a value.
    public static func text(of value: JSONValue) -> String {
        String(decoding: value.bytes, as: UTF8.self)
    }

    /// The canonical bytes: no white space, keys sorted by their UTF-8 bytes.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}
