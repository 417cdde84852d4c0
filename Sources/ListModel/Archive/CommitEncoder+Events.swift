// Packing the events of a commit. `CommitDecoder` unpacks them; what one writes, the other reads, in the same order.
//
// Always holds: both update the context in the same way after every event, and so predict the next one alike.

extension CommitEncoder {
    /// Packs an event.
    mutating func putEvent(_ event: PackedEvent) {
        switch event {
        case .itemsInserted(let path, let items):
            putKind(.itemsInserted)
            putCount(items.count)
            putPath(path, predicted: context.row)
            context.noteCursor(path.section, path.item + items.count)
            for item in items { put(item) }
        case .itemsDeleted(let path, let count):
            putKind(.itemsDeleted)
            putCount(count)
            putPath(path, predicted: context.predictedDeletion(count))
            context.noteDeletion(path, count)
        case .itemsMoved(let source, let target, let count):
            putKind(.itemsMoved)
            putCount(count)
            putPath(source, predicted: context.row)
            put(.destinations, Int64(target.section - source.section))
            put(.destinations, Int64(target.item - source.item))
            context.noteCursor(target.section, target.item + count)
        case .itemToggled(let path):
            putKind(.itemToggled)
            putPath(path, predicted: context.row)
            context.noteCursor(path.section, path.item + 1)
        case .itemUpdated(let path, let new):
            putKind(.itemUpdated)
            putPath(path, predicted: context.row)
            context.noteCursor(path.section, path.item + 1)
            put(new, isChecked: false)
        case .itemsIndented(let path, let count, let change):
            putKind(.itemsIndented)
            putCount(count)
            putPath(path, predicted: context.row)
            put(.destinations, Int64(change))
            context.noteCursor(path.section, path.item + count)
        case .itemCollapsed(let path):
            putKind(.itemCollapsed)
            putPath(path, predicted: context.row)
            context.noteCursor(path.section, path.item + 1)
        case .sectionInserted(let index, let section):
            putKind(.sectionInserted)
            putSection(index)
            put(section)
            context.noteCursor(index, section.items.count)
        case .sectionDeleted(let index):
            putKind(.sectionDeleted)
            putSection(index)
        case .sectionMoved(let source, let target):
            putKind(.sectionMoved)
            putSection(source)
            put(.destinations, Int64(target - source))
            context.noteCursor(target, 0)
        case .sectionRenamed(let index, let new):
            putKind(.sectionRenamed)
            putSection(index)
            put(new)
        case .listReloaded(let new):
            putKind(.listReloaded)
            put(.destinations, Int64(new.count))
            for section in new { put(section) }
        case .annotated(let name, let value):
            putKind(.annotated)
            annotations.append(name, value, &context.annotations)
        }
    }

    /// Packs the kind, which stands before the rest of an event.
    private mutating func putKind(_ kind: EventKind) {
        let number = Int64(kind.rawValue)
        put(.kinds, number - context.predictedKind)
        context.note(number)
    }

    private mutating func putCount(_ count: Int) { put(.rowCounts, Int64(count) - 1) }

    private mutating func putPath(_ path: ListIndexPath, predicted row: Int64) {
        put(.sections, Int64(path.section) - context.section)
        put(.rows, Int64(path.item) - row)
    }

    private mutating func putSection(_ index: Int) {
        put(.sections, Int64(index) - context.section)
        context.noteCursor(index, 0)
    }

    private mutating func put(_ section: ListSection) {
        put(section.id)
        put(section.title)
        putCount(section.items.count)
        for item in section.items { put(item) }
    }

    private mutating func put(_ item: UntypedRow) {
        put(item.id, outline: item.outline)
        put(item.content, isChecked: item.isChecked)
    }

    /// Packs an identifier with the depth of its row, in which neighbours are mostly alike.
    private mutating func put(_ id: UntypedID, outline: UInt8 = 0) {
        var kind: Int64 =
            switch id {
            case .integer: 0
            case .uuid: 1
            case .string: 2
            }
        kind += Int64(outline) * 4
        put(.identifierKinds, kind - context.identifierKind)
        context.identifierKind = kind
        switch id {
        case .integer(let value):
            put(.integers, value &- context.integer &- 1)
            context.integer = value
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { literals.write(raw: $0) }
        case .string(let value): put(value)
        }
    }

    private mutating func put(_ string: String) {
        var string = string
        string.withUTF8 {
            put(.stringLengths, Int64($0.count))
            literals.write(raw: UnsafeRawBufferPointer($0))
        }
    }

    /// Packs a content that was new in the event, or a reference to an earlier one.
    private mutating func put(_ content: ContentReference, isChecked: Bool) {
        guard let isNew = isNew.popFirst() else { preconditionFailure("every content is new or not") }
        put(.contentTags, (isNew ? 0 : 2) + (isChecked ? 1 : 0) - context.predictedTag)
        if isNew { return putNewContent() }
        put(.referenceVersions, Int64(content.version.rawValue) - context.referenceVersion)
        put(.referenceOffsets, Int64(content.offset) - context.referenceOffset)
        put(.referenceLengths, Int64(content.length) - context.referenceLength)
        literals.write(fixed: content.hash)
        context.note(content)
    }
}
