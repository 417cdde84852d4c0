// Events as bytes. `Docs/Design/FileFormat.md` defines each byte; the golden-bytes test compares the two.
//
// New content is written into its event; all other content is a reference to an earlier position. So an undo, a move or
// a deletion takes a few bytes whatever the size of the content.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The first byte of an event. Kinds from 128 on are ancillary: a reader that does not know one skips it.
enum EventKind: UInt8 {
    case itemsInserted = 1
    case itemsDeleted = 2
    case itemsMoved = 3
    case itemToggled = 4
    case itemUpdated = 5
    case sectionInserted = 6
    case sectionDeleted = 7
    case sectionMoved = 8
    case sectionRenamed = 9
    case listReloaded = 10
    case itemsIndented = 11
    case itemCollapsed = 12
    case annotated = 128

    /// The first ancillary kind.
    static let firstAncillary: UInt8 = 128
}

// MARK: - Writing

extension ByteWriter {
    /// Writes an event whose content was written before, in this record or another.
    mutating func write(_ event: ListEvent, version: Version) {
        write(event, version: version) { writer, content, isChecked, _ in
            writer.write(content, isChecked: isChecked, version)
        }
    }

    /// Writes an event.
    ///
    /// - Parameter content: writes each content with its tag, or a reference to it. `isNew` says whether the rows have the
    ///   content only since the event, so that it may stand in this record.
    mutating func write(
        _ event: ListEvent, version: Version,
        content: (inout ByteWriter, ContentReference, _ isChecked: Bool, _ isNew: Bool) throws -> Void
    ) rethrows {
        switch event {
        case .itemsInserted(let path, let items):
            write(.itemsInserted, path)
            write(count: items.count)
            for item in items { try write(item, isNew: true, content) }
        case .itemsDeleted(let path, let items):
            write(.itemsDeleted, path)
            write(count: items.count)
            for item in items { try write(item, isNew: false, content) }
        case .itemsMoved(let source, let target, let ids):
            write(.itemsMoved, source)
            write(target)
            write(ids)
        case .itemToggled(let path, let id, let isChecked):
            write(.itemToggled, path)
            write(id)
            write(byte: isChecked ? 1 : 0)
        case .itemUpdated(let path, let id, let old, let new):
            write(.itemUpdated, path)
            write(id)
            try content(&self, old, false, false)
            try content(&self, new, false, true)
        case .itemsIndented(let path, let ids, let change):
            write(.itemsIndented, path)
            write(delta: Int64(change))
            write(ids)
        case .itemCollapsed(let path, let id, let isCollapsed):
            write(.itemCollapsed, path)
            write(id)
            write(byte: isCollapsed ? 1 : 0)
        case .sectionInserted(let index, let section):
            write(.sectionInserted, index)
            try write(section, isNew: true, content)
        case .sectionDeleted(let index, let section):
            write(.sectionDeleted, index)
            try write(section, isNew: false, content)
        case .sectionMoved(let source, let target, let id):
            write(.sectionMoved, source)
            write(count: target)
            write(id)
        case .sectionRenamed(let index, let id, let old, let new):
            write(.sectionRenamed, index)
            write(id)
            write(old)
            write(new)
        case .listReloaded(let old, let new):
            write(.listReloaded, old.count)
            for section in old { try write(section, isNew: false, content) }
            write(count: new.count)
            for section in new { try write(section, isNew: true, content) }
        case .annotated, .unrecognised: write(ancillary: event)
        }
    }

    /// Writes the beginning of an event of rows: kind and position.
    mutating func write(_ kind: EventKind, _ path: ListIndexPath) {
        write(byte: kind.rawValue)
        write(path)
    }

    /// Writes the beginning of an event of sections: kind and the first number.
    mutating func write(_ kind: EventKind, _ index: Int) {
        write(byte: kind.rawValue)
        write(count: index)
    }

    private mutating func write(_ path: ListIndexPath) {
        write(count: path.section)
        write(count: path.item)
    }

    private mutating func write(_ ids: ListRun<UntypedID>) {
        write(count: ids.count)
        for id in ids { write(id) }
    }

    private mutating func write(
        _ section: ListSection, isNew: Bool,
        _ content: (inout ByteWriter, ContentReference, _ isChecked: Bool, _ isNew: Bool) throws -> Void
    ) rethrows {
        write(section.id)
        write(section.title)
        write(count: section.items.count)
        for item in section.items { try write(item, isNew: isNew, content) }
    }

