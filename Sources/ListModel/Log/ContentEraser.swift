// Erases contents from the records of a log. See `Docs/Design/Erasing.md`.
//
// Always holds: an erased content keeps its version, its length and its hash, so that no state hash changes; records are given in the
// order of their versions, three times: to find contents, to find names, to rewrite them. Commits with an event of a row with an erased
// content lose their names, because names say what a row says: "Add Milk".

/// Finds contents, and makes records without them.
package struct ContentEraser {
    /// Where a content is.
    private struct Place: Hashable {
        let version: Version
        let offset: UInt32

        init(_ content: ContentReference) { (version, offset) = (content.version, content.offset) }
    }

    /// A content of a row, wherever it is written.
    private struct Text: Hashable {
        let row: UntypedID
        let length: UInt32
        let hash: UInt64

        init(_ row: UntypedID, _ content: ContentReference) {
            (self.row, length, hash) = (row, content.length, content.hash)
        }
    }

    private let rows: Set<UntypedID>
    private let origins: Set<String>
    /// The contents to erase.
    private var found: Set<Place> = []
    /// The contents that the origins wrote. In a log that was imported, commits of others have copies of them.
    private var written: Set<Text> = []
    /// The rows that have, or had, a content to erase.
    private var touched: Set<UntypedID>
    /// The commits that lose their names.
    private var unnamed: Set<Version> = []
    /// The newest undo step of each history.
    private var steps: [HistoryScope: Step] = [:]
    /// The new offsets of contents that stay in a record without others, and back.
    private var moved: [Place: UInt32] = [:]
    private var former: [Place: UInt32] = [:]
    /// How many contents are erased, and how many bytes they had.
    package private(set) var contentCount = 0
    package private(set) var byteCount = 0
    /// How many commits had contents that are erased.
    package private(set) var commitCount = 0

    /// - Parameters:
    ///   - rows: the rows of which every content is erased.
    ///   - origins: the origins of which every content is erased that they wrote.
    package init(rows: Set<UntypedID>, origins: Set<String>) {
        (self.rows, self.origins, touched) = (rows, origins, rows)
    }

    // MARK: Finding

    /// Finds the content of a row of the version that the log begins with.
    package mutating func find(in row: UntypedRow) {
        if rows.contains(row.id) { find(row.content, of: row.id) }
    }

    /// Finds the contents of a commit.
    ///
    /// - Throws: ``RecordError`` if the record is damaged.
    package mutating func find(in record: UnsafeRawBufferPointer, of version: Version) throws {
        let header = try RecordHeader(record, version: version, previousChecksum: nil)
        let isOfOrigin = try !origins.isEmpty && origins.contains(header.names(record, version: version).origin)
        var hasOne = false
        var reader = RecordReader(record, version: version, from: header.eventsOffset)
        var end = header.eventsOffset
        for event in try reader.readEvents(header.eventCount) {
            // An update may write the same by chance. A row that is inserted with a content that it had was restored, or a reload kept it.
            let mayCopy = if case .itemUpdated = event { header.cause != .edit } else { true }
            event.forEachContent { id, content in
                let place = content.place(in: record, of: version, after: end)
                if let place { end = place.upperBound }
                if isOfOrigin && place != nil { written.insert(Text(id, content)) }
                let isCopy = place != nil && (isOfOrigin || mayCopy) && written.contains(Text(id, content))
                guard rows.contains(id) || isCopy else { return }
                if find(content, of: id) && content.version == version { hasOne = true }
            }
        }
        if hasOne { commitCount += 1 }
    }

    /// - Returns: whether the content was not found before.
    @discardableResult
    private mutating func find(_ content: ContentReference, of row: UntypedID) -> Bool {
        guard !content.isErased, found.insert(Place(content)).inserted else { return false }
        touched.insert(row)
        contentCount += 1
        byteCount += Int(content.length)
        return true
    }

    /// An undo step, as far as its commits are known.
    private struct Step {
        /// Those that keep their names so far.
        var named: [Version] = []
        /// Whether all of them lose their names.
        var isUnnamed = false
    }

    /// Finds out whether a commit loses its name, once all contents were found: it has an event of a row with an erased content, or belongs
    /// to the same undo step as such a commit, or has the name of one that it undoes, redoes or goes to.
    ///
    /// - Throws: ``RecordError`` if the record is damaged.
    package mutating func findName(in record: UnsafeRawBufferPointer, of version: Version) throws {
        let header = try RecordHeader(record, version: version, previousChecksum: nil)
        var reader = RecordReader(record, version: version, from: header.eventsOffset)
        var isUnnamed = try reader.readEvents(header.eventCount).contains { $0.names(touched.contains) }
        if let target = header.cause.target, unnamed.contains(target) { isUnnamed = true }
        let mark = try header.mark(in: record, version: version)
        if let scope = mark.scope, case .node(let node) = mark.entry {
            // Taken out, so that it is not copied for each commit of a long step.
            var step = steps.removeValue(forKey: scope) ?? Step()
            if !node.continues { step = Step() }
            if step.isUnnamed { isUnnamed = true }
            if isUnnamed {
                unnamed.formUnion(step.named)
                step = Step(isUnnamed: true)
            } else {
                step.named.append(version)
            }
            steps[scope] = step
        }
        if isUnnamed { unnamed.insert(version) }
    }

    // MARK: Rewriting

    /// The reference to a content in the new log.
    package func reference(_ content: ContentReference) -> ContentReference {
        let place = Place(content)
        if found.contains(place) { return content.erased }
        return moved[place].map { content.moved(to: $0) } ?? content
    }

    /// The reference to the same content in the old log; only for contents that are not erased.
    package func formerReference(_ content: ContentReference) -> ContentReference {
        former[Place(content)].map { content.moved(to: $0) } ?? content
    }

    /// The record of a commit without the contents, and without its name if it loses it.
    ///
    /// - Parameter checksum: that of the new record before it.
    /// - Throws: ``RecordError`` if the record is damaged; ``ListError/commitTooLarge(bytes:)``.
    package mutating func record(
        _ record: UnsafeRawBufferPointer, of version: Version, after checksum: UInt64
    ) throws -> [UInt8] {
        let header = try RecordHeader(record, version: version, previousChecksum: nil)
        var reader = RecordReader(record, version: version, from: header.eventsOffset)
        let events = try reader.readEvents(header.eventCount)
        // A commit may have lost its name because of a later one, after others have taken it.
        if let target = header.cause.target, unnamed.contains(target) { unnamed.insert(version) }
        let isUnnamed = unnamed.contains(version)
        var isSame = true
        for event in events { event.forEachContent { if reference($1) != $1 { isSame = false } } }
        var writer = ByteWriter()
        if isSame && !isUnnamed {
            writer.write(raw: record)
        } else {
            let (name, origin) = try header.names(record, version: version)
            writer.write(raw: UnsafeRawBufferPointer(rebasing: record[..<header.nameOffset]))
            writer.write(isUnnamed ? "" : name)
            writer.write(origin)
            var end = header.eventsOffset
            for event in events { try write(event, of: record, version, after: &end, to: &writer) }
        }
        guard writer.count <= Limits.recordBytes else { throw ListError.commitTooLarge(bytes: writer.count) }
        writer.patch(RecordLayout.link(to: checksum), at: RecordLayout.link)
        let newChecksum = writer.withBytes { RecordLayout.checksum($0, version: version) }
        writer.patch(newChecksum, at: 0)
        return writer.withBytes { Array($0) }
    }

    /// - Parameter end: where the last content of the old record ended.
    private mutating func write(
        _ event: ListEvent, of record: UnsafeRawBufferPointer, _ version: Version, after end: inout Int,
        to writer: inout ByteWriter
    ) throws {
        try writer.write(event, version: version) { writer, content, isChecked, _ in
            let new = reference(content)
            let place = content.place(in: record, of: version, after: end)
            if let place { end = place.upperBound }
            guard let place, !new.isErased else { return writer.write(new, isChecked: isChecked, version) }
            let bytes = UnsafeRawBufferPointer(rebasing: record[place])
            guard let written = writer.write(newContent: bytes, isChecked: isChecked, version) else {
                throw ListError.commitTooLarge(bytes: writer.count)
            }
            guard written.hash == content.hash else {
                throw RecordError(
                    version: version, offset: place.lowerBound,
                    problem: .checksum(expected: content.hash, found: written.hash))
            }
            guard written.offset != content.offset else { return }
            moved[Place(content)] = written.offset
            former[Place(written)] = content.offset
        }
    }
}

extension ContentReference {
    fileprivate func moved(to offset: UInt32) -> ContentReference {
        ContentReference(version: version, offset: offset, length: length, hash: hash)
    }

    /// Where the content stands in the record that refers to it; nil if the record only refers to it.
    ///
    /// - Parameter end: where the content before it ends: what comes earlier is a reference to an earlier content.
    func place(in record: UnsafeRawBufferPointer, of version: Version, after end: Int) -> Range<Int>? {
        let place = Int(offset)..<Int(offset) + Int(length)
        return self.version == version && place.lowerBound > end && place.upperBound <= record.count ? place : nil
    }
}
