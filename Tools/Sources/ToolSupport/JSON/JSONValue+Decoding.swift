// Parses a JSON value, with Foundation's parser.
//
// Always holds: bytes that are not JSON throw; they never become a wrong value.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONValue {
    private static let decoder = JSONDecoder()

    /// The value of the bytes.
    ///
    /// - Throws: ``JSONSyntaxError``.
    /// - Complexity: O(bytes).
    public init(parsing bytes: some Sequence<UInt8>) throws {
        let data = Data(bytes)
        do { self = try JSONValue.decoder.decode(JSONValue.self, from: data) } catch {
            // The parser does not say where it stopped.
            let fault = JSONFault.first(in: Array(data))
            throw JSONSyntaxError(description: fault?.description ?? "the text is not valid JSON")
        }
    }
}

extension JSONValue: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            var members: [String: JSONValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(members)
            return
        }
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSONValue.self)) }
            self = .array(values)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if container.decodeNil() {
            self = .null
        } else {
            let value = try container.decode(Double.self)
            // A `Decimal` keeps 38 digits; a number that needs more is as exact as a `Double`.
            if value.rounded() == value, abs(value) < 1e38, let exact = try? container.decode(Decimal.self) {
                self = .largeInteger(exact)
            } else {
                self = .number(value)
            }
        }
    }
}
