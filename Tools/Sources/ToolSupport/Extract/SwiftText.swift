// Values as Swift source.
//
// Always holds: the source compiles to the same value, whatever characters a text has; none of them is invisible.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes values as Swift source.
enum SwiftText {
    /// A string literal.
    static func literal(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { !mustEscape($0) }
        guard isPlain else {
            return text.unicodeScalars.reduce(into: "\"") { literal, scalar in
                switch scalar {
                case "\"", "\\": literal += "\\\(scalar)"
                case _ where mustEscape(scalar): literal += "\\u{\(String(scalar.value, radix: 16))}"
                default: literal.unicodeScalars.append(scalar)
                }
            } + "\""
        }
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            return "\"\(text)\""
        }
        // A raw literal, with more number signs than are in the text.
        let longest = text.split { $0 != "#" }.map(\.count).max() ?? 0
        let signs = String(repeating: "#", count: longest + 1)
        return "\(signs)\"\(text)\"\(signs)"
    }

    private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        // A mark would join the character before it, also the quotation mark.
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        case .spaceSeparator: scalar != " "
        default: false
        }
    }

    /// Bytes, as a text if they are one.
    static func bytes(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "[]" }
        guard let text = String(validating: bytes, as: UTF8.self) else { return "\(bytes)" }
        return "Array(\(literal(text)).utf8)"
    }

    /// An id, where one is expected.
    static func id(_ id: UntypedID) -> String {
        switch id {
        case .integer(let value): "\(value)"
        case .string(let text): literal(text)
        case .uuid(let value): ".uuid(UUID(uuidString: \"\(value.uuidString)\")!)"
        }
    }

    /// The rows of some ids, as a selection.
    static func selection(_ ids: [UntypedID]) -> String {
        ids.count == 1 ? ".item(\(id(ids[0])))" : ".items([\(ids.map(id).joined(separator: ", "))])"
    }
}
