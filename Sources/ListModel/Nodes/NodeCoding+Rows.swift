// The rows of a stored leaf: run-length encoded tags, and after them only the fields that differ from a prediction.
//
// Rows that were inserted one after another have consecutive ids, versions and offsets, so such a row takes no more
// than its content hash. A content that is no longer than its hash is stored instead of the hash, without the prefix
// and the suffix that all such contents of the leaf have in common. The arithmetic of predictions wraps, because
// damaged bytes may contain any number; decoded values are checked.

/// The bits of the tag of a row.
private enum RowTag {
    static let checked: UInt8 = 1
    /// The id is an integer, one greater than the last integer id before it.
    static let nextID: UInt8 = 2
    /// The difference between the content's version and that of the row before is the same as one row earlier: the
    /// delta of deltas is 0.
    static let sameStep: UInt8 = 4
    /// The content is at the predicted offset.
    static let expectedOffset: UInt8 = 8
    /// The content is as long as that of the row before.
    static let sameLength: UInt8 = 16
    /// The content itself is stored, not its hash.
    static let inlineContent: UInt8 = 32
    /// The outline byte (depth and collapsed) follows.
    static let outline: UInt8 = 64
    static let all: UInt8 = 127
}

/// Predicts the fields of a row from the rows before it. Encoder and decoder update it in the same way.
private struct RowExpectation {
    var id: Int64 = 0
    var version: UInt64 = 0
    var step: Int64 = 0
    var offset: UInt32 = 0
    var length: UInt32 = 0
    /// The distance from the end of one content to the beginning of the next one in the same commit.
    var gap: Int64 = 0

    /// The predicted offset of a content of a version.
    func expectedOffset(_ version: UInt64) -> Int64 {
        version == self.version ? Int64(offset) &+ Int64(length) &+ gap : Int64(offset)
    }

    /// Updates the prediction with a row.
    mutating func advance(_ id: UntypedID, _ version: UInt64, _ offset: UInt32, _ length: UInt32) {
        if case .integer(let value) = id { self.id = value }
        if version == self.version { gap = Int64(offset) &- Int64(self.offset) &- Int64(self.length) }
        step = Int64(bitPattern: version &- self.version)
        self.version = version
        self.offset = offset
        self.length = length
    }
}

extension UntypedRow {
    static func encode(
        _ elements: UnsafeBufferPointer<UntypedRow>, into writer: inout ByteWriter,
        contentOf: (ContentReference) -> [UInt8]?
    ) {
        var expected = RowExpectation()
        var tags: [UInt8] = []
        tags.reserveCapacity(elements.count)
        let contents = elements.map(\.content)
        let inline = contents.map(contentOf)
        let frame = ContentFrame(inline)
        for (index, row) in elements.enumerated() {
            let reference = contents[index]
            var tag: UInt8 = row.isChecked ? RowTag.checked : 0
            if case .integer(let id) = row.id, id == expected.id &+ 1 { tag |= RowTag.nextID }
            let version = reference.version.rawValue
            if Int64(bitPattern: version &- expected.version) == expected.step { tag |= RowTag.sameStep }
            if Int64(reference.offset) == expected.expectedOffset(version) { tag |= RowTag.expectedOffset }
            if reference.length == expected.length { tag |= RowTag.sameLength }
            if inline[index] != nil { tag |= RowTag.inlineContent }
            if row.outline != 0 { tag |= RowTag.outline }
            tags.append(tag)
            expected.advance(row.id, version, reference.offset, reference.length)
        }
        writer.write(runs: tags)
        if !inline.allSatisfy({ $0 == nil }) { frame.write(to: &writer) }
        expected = RowExpectation()
        for (index, row) in elements.enumerated() {
            let tag = tags[index]
            let reference = contents[index]
            let version = reference.version.rawValue
            if tag & RowTag.nextID == 0 { writer.write(row.id) }
            if tag & RowTag.sameStep == 0 { writer.write(delta: Int64(bitPattern: version &- expected.version)) }
            if tag & RowTag.expectedOffset == 0 {
                writer.write(delta: Int64(reference.offset) &- expected.expectedOffset(version))
            }
            if tag & RowTag.sameLength == 0 { writer.write(varint: UInt64(reference.length)) }
            if let bytes = inline[index] {
                bytes[frame.prefix.count..<bytes.count - frame.suffix.count].withUnsafeBytes { writer.write(raw: $0) }
            } else {
                writer.write(fixed: reference.hash)
            }
            if tag & RowTag.outline != 0 { writer.write(byte: row.outline) }
            expected.advance(row.id, version, reference.offset, reference.length)
        }
    }

    static func haveDepthsBelow(_ elements: UnsafeBufferPointer<UntypedRow>) -> Bool { false }

