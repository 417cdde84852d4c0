// The rows of a stored leaf: tags in runs, and after them only what differs from what is expected.
//
// Rows that were inserted one after the other have ids, versions and offsets that follow each other, so that they take
// no more than their content hash (what is expected wraps: bytes may say anything, and what comes out is checked); and a content that is no longer than its hash is stored in the place of it, without
// what all such contents of the leaf begin and end with.

/// What the tag of a row says.
private enum RowTag {
    static let checked: UInt8 = 1
    /// The id is an integer, one greater than that of the row before.
    static let nextID: UInt8 = 2
    /// The content's version is further from the row before than that was from its own by nothing.
    static let sameStep: UInt8 = 4
    /// The content lies where the row before suggests.
    static let expectedOffset: UInt8 = 8
    /// The content is as long as that of the row before.
    static let sameLength: UInt8 = 16
    /// The content itself follows, not its hash.
    static let inlineContent: UInt8 = 32
    /// The row has a place in an outline, which follows.
    static let outline: UInt8 = 64
    static let all: UInt8 = 127
}

/// What a row is expected to be from the rows before it; writing and reading keep it in the same way.
private struct RowExpectation {
    var id: Int64 = 0
    var version: UInt64 = 0
    var step: Int64 = 0
    var offset: UInt32 = 0
    var length: UInt32 = 0
    /// How far a content of the same commit began behind the end of the one before.
    var gap: Int64 = 0

    /// Where the content of a version is expected to begin.
    func expectedOffset(_ version: UInt64) -> Int64 {
        version == self.version ? Int64(offset) &+ Int64(length) &+ gap : Int64(offset)
    }

    /// Takes in a row.
    mutating func advance(_ id: Identifier, _ version: UInt64, _ offset: UInt32, _ length: UInt32) {
        if case .integer(let value) = id { self.id = value }
        if version == self.version { gap = Int64(offset) &- Int64(self.offset) &- Int64(self.length) }
        step = Int64(bitPattern: version &- self.version)
        self.version = version
        self.offset = offset
        self.length = length
    }
}

extension ListItem {
    static func encode(
        _ elements: UnsafeBufferPointer<ListItem>, into writer: inout ByteWriter,
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

    static func haveDepthsBelow(_ elements: UnsafeBufferPointer<ListItem>) -> Bool { false }

    static func decode(
        _ reader: inout NodeReader, count: Int, hasDepths: Bool, into rows: UnsafeMutablePointer<ListItem>
    ) -> Int {
        var runs = RunReader(&reader, count: count)
        let frame = runs.hasInlineContent ? ContentFrame(&reader) : ContentFrame()
        // A copy of its own: through `inout`, every byte would load the reader from memory and store it back.
        var ownReader = reader
        defer { reader = ownReader }
        var expected = RowExpectation()
        var index = 0
        while index < count && !ownReader.isDamaged {
            let (tag, length) = runs.next()
            if tag & ~RowTag.all != 0 { ownReader.fail() }
            for _ in 0..<length {
                guard let row = decodeRow(tag, &ownReader, &expected, frame) else { return index }
                // SAFETY: the runs are of `count` rows together, and there is room for as many.
                rows.advanced(by: index).initialize(to: row)
                index += 1
            }
        }
        return index
    }

    /// Reads the row that comes next; nil if it makes no sense.
    @inline(__always)
    private static func decodeRow(
        _ tag: UInt8, _ reader: inout NodeReader, _ expected: inout RowExpectation, _ frame: borrowing ContentFrame
    ) -> ListItem? {
        let id: Identifier =
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
        return ListItem(id: id, isChecked: tag & RowTag.checked != 0, content: content, outline: outline)
    }

    static func unreadable() -> ListItem {
        ListItem(id: .string("unreadable"), isChecked: false, content: .unreadable)
    }
}

/// The runs of tags before the rows, read while the rows behind them are.
private struct RunReader {
    private var runs: NodeReader
    /// Whether the content of one of the rows is stored with it.
    private(set) var hasInlineContent = false

    /// Steps over the runs of `count` tags, to read them later.
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

/// What the contents that are stored in a leaf begin and end with.
private struct ContentFrame {
    var prefix: [UInt8] = []
    var suffix: [UInt8] = []

    /// Nothing in common.
    init() {}

    /// What contents have in common.
    init(_ contents: [[UInt8]?]) {
        let contents = contents.compactMap { $0 }
        guard contents.count > 1, let first = contents.first, let shortest = contents.map(\.count).min() else { return }
        var prefix = 0
        while prefix < shortest && contents.allSatisfy({ $0[prefix] == first[prefix] }) { prefix += 1 }
        var suffix = 0
        while suffix < shortest - prefix
            && contents.allSatisfy({ $0[$0.count - 1 - suffix] == first[first.count - 1 - suffix] })
        {
            suffix += 1
        }
        self.prefix = Array(first.prefix(prefix))
        self.suffix = Array(first.suffix(suffix))
    }

    init(_ reader: inout NodeReader) {
        prefix = Array(reader.readBytes(Int(reader.readWord())))
        suffix = Array(reader.readBytes(Int(reader.readWord())))
    }

    func write(to writer: inout ByteWriter) {
        for part in [prefix, suffix] {
            writer.write(count: part.count)
            part.withUnsafeBytes { writer.write(raw: $0) }
        }
    }

    /// How many bytes are not stored with each content.
    var count: Int { prefix.count + suffix.count }

    /// The hash of a content, of which these bytes were stored.
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
