// Replaces what a text says, and keeps its shape: so a store can be given to somebody who must not read it.
//
// Always holds: no letter or digit of a text is left, and neither is a number; equal texts stay equal, but different ones may
// become equal. Ids, the keys of
// contents, checkmarks, positions and times stay as they are.

import ListModel
import Listory

/// Redacts texts and contents.
enum Redaction {
    /// A text with x for each letter and 0 for each digit. Spaces and punctuation of ASCII stay; any other character is x.
    static func text(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar {
                    case "0"..."9": "0"
                    case "a"..."z", "A"..."Z": "x"
                    case _ where scalar.value >= 0x20 && scalar.value < 0x7F: scalar
                    default: "x"
                    }
                }))
    }

    /// A content with the same keys, whose texts are redacted and whose numbers are 0. Bytes that are no JSON become zeros.
    static func content(_ raw: UnsafeRawBufferPointer) -> [UInt8] {
        if let envelope = ContentEnvelope(raw) {
            let content = envelope.content.withUnsafeBytes { Redaction.content($0) }
            return ContentEnvelope(version: envelope.version, content: content).bytes
        }
        guard let value = try? JSONValue(parsing: raw) else { return [UInt8](repeating: 0, count: raw.count) }
        return redacted(value).bytes
    }

    private static func redacted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool: value
        case .integer, .largeInteger, .number: .integer(0)
        case .string(let text): .string(self.text(text))
        case .array(let elements): .array(elements.map(redacted))
        case .object(let members): .object(members.mapValues(redacted))
        }
    }
}
