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
    mutating func write(_ event: Event, version: Version) {
        switch event {
        case .itemsInserted(let path, let items): write(.itemsInserted, path, items, version)
        case .itemsDeleted(let path, let items): write(.itemsDeleted, path, items, version)
        case .itemsMoved(let source, let target, let ids):
            write(.itemsMoved, source)
            write(target)
            write(count: ids.count)
            for id in ids { write(id) }
        case .itemToggled(let path, let id, let isChecked):
            write(.itemToggled, path)
            write(id)
            write(byte: isChecked ? 1 : 0)
        case .itemUpdated(let path, let id, let old, let new):
            write(.itemUpdated, path)
            write(id)
            write(old, isChecked: false, version)
            write(new, isChecked: false, version)
        case .itemsIndented(let path, let ids, let change):
            write(.itemsIndented, path)
            write(varint: Int64(change).zigzag)
            write(count: ids.count)
            for id in ids { write(id) }
        case .itemCollapsed(let path, let id, let isCollapsed):
            write(.itemCollapsed, path)
            write(id)
            write(byte: isCollapsed ? 1 : 0)
        case .sectionInserted(let index, let section): write(.sectionInserted, index, section, version)
        case .sectionDeleted(let index, let section): write(.sectionDeleted, index, section, version)
        case .sectionMoved(let source, let target, let id):
            write(byte: EventKind.sectionMoved.rawValue)
            write(count: source)
            write(count: target)
            write(id)
        case .sectionRenamed(let index, let id, let old, let new):
            write(byte: EventKind.sectionRenamed.rawValue)
            write(count: index)
            write(id)
            write(old)
            write(new)
        case .listReloaded(let old, let new):
            write(byte: EventKind.listReloaded.rawValue)
            for sections in [old, new] {
                write(count: sections.count)
                for section in sections { write(section, version) }
            }
        case .annotated, .unrecognised: write(ancillary: event)
        }
    }

    /// Writes the beginning of an event of rows: kind and position.
    mutating func write(_ kind: EventKind, _ path: ListIndexPath) {
        write(byte: kind.rawValue)
        write(path)
    }

    private mutating func write(_ path: ListIndexPath) {
        write(count: path.section)
        write(count: path.item)
    }

    private mutating func write(
        _ kind: EventKind, _ path: ListIndexPath, _ items: Run<ListItem>, _ version: Version
    ) {
        write(kind, path)
        write(count: items.count)
        for item in items { write(item, version) }
    }

    private mutating func write(_ kind: EventKind, _ index: Int, _ section: ListSection, _ version: Version) {
        write(byte: kind.rawValue)
        write(count: index)
        write(section, version)
    }

    mutating func write(_ section: ListSection, _ version: Version) {
        write(section.id)
        write(section.title)
        write(count: section.items.count)
        for item in section.items { write(item, version) }
    }

    private mutating func write(_ item: ListItem, _ version: Version) {
        write(item.id, outline: item.outline)
        write(item.content, isChecked: item.isChecked, version)
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
    /// Reads one event as a value.
    mutating func readEvent() throws -> Event {
        var maker = EventMaker()
        return try readEvent(to: &maker)
    }

    /// Reads one event and passes it to a receiver.
    mutating func readEvent<Receiver: EventReceiver & ~Copyable>(to receiver: inout Receiver) throws -> Receiver.Outcome
    {
        let start = self
        let byte = try readByte("an event")
        guard let kind = EventKind(rawValue: byte) else {
            return try receiver.other(try readUnrecognised(byte, start))
        }
        switch kind {
        case .itemsInserted: return try receiver.itemsInserted(at: try readPath(), try readItems())
        case .itemsDeleted: return try receiver.itemsDeleted(at: try readPath(), try readItems())
        case .itemsMoved:
            let source = try readPath()
            let target = try readPath()
            return try receiver.itemsMoved(from: source, to: target, try readRun { try $0.readIdentifier() })
        case .itemToggled:
            return try receiver.itemToggled(
                at: try readPath(), try readIdentifier(), isChecked: try readBool("a checkmark"))
        case .itemUpdated:
            let path = try readPath()
            let id = try readIdentifier()
            let old = try readContent().reference
            return try receiver.itemUpdated(at: path, id, old: old, new: try readContent().reference)
        default: return try receiver.other(try readEvent(kind))
        }
    }

    /// Reads what follows the kind of an event that receivers take as a value.
    @inline(never)
    private mutating func readEvent(_ kind: EventKind) throws -> Event {
        switch kind {
        case .itemsInserted, .itemsDeleted, .itemsMoved, .itemToggled, .itemUpdated:
            preconditionFailure("receivers have a function for that")
        case .itemsIndented:
            let path = try readPath()
            let change = try readDepthChange()
            return .itemsIndented(at: path, try readRun { try $0.readIdentifier() }, by: change)
        case .itemCollapsed:
            return .itemCollapsed(
                at: try readPath(), try readIdentifier(), isCollapsed: try readBool("whether a row is collapsed"))
        case .sectionInserted: return .sectionInserted(at: try readIndex("a section index"), try readSection())
        case .sectionDeleted: return .sectionDeleted(at: try readIndex("a section index"), try readSection())
        case .sectionMoved:
            let source = try readIndex("a section index")
            return .sectionMoved(from: source, to: try readIndex("a section index"), try readIdentifier())
        case .sectionRenamed:
            let index = try readIndex("a section index")
            let id = try readIdentifier()
            let old = try readString("a title")
            return .sectionRenamed(at: index, id, old: old, new: try readString("a title"))
        case .listReloaded:
            let old = try readSections()
            return .listReloaded(old: old, new: try readSections())
        case .annotated: return try readAnnotation()
        }
    }

    private mutating func readPath() throws -> ListIndexPath {
        let section = try readIndex("a section index")
        return ListIndexPath(section: section, item: try readIndex("a row index"))
    }

    private mutating func readBool(_ what: StaticString) throws -> Bool {
        let start = self
        let byte = try readByte(what)
        guard byte <= 1 else { throw start.error(.invalid(what: "\(what)", expected: "0 or 1", found: String(byte))) }
        return byte == 1
    }

    private mutating func readDepthChange() throws -> Int {
        let start = self
        let change = Int64(zigzag: try readVarint("a change of depth"))
        let most = Int64(ListItem.maximumDepth)
        guard change != 0 && change >= -most && change <= most else {
            throw start.error(
                .invalid(what: "change of depth", expected: "-\(most) to \(most), not 0", found: String(change)))
        }
        return Int(change)
    }

    private mutating func readItems() throws -> Run<ListItem> {
        try readRun { try $0.readItem() }
    }

    private mutating func readRun<Element>(_ read: (inout RecordReader) throws -> Element) throws -> Run<Element> {
        let start = self
        let count = try readCount("a number of rows")
        if count == 1 { return .one(try read(&self)) }
        guard count > 1 else {
            throw start.error(.invalid(what: "number of rows", expected: "at least 1", found: "0"))
        }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try read(&self)) }
        return .many(elements)
    }

    private mutating func readItem() throws -> ListItem {
        let start = self
        var tag = try readByte("an identifier")
        var outline: UInt8 = 0
        if tag & IdentifierTag.outline != 0 {
            tag &= ~IdentifierTag.outline
            outline = try readByte("a place in an outline")
            guard outline >= 1 && outline < 128 else {
                throw start.error(
                    .invalid(what: "place in an outline", expected: "1 to 127", found: String(outline)))
            }
        }
        let id = try readIdentifier(tag: tag, start)
        let content = try readContent()
        return ListItem(id: id, isChecked: content.isChecked, content: content.reference, outline: outline)
    }

    private mutating func readSections() throws -> [ListSection] {
        let count = try readCount("a number of sections")
        return try (0..<count).map { _ in try readSection() }
    }

    private mutating func readSection() throws -> ListSection {
        let id = try readIdentifier()
        let title = try readString("a title")
        let count = try readCount("a number of rows")
        var items: [ListItem] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try readItem()) }
        return ListSection(id: id, title: title, items: items)
    }

    private mutating func readIdentifier() throws -> Identifier {
        let start = self
        return try readIdentifier(tag: try readByte("an identifier"), start)
    }

    /// Reads what follows the tag of an identifier, which is at `start`.
    @inline(__always)
    private mutating func readIdentifier(tag: UInt8, _ start: RecordReader) throws -> Identifier {
        switch tag {
        case IdentifierTag.integer: return .integer(Int64(zigzag: try readVarint("an integer identifier")))
        case IdentifierTag.uuid:
            // SAFETY: sixteen bytes were checked to be there, and a uuid_t is any sixteen bytes.
            let value = try readBytes(16, "a UUID").loadUnaligned(as: uuid_t.self)
            return .uuid(UUID(uuid: value))
        case IdentifierTag.string: return .string(try readString("a string identifier"))
        default: throw start.error(.invalid(what: "kind of identifier", expected: "0 to 2", found: String(tag)))
        }
    }

    private mutating func readContent() throws -> (reference: ContentReference, isChecked: Bool) {
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
