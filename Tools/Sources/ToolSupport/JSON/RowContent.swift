// Converts the content of a row, which is opaque to the library, to JSON and back.
//
// Always holds: bytes that are JSON are shown as JSON, content with an envelope as {"$version": 2, "$content": …}, all
// others as {"$base64": "…"}. Each of these forms can be used in a request.

import Foundation
import ListModel
import Listory

/// Converts between the bytes of a content and JSON.
public enum RowContent {
    /// The member of an object that means bytes that are not JSON.
    static let base64Key = "$base64"
    /// The members of an object that means a content with a version.
    static let versionKey = "$version"
    static let contentKey = "$content"

    /// The bytes of a content.
    public static func bytes(_ value: JSONValue) -> [UInt8] {
        if let members = value.members, members.count == 1, let text = members[base64Key]?.text,
            let data = Data(base64Encoded: text)
        {
            return Array(data)
        }
        if let members = value.members, members.count == 2, let content = members[contentKey],
            case .integer(let number)? = members[versionKey], let version = Int(exactly: number),
            ContentEnvelope.versions.contains(version)
        {
            return ContentEnvelope(version: version, content: bytes(content)).bytes
        }
        return value.bytes
    }

    /// The JSON of the bytes of a content.
    public static func value(_ bytes: UnsafeRawBufferPointer) -> JSONValue {
        guard let envelope = ContentEnvelope(bytes) else { return plainValue(bytes) }
        let content = envelope.content.withUnsafeBytes(plainValue)
        return .object([versionKey: .integer(Int64(envelope.version)), contentKey: content])
    }

    /// The JSON of bytes without an envelope.
    private static func plainValue(_ bytes: UnsafeRawBufferPointer) -> JSONValue {
        (try? JSONValue(parsing: bytes)) ?? .object([base64Key: .string(Data(bytes).base64EncodedString())])
    }

    /// The text that a list shows: the title of an object that has one, otherwise the whole content.
    public static func title(_ bytes: UnsafeRawBufferPointer) -> String {
        var value = value(bytes)
        // The version is not shown.
        if ContentEnvelope(bytes) != nil, let content = value.members?[contentKey] { value = content }
        return value.members?["title"]?.text ?? JSONValue.text(of: value)
    }
}

extension CommitSource {
    /// The content of a row as JSON.
    func value(of reference: ContentReference) throws -> JSONValue {
        try withContent(of: reference, RowContent.value)
    }

    /// The content of a row as a short text for a terminal. Others may have written it, so control characters are made
    /// visible.
    func title(of reference: ContentReference) throws -> String {
        try withContent(of: reference, RowContent.title).visible
    }
}

extension String {
    /// The text with its control characters made visible, on one line.
    public var visible: String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar != "\u{200D}"
            default: false
            }
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}
