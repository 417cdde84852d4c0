// The text of a content that can be edited without knowing the app's type.
//
// Always holds: what is not the text stays as it is.

import ListModel
import Listory

/// Contents that are texts, or objects with a title.
enum EditableContent {
    static let refusal = ToolError(.refused, "expected a content that is a text or has a title, found another one")
    static let changedMeanwhile = ToolError(
        .refused, "expected the text that was there before, found one that somebody else has written meanwhile")

    /// The text of a content; nil if it has none.
    static func text(of content: [UInt8]) -> String? {
        if let envelope = content.withUnsafeBytes({ ContentEnvelope($0) }) { return text(of: envelope.content) }
        guard let value = try? JSONValue(parsing: content) else { return String(validating: content, as: UTF8.self) }
        return value.text ?? value.members?["title"]?.text
    }

    /// A content with another text; nil if the old one has none.
    ///
    /// - Parameters:
    ///   - id: the id of the row of the old content, which may be in it too.
    ///   - newID: the id that the new content has in its place.
    static func content(
        _ text: String, like old: [UInt8], id: UntypedID? = nil, newID: UntypedID? = nil
    ) -> [UInt8]? {
        if let envelope = old.withUnsafeBytes({ ContentEnvelope($0) }) {
            return content(text, like: envelope.content, id: id, newID: newID)
                .map { ContentEnvelope(version: envelope.version, content: $0).bytes }
        }
        guard let value = try? JSONValue(parsing: old) else {
            return String(validating: old, as: UTF8.self).map { _ in Array(text.utf8) }
        }
        if value.text != nil { return JSONValue.string(text).bytes }
        guard var members = value.members, members["title"]?.text != nil else { return nil }
        members["title"] = .string(text)
        if let id, let newID, members["id"] == json(id) { members["id"] = json(newID) }
        return JSONValue.object(members).bytes
    }

    /// An id as an app's coder writes it.
    private static func json(_ id: UntypedID) -> JSONValue {
        switch id {
        case .integer(let value): .integer(value)
        case .string(let text): .string(text)
        case .uuid(let value): .string(value.uuidString)
        }
    }
}
