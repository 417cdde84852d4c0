// Content of earlier versions of an app, converted when it is read.
//
// Always holds: content in the log never changes; new content is written with the newest version in its envelope.

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
    /// The coder writes the newest version in two bytes before the content (``ContentEnvelope``). Content without them
    /// was written by a coder without upcasters and has version 0, unless `detecting` tells older shapes apart. To
    /// change the encoding again, append an upcaster.
    ///
    /// - Parameters:
    ///   - steps: the upcasters. Each converts one version to the next; the last one converts to the version of this
    ///     coder. There must be at least one, and the last version is at most 125.
    ///   - oldest: the version from which the first upcaster converts; older content throws.
    ///   - detecting: returns the version of content without an envelope, from its bytes.
    /// - Returns: a coder that throws ``ContentError`` for content that it cannot convert.
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
    package func item(_ bytes: UnsafeRawBufferPointer, of row: UntypedID) throws -> Item {
        do { return try decode(bytes) } catch var error as ContentError {
            error.row = error.row ?? row
            throw error
        } catch {
            let version = ContentEnvelope.version(of: bytes) ?? 0
            throw ContentError(row: row, version: version, problem: .undecodable(cause: error))
        }
    }

    /// The item of a row.
    package func item(of row: UntypedRow, in source: any CommitSource) throws -> Item {
        try source.withContent(of: row.content) { try item($0, of: row.id) }
    }

    /// Whether content of an earlier version has the same item as content that this coder has just written.
    func isSameItem(_ old: UnsafeRawBufferPointer, as new: [UInt8]) -> Bool {
        guard version > 0, ContentEnvelope.version(of: old) != version else { return false }
        // Unreadable content may be replaced.
        return (try? encode(decode(old))) == new
    }
}

extension UntypedEditor {
    /// The content of a row that the list has with another content; nil if that cannot be read, so that it may be replaced.
    func otherContent(of row: NewRow) -> [UInt8]? {
        guard let present = state.item(row.id)?.content, !present.isErased else { return nil }
        return present.fits(row.content) ? nil : try? withContent(of: present) { Array($0) }
    }

    /// Updates the content of a row, unless the row already has the same item in an older version.
    package mutating func update<Item>(_ id: UntypedID, content: [UInt8], _ coder: ContentCoder<Item>) throws {
        if coder.version > 0, let other = otherContent(of: NewRow(id: id, content: content)),
            other.withUnsafeBytes({ coder.isSameItem($0, as: content) })
        {
            return
        }
        try update(id, content: content)
    }
}