    static func decode(
        _ reader: inout NodeReader, count: Int, hasDepths: Bool, into rows: UnsafeMutablePointer<UntypedRow>
    ) -> Int {
        var runs = RunReader(&reader, count: count)
        let frame = runs.hasInlineContent ? ContentFrame(&reader) : ContentFrame()
        // A local copy, because access through `inout` would load and store the reader for every byte.
        var ownReader = reader
        defer { reader = ownReader }
        var expected = RowExpectation()
        var index = 0
        while index < count && !ownReader.isDamaged {
            let (tag, length) = runs.next()
            if tag & ~RowTag.all != 0 { ownReader.fail() }
            for _ in 0..<length {
                guard let row = decodeRow(tag, &ownReader, &expected, frame) else { return index }
                // SAFETY: the runs have `count` rows in total, and there is room for as many.
                rows.advanced(by: index).initialize(to: row)
                index += 1
            }
        }
        return index
    }

    /// Reads the next row; nil if it is damaged.
    @inline(__always)
    private static func decodeRow(
        _ tag: UInt8, _ reader: inout NodeReader, _ expected: inout RowExpectation, _ frame: borrowing ContentFrame
    ) -> UntypedRow? {
        let id: UntypedID =
            tag & RowTag.nextID != 0 ? .integer(expected.id &+ 1) : reader.readIdentifier()
        let step = tag & RowTag.sameStep != 0 ? expected.step : reader.readDelta()
        let version = expected.version &+ UInt64(bitPattern: step)
        var place = expected.expectedOffset(version)
        if tag & RowTag.expectedOffset == 0 { place &+= reader.readDelta() }
        let length = tag & RowTag.sameLength != 0 ? expected.length : reader.readWord()
        let hash =
            tag & RowTag.inlineContent != 0
            ? frame.hash(around: reader.readBytes(Int(length) - frame.count)) : reader.read(fixed: UInt64.self)
        let outline = tag & RowTag.outline != 0 ? reader.readByte() : 0
        if version == 0 || version >= Limits.versions || hash >= SequenceHash.modulus { reader.fail() }
        if outline > 127 || (outline == 0 && tag & RowTag.outline != 0) { reader.fail() }
        guard !reader.isDamaged, let offset = UInt32(exactly: place) else {
            reader.fail()
            return nil
        }
        expected.advance(id, version, offset, length)
        let content = ContentReference(version: Version(version), offset: offset, length: length, hash: hash)
        return UntypedRow(id: id, isChecked: tag & RowTag.checked != 0, content: content, outline: outline)
    }

    static func unreadable() -> UntypedRow {
        UntypedRow(id: .string("unreadable"), isChecked: false, content: .unreadable)
    }
}

/// Reads the runs of tags, which are stored before the rows, while the rows are read.
private struct RunReader {
    private var runs: NodeReader
    /// Whether the content of at least one row is stored in the leaf.
    private(set) var hasInlineContent = false

    /// Skips the runs of `count` tags, and remembers where they begin.
    init(_ reader: inout NodeReader, count: Int) {
        runs = reader
        var total = 0
        while total < count && !reader.isDamaged {
            if reader.readByte() & RowTag.inlineContent != 0 { hasInlineContent = true }
            let run = Int(reader.readWord())
            if run == 0 { reader.fail() }
            total += run
        }
        if total != count { reader.fail() }
    }

    /// The next tag, and how many rows have it.
    mutating func next() -> (tag: UInt8, count: Int) { (runs.readByte(), Int(runs.readWord())) }
}

/// The common prefix and suffix of the contents that are stored in a leaf.
private struct ContentFrame {
    var prefix: [UInt8] = []
    var suffix: [UInt8] = []

    /// An empty prefix and suffix.
    init() {}

    /// The common prefix and suffix of contents.
    init(_ contents: [[UInt8]?]) {
        let contents = contents.compactMap { $0 }
        guard contents.count > 1, let first = contents.first else { return }
        let length = contents.reduce(first.count) { min($0, first[...].commonPrefix(with: $1[...])) }
        prefix = Array(first.prefix(length))
        suffix = Array(
            first.suffix(contents.reduce(first.count) { min($0, first[length...].commonSuffix(with: $1[length...])) }))
    }

    init(_ reader: inout NodeReader) {
        prefix = Array(reader.readBytes(Int(reader.readWord())))
        suffix = Array(reader.readBytes(Int(reader.readWord())))
        // A damaged one that is long would be hashed for each row, however short the rows are.
        if count > MemoryLayout<UInt64>.size { reader.fail() }
    }

    func write(to writer: inout ByteWriter) {
        for part in [prefix, suffix] {
            writer.write(count: part.count)
            part.withUnsafeBytes { writer.write(raw: $0) }
        }
    }

    /// The number of bytes that each content has in common.
    var count: Int { prefix.count + suffix.count }

    /// The hash of a content, from its stored bytes, which lack the prefix and the suffix.
    func hash(around bytes: UnsafeRawBufferPointer) -> UInt64 {
        if count == 0 { return ContentReference.hash(of: bytes) }
        return withUnsafeTemporaryAllocation(byteCount: count + bytes.count, alignment: 1) { content in
            content.copyBytes(from: prefix)
            UnsafeMutableRawBufferPointer(rebasing: content[prefix.count...]).copyMemory(from: bytes)
            UnsafeMutableRawBufferPointer(rebasing: content[(prefix.count + bytes.count)...]).copyBytes(from: suffix)
            return ContentReference.hash(of: UnsafeRawBufferPointer(content))
        }
    }
}
