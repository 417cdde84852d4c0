// Unpacks the events of a commit. `CommitEncoder` packs them in the same order.
//
// Always holds: indices and counts are not negative and far from overflow. Resolving and applying the event checks that
// they fit the rows.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CommitDecoder {
    /// Unpacks the next event of the commit.
    mutating func nextEvent() throws -> PackedEvent {
        try spend(.kinds, 3)
        newContents.removeAll(keepingCapacity: true)
        let number = context.predictedKind &+ (try next(.kinds))
        guard let byte = UInt8(exactly: number), let kind = EventKind(rawValue: byte) else {
            throw error(.kinds, "kind of event", expected: "1 to 12, or 128", found: String(number))
        }
        context.note(number)
        switch kind {
        case .itemsInserted:
            let count = try readCount(atLeast: 1)
            let path = try readPath(predicted: context.row)
            context.noteCursor(path.section, path.item + count)
            return .itemsInserted(at: path, try readItems(count))
        case .itemsDeleted:
            let count = try readCount(atLeast: 1)
            let path = try readPath(predicted: context.predictedDeletion(count))
            context.noteDeletion(path, count)
            return .itemsDeleted(at: path, count: count)
        case .itemsMoved:
            let count = try readCount(atLeast: 1)
            let path = try readPath(predicted: context.row)
            let section = try readIndex(.destinations, predicted: Int64(path.section), "a section index")
            let row = try readIndex(.destinations, predicted: Int64(path.item), "a row index")
            context.noteCursor(section, row + count)
            return .itemsMoved(from: path, to: ListIndexPath(section: section, item: row), count: count)
        case .itemToggled:
            let path = try readPath(predicted: context.row)
            context.noteCursor(path.section, path.item + 1)
            return .itemToggled(at: path)
        case .itemUpdated:
            let path = try readPath(predicted: context.row)
            context.noteCursor(path.section, path.item + 1)
            return .itemUpdated(at: path, new: try readContent().reference)
        case .itemsIndented:
            let count = try readCount(atLeast: 1)
            let path = try readPath(predicted: context.row)
            let change = try readDepthChange()
            context.noteCursor(path.section, path.item + count)
            return .itemsIndented(at: path, count: count, by: change)
        case .itemCollapsed:
            let path = try readPath(predicted: context.row)
            context.noteCursor(path.section, path.item + 1)
            return .itemCollapsed(at: path)
        case .sectionInserted:
            let index = try readSectionIndex()
            let section = try readSection()
            context.noteCursor(index, section.items.count)
            return .sectionInserted(at: index, section)
        case .sectionDeleted: return .sectionDeleted(at: try readSectionIndex())
        case .sectionMoved:
            let source = try readSectionIndex()
            let target = try readIndex(.destinations, predicted: Int64(source), "a section index")
            context.noteCursor(target, 0)
            return .sectionMoved(from: source, to: target)
        case .sectionRenamed:
            let index = try readSectionIndex()
            return .sectionRenamed(at: index, new: try readString())
        case .listReloaded: return .listReloaded(new: try readSections())
        case .annotated: return try readAnnotation()
        }
    }
}

// MARK: - Parts

extension CommitDecoder {
    private mutating func readCount(atLeast least: Int64) throws -> Int {
        let count = try next(.rowCounts) &+ 1
        guard count >= least && count <= PackedLimits.recordBytes else {
            throw error(
                .rowCounts, "number of rows", expected: "\(least) to \(PackedLimits.recordBytes)",
                found: String(count))
        }
        // A row in a record has at least two bytes.
        try spend(.rowCounts, 2 * Int(count))
        return Int(count)
    }

    private mutating func readSectionIndex() throws -> Int {
        let index = try readIndex(.sections, predicted: context.section, "a section index")
        context.noteCursor(index, 0)
        return index
    }

    @inline(__always)
    private mutating func readPath(predicted row: Int64) throws -> ListIndexPath {
        let section = try readIndex(.sections, predicted: context.section, "a section index")
        return ListIndexPath(section: section, item: try readIndex(.rows, predicted: row, "a row index"))
    }

    private mutating func readDepthChange() throws -> Int {
        let change = try next(.destinations)
        let most = Int64(UntypedRow.maximumDepth)
        guard change != 0 && change >= -most && change <= most else {
            throw error(
                .destinations, "change of depth", expected: "-\(most) to \(most), not 0", found: String(change))
        }
        return Int(change)
    }