    private mutating func write(
        _ item: UntypedRow, isNew: Bool,
        _ content: (inout ByteWriter, ContentReference, _ isChecked: Bool, _ isNew: Bool) throws -> Void
    ) rethrows {
        write(item.id, outline: item.outline)
        try content(&self, item.content, item.isChecked, isNew)
    }

    /// Writes a section whose contents were all written before.
    mutating func write(_ section: ListSection, _ version: Version) {
        write(section, isNew: false) { writer, content, isChecked, _ in
            writer.write(content, isChecked: isChecked, version)
        }
    }

    /// Writes a reference to content that was written before.
    mutating func write(_ content: ContentReference, isChecked: Bool, _ version: Version) {
        write(varint: UInt64(content.length) &<< 2 | 2 | (isChecked ? 1 : 0))
        // Wrapping, as where it is read: no version is before another in a log that was not damaged.
        write(varint: version.rawValue &- content.version.rawValue)
        write(varint: UInt64(content.offset))
        write(fixed: content.hash)
    }

    /// Writes content and returns its reference; nil if its offset exceeds 32 bits.
    mutating func write(newContent content: UnsafeRawBufferPointer, isChecked: Bool, _ version: Version)
        -> ContentReference?
    {
        write(varint: UInt64(content.count) &<< 2 | (isChecked ? 1 : 0))
        guard let offset = UInt32(exactly: count), let length = UInt32(exactly: content.count) else { return nil }
        write(raw: content)
        return ContentReference(
            version: version, offset: offset, length: length, hash: ContentReference.hash(of: content))
    }
}

// MARK: - Reading

extension RecordReader {
    /// Reads one event.
    mutating func readEvent() throws -> ListEvent {
        let start = self
        let byte = try readByte("an event")
        guard let kind = EventKind(rawValue: byte) else { return try readUnrecognised(byte, start) }
        switch kind {
        case .itemsInserted: return .itemsInserted(at: try readPath(), try readItems())
        case .itemsDeleted: return .itemsDeleted(at: try readPath(), try readItems())
        case .itemsMoved: return .itemsMoved(from: try readPath(), to: try readPath(), try readIdentifiers())
        case .itemToggled:
            return .itemToggled(at: try readPath(), try readIdentifier(), isChecked: try readBool("a checkmark"))
        case .itemUpdated:
            return .itemUpdated(
                at: try readPath(), try readIdentifier(), old: try readContent().reference,
                new: try readContent().reference)
        case .itemsIndented:
            let path = try readPath()
            let change = try readDepthChange()
            return .itemsIndented(at: path, try readIdentifiers(), by: change)
        case .itemCollapsed:
            return .itemCollapsed(
                at: try readPath(), try readIdentifier(), isCollapsed: try readBool("whether a row is collapsed"))
        case .sectionInserted: return .sectionInserted(at: try readSectionIndex(), try readSection())
        case .sectionDeleted: return .sectionDeleted(at: try readSectionIndex(), try readSection())
        case .sectionMoved:
            return .sectionMoved(from: try readSectionIndex(), to: try readSectionIndex(), try readIdentifier())
        case .sectionRenamed:
            return .sectionRenamed(
                at: try readSectionIndex(), try readIdentifier(), old: try readString("a title"),
                new: try readString("a title"))
        case .listReloaded: return .listReloaded(old: try readSections(), new: try readSections())
        case .annotated: return try readAnnotation()
        }
    }

    /// Reads the last events of a record.
    mutating func readEvents(_ count: Int) throws -> [ListEvent] {
        var events: [ListEvent] = []
        // Every event takes at least one byte, so a greater count is detected while reading.
        events.reserveCapacity(min(count, bytes.count - offset))
        for _ in 0..<count { events.append(try readEvent()) }
        try checkEnd(after: count)
        return events
    }

    private mutating func readSectionIndex() throws -> Int { try readIndex("a section index") }

    mutating func readPath() throws -> ListIndexPath {
        ListIndexPath(section: try readSectionIndex(), item: try readIndex("a row index"))
    }

    mutating func readIdentifiers() throws -> ListRun<UntypedID> { try readRun { try $0.readIdentifier() } }

    mutating func readBool(_ what: StaticString) throws -> Bool {
        let start = self
        let byte = try readByte(what)
        guard byte <= 1 else { throw start.invalid(what, expected: "0 or 1", found: UInt64(byte)) }
        return byte == 1
    }

