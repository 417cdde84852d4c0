// Content that earlier versions of an app wrote, brought up when it is read.
//
// Always holds: what is in the log stays as it is; what is written has the newest version, and says so.

import ListModel

extension ContentCoder {
    /// A coder that also reads what earlier versions of the app wrote.
    ///
    /// ```swift
    /// let coder = ContentCoder<TodoV3>.json.upcasting([
    ///     .json { (old: TodoV1) in TodoV2(title: old.title, tags: []) },                      // version 0 to 1
    ///     .json { (old: TodoV2) in TodoV3(title: old.title, tags: old.tags, due: nil) },      // 1 to 2
    /// ])
    /// ```
    ///
    /// What it writes begins with the newest version, in two bytes (``ContentEnvelope``). Content without that was written
    /// by a coder without upcasters and has version 0, unless `detecting` tells older shapes apart. To change the encoding
    /// again, append a step.
    ///
    /// - Parameters:
    ///   - steps: each leads from one version to the next; the last to what this coder reads. At least one, and no more
    ///     than lead to version 125.
    ///   - oldest: the version that the first step begins with; content that is older is refused.
    ///   - detecting: the version of a content that does not say which it has, by a look at its bytes.
    /// - Returns: a coder that throws ``ContentError`` for content that it cannot bring up.
    /// - Precondition: this coder has no upcasters.
    public func upcasting(
        _ steps: [ContentUpcaster], from oldest: Int = 0,
        detecting: (@Sendable (UnsafeRawBufferPointer) throws -> Int)? = nil
    ) -> ContentCoder {
        let newest = oldest + steps.count
        precondition(version == 0, "all steps of a coder are given together")
        precondition(
            oldest >= 0 && !steps.isEmpty && ContentEnvelope.versions.contains(newest), "a version is 1 to 125")
        let (encode, decode) = (encode, decode)
        var coder = ContentCoder(
            encode: { ContentEnvelope(version: newest, content: try encode($0)).bytes },
            decode: { bytes in
                let known = ContentEnvelope.version(of: bytes)
                let body = known == nil ? bytes : UnsafeRawBufferPointer(rebasing: bytes[ContentEnvelope.size...])
                let version = try known ?? detecting?(body) ?? 0
                if version == newest { return try decode(body) }
                if version > newest { throw ContentError(version: version, problem: .newer(supported: newest)) }
                if version < oldest { throw ContentError(version: version, problem: .older(oldest: oldest)) }
                var content = Array(body)
                for step in version..<newest {
                    do { content = try steps[step - oldest].convert(content) } catch {
                        throw ContentError(version: version, problem: .step(from: step, to: step + 1, cause: error))
                    }
                }
                return try content.withUnsafeBytes(decode)
            })
        coder.version = newest
        return coder
    }
}

// MARK: - Reading rows

extension ContentCoder {
    /// The item of the content of a row; an error says which row it is.
    package func item(_ bytes: UnsafeRawBufferPointer, of row: Identifier) throws -> Item {
        do { return try decode(bytes) } catch var error as ContentError {
            error.row = error.row ?? row
            throw error
        }
    }

    /// The item of a row.
    package func item(of row: ListItem, in source: any CommitSource) throws -> Item {
        try source.withContent(of: row.content) { try item($0, of: row.id) }
    }

    /// Whether a content of an earlier version is of the same item as a content that this coder wrote just now.
    func isSameItem(_ old: UnsafeRawBufferPointer, as new: [UInt8]) -> Bool {
        guard version > 0, ContentEnvelope.version(of: old) != version else { return false }
        // What cannot be read may well be replaced.
        return (try? encode(decode(old))) == new
    }
}

extension ListEditor {
    /// Gives a row a content that a coder wrote, unless the row has that item already, in an older version.
    package mutating func update<Item>(_ id: Identifier, content: [UInt8], _ coder: ContentCoder<Item>) throws {
        if coder.version > 0, let row = state.item(id) {
            let isSame = try withContent(of: row.content) { coder.isSameItem($0, as: content) }
            if isSame { return }
        }
        try update(id, content: content)
    }
}