    private mutating func readItems(_ count: Int) throws -> ListRun<UntypedRow> {
        if count == 1 { return .one(try readItem()) }
        return .many(try readItemArray(count))
    }

    private mutating func readItemArray(_ count: Int) throws -> [UntypedRow] {
        var items: [UntypedRow] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try readItem()) }
        return items
    }

    private mutating func readItem() throws -> UntypedRow {
        // Two bytes for the identifier were counted with the number of rows.
        try spend(.contentTags, 1)
        let (id, outline) = try readRowIdentifier()
        let content = try readContent()
        return UntypedRow(id: id, isChecked: content.isChecked, content: content.reference, outline: outline)
    }

    private mutating func readSections() throws -> [ListSection] {
        let count = try next(.destinations)
        guard count >= 0 && count <= PackedLimits.recordBytes else {
            throw error(
                .destinations, "number of sections", expected: "at most \(PackedLimits.recordBytes)",
                found: String(count))
        }
        try spend(.destinations, 2 * Int(count))
        return try (0..<count).map { _ in try readSection() }
    }

    private mutating func readSection() throws -> ListSection {
        let id = try readIdentifier()
        let title = try readString()
        return ListSection(id: id, title: title, items: try readItemArray(try readCount(atLeast: 0)))
    }

    /// Unpacks an identifier that is not that of a row.
    private mutating func readIdentifier() throws -> UntypedID {
        let (id, outline) = try readRowIdentifier()
        guard outline == 0 else {
            throw error(
                .identifierKinds, "kind of identifier", expected: "0 to 2", found: String(context.identifierKind))
        }
        return id
    }

    /// Unpacks the identifier of a row, and its place in an outline.
    @inline(__always)
    private mutating func readRowIdentifier() throws -> (UntypedID, outline: UInt8) {
        context.identifierKind &+= try next(.identifierKinds)
        let kind = context.identifierKind
        let outline = UInt8(truncatingIfNeeded: kind &>> 2)
        guard kind >= 0 && kind < 128 * 4 && kind & 3 < 3 else {
            throw error(
                .identifierKinds, "kind of identifier", expected: "0 to 2, and 4 times a place in an outline",
                found: String(kind))
        }
        switch kind & 3 {
        case 0:
            context.integer &+= 1 &+ (try next(.integers))
            return (.integer(context.integer), outline)
        case 1:
            // SAFETY: sixteen bytes were checked to be there, and a uuid_t is any sixteen bytes.
            let uuid = try literals.readBytes(16, "a UUID").loadUnaligned(as: uuid_t.self)
            return (.uuid(UUID(uuid: uuid)), outline)
        default: return (.string(try readString()), outline)
        }
    }

    private mutating func readString() throws -> String {
        let length = try next(.stringLengths)
        guard length >= 0 && length <= block.literals.count else {
            throw error(
                .stringLengths, "length of a string", expected: "at most \(block.literals.count)",
                found: String(length))
        }
        let bytes = try literals.readBytes(Int(length), "a string")
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw literals.error(.invalid(what: "string", expected: "UTF-8", found: "\(length) other bytes"))
        }
        return string
    }

    /// Unpacks a content that was new in the event, or refers to an earlier one.
    private mutating func readContent() throws -> (reference: ContentReference, isChecked: Bool) {
        let tag = context.predictedTag &+ (try next(.contentTags))
        guard (0...3).contains(tag) else {
            throw error(.contentTags, "tag of a content", expected: "0 to 3", found: String(tag))
        }
        let isChecked = tag & 1 == 1
        if tag & 2 == 0 { return (try readNewContent(), isChecked) }
        newContents.append(nil)
        let version = context.referenceVersion &+ (try next(.referenceVersions))
        let offset = context.referenceOffset &+ (try next(.referenceOffsets))
        let length = context.referenceLength &+ (try next(.referenceLengths))
        let hash = try literals.read(fixed: UInt64.self, "a content hash")
        guard version >= 1, version <= Int64(context.version.rawValue), let exactOffset = UInt32(exactly: offset),
            let exactLength = UInt32(exactly: length), hash < SequenceHash.modulus
        else {
            throw error(
                .referenceVersions, "content reference", expected: "one to this or an earlier commit",
                found: "version \(version), byte \(offset)")
        }
        let reference = ContentReference(
            version: Version(UInt64(version)), offset: exactOffset, length: exactLength, hash: hash)
        context.note(reference)
        return (reference, isChecked)
    }
}