    private mutating func readDepthChange() throws -> Int {
        let start = self
        let change = Int64(zigzag: try readVarint("a change of depth"))
        let most = Int64(UntypedRow.maximumDepth)
        guard change != 0 && change >= -most && change <= most else {
            throw start.error(
                .invalid(what: "change of depth", expected: "-\(most) to \(most), not 0", found: String(change)))
        }
        return Int(change)
    }

    mutating func readItems() throws -> ListRun<UntypedRow> {
        try readRun { try $0.readItem() }
    }

    private mutating func readRun<Element>(_ read: (inout RecordReader) throws -> Element) throws -> ListRun<Element> {
        let start = self
        let count = try readCount("a number of rows")
        if count == 1 { return .one(try read(&self)) }
        guard count > 1 else {
            throw start.invalid("number of rows", expected: "at least 1", found: 0)
        }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try read(&self)) }
        return .many(elements)
    }

    private mutating func readItem() throws -> UntypedRow {
        let (id, outline) = try readRowIdentifier()
        let content = try readContent()
        return UntypedRow(id: id, isChecked: content.isChecked, content: content.reference, outline: outline)
    }

    /// Reads the identifier of a row with its place in an outline, which the row's content follows.
    @inline(__always)
    mutating func readRowIdentifier() throws -> (id: UntypedID, outline: UInt8) {
        let start = self
        var tag = try readByte("an identifier")
        var outline: UInt8 = 0
        if tag & IdentifierTag.outline != 0 {
            tag &= ~IdentifierTag.outline
            outline = try readByte("a place in an outline")
            guard outline >= 1 && outline < 128 else {
                throw start.invalid("place in an outline", expected: "1 to 127", found: UInt64(outline))
            }
        }
        return (try readIdentifier(tag: tag, start), outline)
    }

    private mutating func readSections() throws -> [ListSection] {
        let count = try readCount("a number of sections")
        return try (0..<count).map { _ in try readSection() }
    }

    private mutating func readSection() throws -> ListSection {
        let id = try readIdentifier()
        let title = try readString("a title")
        let count = try readCount("a number of rows")
        var items: [UntypedRow] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try readItem()) }
        return ListSection(id: id, title: title, items: items)
    }

    mutating func readIdentifier() throws -> UntypedID {
        let start = self
        return try readIdentifier(tag: try readByte("an identifier"), start)
    }

    /// Reads what follows the tag of an identifier, which is at `start`.
    @inline(__always)
    private mutating func readIdentifier(tag: UInt8, _ start: RecordReader) throws -> UntypedID {
        switch tag {
        case IdentifierTag.integer: return .integer(Int64(zigzag: try readVarint("an integer identifier")))
        case IdentifierTag.uuid:
            // SAFETY: sixteen bytes were checked to be there, and a uuid_t is any sixteen bytes.
            let value = try readBytes(16, "a UUID").loadUnaligned(as: uuid_t.self)
            return .uuid(UUID(uuid: value))
        case IdentifierTag.string: return .string(try readString("a string identifier"))
        default: throw start.invalid("kind of identifier", expected: "0 to 2", found: UInt64(tag))
        }
    }

    mutating func readContent() throws -> (reference: ContentReference, isChecked: Bool) {
        let start = self
        let tag = try readVarint("a content")
        guard let length = UInt32(exactly: tag &>> 2) else {
            throw start.error(.invalid(what: "length of a content", expected: "below 4 GiB", found: "\(tag >> 2)"))
        }
        let isChecked = tag & 1 == 1
        if tag & 2 == 0 {
            let position = offset
            let content = try readBytes(Int(length), "a content")
            // Nothing is truncated: the header was read first, and says so of a record that is longer.
            let reference = ContentReference(
                version: version, offset: UInt32(truncatingIfNeeded: position), length: length,
                hash: ContentReference.hash(of: content))
            return (reference, isChecked)
        }
        let distance = try readVarint("a distance in versions")
        let position = try readVarint("an offset")
        let hash = try read(fixed: UInt64.self, "a content hash")
        guard distance < version.rawValue, let position = UInt32(exactly: position), hash < SequenceHash.modulus else {
            throw start.error(
                .invalid(
                    what: "content reference", expected: "one to this or an earlier commit",
                    found: "\(distance) commits back, byte \(position)"))
        }
        let reference = ContentReference(
            version: Version(version.rawValue - distance), offset: position, length: length, hash: hash)
        return (reference, isChecked)
    }
}
