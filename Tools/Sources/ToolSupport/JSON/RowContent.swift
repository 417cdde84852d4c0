// The content of a row, which is opaque bytes to the library, as JSON.
//
// Always holds: bytes that are JSON are shown as what they say, those with a version before them as
// {"$version": 2, "$content": …}, all others as {"$base64": "…"}; what was shown can be given back.

import Foundation
import ListModel
import Listory

/// Between the bytes of a content and JSON.
public enum RowContent {
    /// The member that says that an object stands for bytes that are not JSON.
    static let base64Key = "$base64"
    /// The members of an object that stands for a content with a version.
    static let versionKey = "$version"
    static let contentKey = "$content"

    /// The bytes that a row of this content has.
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

    /// What the bytes of a content say.
    public static func value(_ bytes: UnsafeRawBufferPointer) -> JSONValue {
        guard let envelope = ContentEnvelope(bytes) else { return plainValue(bytes) }
        let content = envelope.content.withUnsafeBytes(plainValue)
        return .object([versionKey: .integer(Int64(envelope.version)), contentKey: content])
    }

    /// What bytes without a version say.
    private static func plainValue(_ bytes: UnsafeRawBufferPointer) -> JSONValue {
        (try? JSONValue(parsing: bytes)) ?? .object([base64Key: .string(Data(bytes).base64EncodedString())])
    }

    /// What a list shows of the content: the title of an object that has one, otherwise all of it.
    public static func title(_ bytes: UnsafeRawBufferPointer) -> String {
        var value = value(bytes)
        // The version is no part of what a user reads.
        if ContentEnvelope(bytes) != nil, let content = value.members?[contentKey] { value = content }
        return value.members?["title"]?.text ?? JSONValue.text(of: value)
    }
}

extension CommitSource {
    /// What the content of a row says.
    func value(of reference: ContentReference) throws -> JSONValue {
        try withContent(of: reference, RowContent.value)
    }

    /// The content of a row in a few words, fit for a terminal: content is written by others, so nothing in it may
    /// move the cursor.
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
