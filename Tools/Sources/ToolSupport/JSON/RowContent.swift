// Converts the content of a row, which is opaque to the library, to JSON and back.
//
// Always holds: bytes that are JSON are shown as JSON, content with an envelope as {"$version": 2, "$content": …}, all
// others as {"$base64": "…"}. Each of these forms, and {"$utf8": "…"} for a text as it is, can be used in a request. What is shown of
// a content that was erased is {"$erased": {"bytes": 12, "hash": "…"}}.

import ListModel
import Listory

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Converts between the bytes of a content and JSON.
public enum RowContent {
    /// The member of an object that means bytes that are not JSON.
    static let base64Key = "$base64"
    /// The member of an object that means the bytes of a text, as they are.
    static let utf8Key = "$utf8"
    /// The members of an object that means a content with a version.
    static let versionKey = "$version"
    static let contentKey = "$content"
    /// The member of an object that means a content that was erased.
    static let erasedKey = "$erased"

    /// What is shown of a content that was erased.
    static func value(ofErased reference: ContentReference) -> JSONValue {
        let hash = String(reference.hash, radix: 16)
        return .object([
            erasedKey: .object(["bytes": .integer(Int64(reference.length)), "hash": .string(hash)])
        ])
    }

    /// The length and the hash of a content that was erased; nil if the value means another content.
    static func erased(_ value: JSONValue) -> (length: UInt32, hash: UInt64)? {
        guard let members = value.members, members.count == 1, let erased = members[erasedKey]?.members,
            erased.count == 2, case .integer(let number)? = erased["bytes"], let length = UInt32(exactly: number),
            let hash = erased["hash"]?.text.flatMap({ UInt64($0, radix: 16) })
        else { return nil }
        return (length, hash)
    }

    /// The bytes of a content.
    public static func bytes(_ value: JSONValue) -> [UInt8] {
        if let members = value.members, members.count == 1, let text = members[base64Key]?.text,
            let data = Data(base64Encoded: text)
        {
            return Array(data)
        }
        if let members = value.members, members.count == 1, let text = members[utf8Key]?.text {
            return Array(text.utf8)
        }
        if let members = value.members, members.count == 2, let content = members[contentKey],
            case .integer(let number)? = members[versionKey], let version = Int(exactly: number),
            ContentEnvelope.versions.contains(version)
        {
            return ContentEnvelope(version: version, content: bytes(content)).bytes
        }
        return value.bytes
    }

    /// The JSON of the bytes of a content, from which ``bytes(_:)`` makes exactly these bytes again: JSON that is written in
    /// another way than the tool writes it is {"$utf8": "…"}.
    public static func exactValue(_ raw: UnsafeRawBufferPointer) -> JSONValue {
        let value = value(raw)
        if erased(value) == nil, bytes(value).elementsEqual(raw) { return value }
        if let text = String(validating: raw, as: UTF8.self) { return .object([utf8Key: .string(text)]) }
        return .object([base64Key: .string(Data(raw).base64EncodedString())])
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
        let value = innerValue(bytes)
        return value.members?["title"]?.text ?? JSONValue.text(of: value)
    }

    /// The JSON of the bytes of a content, without the version that an envelope has.
    private static func innerValue(_ bytes: UnsafeRawBufferPointer) -> JSONValue {
        let value = value(bytes)
        return ContentEnvelope(bytes) != nil ? value.members?[contentKey] ?? value : value
    }

    /// The text in which a content is searched: its strings and numbers, wherever they are.
    static func searchText(_ bytes: UnsafeRawBufferPointer) -> SearchText {
        var texts: [String] = []
        value(bytes).collectTexts(&texts)
        return SearchText(texts.joined(separator: "\n"))
    }

    /// The member of a content as a text; nil if there is none. The title is that of ``title(_:)``.
    static func text(_ name: String, of bytes: UnsafeRawBufferPointer) -> String? {
        if name == "title" { return title(bytes) }
        return innerValue(bytes).members?[name].map { $0.text ?? JSONValue.text(of: $0) }
    }

    /// The section in which rows with this member of their content are; that of the empty text if they have none.
    static func group(_ name: String, of bytes: UnsafeRawBufferPointer) -> QueryGroup {
        let text = text(name, of: bytes) ?? ""
        switch innerValue(bytes).members?[name] {
        case .integer(let value): return QueryGroup(id: .integer(value), title: text, order: .integer(value))
        case .number(let value): return QueryGroup(id: .string(text), title: text, order: .number(value))
        // A text that looks like a number is another section than the number.
        default:
            let id = Double(text) == nil ? text : "\"\(text)\""
            return QueryGroup(id: .string(id), title: text, order: .text(text))
        }
    }

    /// The member of a content as a sort key; the title is that of ``title(_:)``.
    static func sortKey(_ name: String, of bytes: UnsafeRawBufferPointer) -> QueryKey {
        if name == "title" { return .text(title(bytes)) }
        switch innerValue(bytes).members?[name] {
        case .bool(let value): return .integer(value ? 1 : 0)
        case .integer(let value): return .integer(value)
        case .number(let value): return .number(value)
        case .string(let text): return .text(text)
        default: return .absent
        }
    }
}

extension SearchWords {
    /// Whether the words are in the texts of a content: its strings, wherever they are.
    ///
    /// - Complexity: O(length).
    public func match(content raw: UnsafeRawBufferPointer) -> Bool {
        // Parsing takes long. What is in a string is in the bytes as well, unless it is escaped.
        let isPlain = !raw.contains(UInt8(ascii: "\\"))
        if isPlain, !matches(SearchText(String(decoding: raw, as: UTF8.self))) { return false }
        return matches(RowContent.searchText(raw))
    }
}

extension JSONValue {
    /// Collects all strings and numbers.
    fileprivate func collectTexts(_ texts: inout [String]) {
        switch self {
        case .null, .bool: break
        case .integer, .largeInteger, .number: texts.append(JSONValue.text(of: self))
        case .string(let text): texts.append(text)
        case .array(let elements): for element in elements { element.collectTexts(&texts) }
        case .object(let members): for value in members.values { value.collectTexts(&texts) }
        }
    }
}

extension JSONWriter {
    /// Writes the bytes of a content.
    mutating func write(content raw: UnsafeRawBufferPointer) {
        write(isExact ? RowContent.exactValue(raw) : RowContent.value(raw))
    }

    /// Writes the content of a row.
    mutating func write(_ reference: ContentReference, _ source: any CommitSource) throws {
        if reference.isErased { return write(RowContent.value(ofErased: reference)) }
        write(try source.withContent(of: reference, isExact ? RowContent.exactValue : RowContent.value))
    }
}

extension CommitSource {
    /// Calls `body` with a content, or with what is shown of it if it was erased.
    public func withShownContent<Result>(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard reference.isErased else { return try withContent(of: reference, body) }
        return try RowContent.value(ofErased: reference).bytes.withUnsafeBytes(body)
    }

    /// The content of a row as JSON.
    func value(of reference: ContentReference) throws -> JSONValue {
        try withShownContent(of: reference, RowContent.value)
    }

    /// The content of a row as a short text for a terminal. Others may have written it, so it is made harmless.
    public func title(of reference: ContentReference) throws -> String {
        try withShownContent(of: reference, RowContent.title).shown
    }
}
