// The events of a block. One function says in which columns the parts of an event are, in which order; a writer puts them
// there, a reader takes them from there.
//
// Always holds: indices and counts that were read are not negative and far from overflow. Resolving and applying the event
// checks that they fit the rows.

/// Passes the parts of events through columns. A writer leaves them as they are, a reader sets them.
protocol EventCoder {
    associatedtype Columns: IdentifierCoder
    /// The columns of the events and of the identifiers.
    var columns: Columns { get set }
    /// A count of at least so many things, each of which takes a byte or more of another column, if that is given.
    mutating func code(_ column: PackedColumn, _ value: inout Int, from least: Int, eachIn: PackedColumn?) throws
    /// An index, near a place.
    mutating func code(_ column: PackedColumn, _ value: inout Int, near place: Int) throws
    mutating func code(name: inout String, _ value: inout [UInt8]) throws
    /// A content that is in the record, or a reference to an earlier one.
    mutating func code(_ content: inout ContentReference, _ isChecked: inout Bool) throws
    /// Where the next event is likely to happen.
    var cursor: ListIndexPath { get set }
}

extension EventCoder {
    /// Passes the parts of an event, after its kind.
    mutating func code(_ event: inout PackedEvent) throws {
        switch event.kind {
        case .itemsInserted:
            try code(.rowCounts, &event.count, from: 1, eachIn: .identifierKinds)
            try codePath(&event)
            try code(&event.rows, event.count)
        case .itemsDeleted:
            try code(.rowCounts, &event.count, from: 1, eachIn: nil)
            try codePath(&event)
        case .itemsMoved:
            try code(.rowCounts, &event.count, from: 1, eachIn: nil)
            try codePath(&event)
            try code(.destinations, &event.destination.section, near: event.path.section)
            try code(.destinations, &event.destination.item, near: event.path.item)
        case .itemToggled, .itemCollapsed: try codePath(&event)
        case .itemUpdated:
            try codePath(&event)
            var (content, isChecked) = (event.content ?? .unreadable, false)
            try code(&content, &isChecked)
            event.content = content
        case .itemsIndented:
            try code(.rowCounts, &event.count, from: 1, eachIn: nil)
            try codePath(&event)
            var depth = event.change + UntypedRow.maximumDepth
            try code(.destinations, &depth, near: UntypedRow.maximumDepth)
            event.change = depth - UntypedRow.maximumDepth
        case .sectionInserted:
            try codeSection(&event)
            var section = event.sections.first ?? EventValues.section
            try code(&section)
            event.sections = [section]
        case .sectionDeleted: try codeSection(&event)
        case .sectionMoved:
            try codeSection(&event)
            try code(.destinations, &event.destination.section, near: event.path.section)
        case .sectionRenamed:
            try codeSection(&event)
            try columns.code(&event.text, .lengths, .literals)
        case .listReloaded:
            var count = event.sections.count
            try code(.destinations, &count, from: 0, eachIn: .identifierKinds)
            for index in 0..<count {
                if index == event.sections.count { event.sections.append(EventValues.section) }
                try code(&event.sections[index])
            }
        case .annotated: try code(name: &event.text, &event.value)
        }
        cursor = event.cursor ?? cursor
    }

    private mutating func codePath(_ event: inout PackedEvent) throws {
        try codeSection(&event)
        try code(.rows, &event.path.item, near: cursor.item)
        if event.kind != .itemsMoved { event.destination = event.path }
    }

    private mutating func codeSection(_ event: inout PackedEvent) throws {
        try code(.sections, &event.path.section, near: cursor.section)
        if event.kind != .itemsMoved && event.kind != .sectionMoved { event.destination.section = event.path.section }
    }

    private mutating func code(_ section: inout ListSection) throws {
        var (id, outline, title, count) = (section.id, 0, section.title, section.items.count)
        try columns.code(&id, &outline, ofRow: false)
        try columns.code(&title, .lengths, .literals)
        try code(.rowCounts, &count, from: 0, eachIn: .identifierKinds)
        var rows = ListRun(section.items) ?? .none
        try code(&rows, count)
        section = ListSection(id: id, title: title, items: Array(rows))
    }

    private mutating func code(_ rows: inout ListRun<UntypedRow>, _ count: Int) throws {
        if count == 1 {
            var row = rows.first ?? EventValues.row
            try code(&row)
            rows = .one(row)
            return
        }
        var found = Array(rows)
        for index in 0..<count {
            if index == found.count { found.append(EventValues.row) }
            try code(&found[index])
        }
        rows = .many(found)
    }

    private mutating func code(_ row: inout UntypedRow) throws {
        var (id, outline, isChecked, content) = (row.id, Int(row.outline), row.isChecked, row.content)
        try columns.code(&id, &outline, ofRow: true)
        try code(&content, &isChecked)
        row = UntypedRow(id: id, isChecked: isChecked, content: content, outline: UInt8(outline))
    }
}

/// What a reader sets.
private enum EventValues {
    static let row = UntypedRow(id: .integer(0), isChecked: false, content: .unreadable)
    static let section = ListSection(id: .integer(0), title: "", items: [])
}

/// The last value of each annotation. Editors attach the same few values to every commit, such as a selection, and most of
/// their bytes stay as they were.
private struct AnnotationValues {
    private var last: [Int: [UInt8]] = [:]

    /// The difference of each byte from the last value of the name, if that has the same length; otherwise the value.
    mutating func difference(of value: [UInt8], _ name: Int) -> [UInt8] {
        let before = last.updateValue(value, forKey: name)
        guard let before, before.count == value.count else { return value }
        return zip(value, before).map { $0 &- $1 }
    }

    /// The value of a difference.
    mutating func value(of difference: [UInt8], _ name: Int) -> [UInt8] {
        var value = difference
        if let before = last[name], before.count == value.count { value = zip(value, before).map { $0 &+ $1 } }
        last[name] = value
        return value
    }
}

/// Writes events.
struct EventWriter: EventCoder {
    var columns = ColumnWriter()
    private var names = StringNumbers(in: .annotationNames)
    var cursor = ListIndexPath(section: 0, item: 0)
    private var annotations = AnnotationValues()
    /// For the remaining contents of the commit: whether they are in the record.
    private var isNew: ArraySlice<Bool> = []

    /// Writes the events of the next commit.
    ///
    /// - Parameter isNew: for each content: whether it is in the record.
    mutating func put(_ events: [PackedEvent], isNew: [Bool]) throws {
        self.isNew = isNew[...]
        for var event in events {
            columns.put(.kinds, UInt64(event.kind.rawValue))
            try code(&event)
        }
    }

    mutating func code(_ column: PackedColumn, _ value: inout Int, from least: Int, eachIn: PackedColumn?) {
        columns.put(column, UInt64(value))
    }

    mutating func code(_ column: PackedColumn, _ value: inout Int, near place: Int) {
        columns.put(column, near: Int64(value - place))
    }

    mutating func code(name: inout String, _ value: inout [UInt8]) {
        let number = names.number(of: name, in: &columns)
        columns.put(.annotations, UInt64(number))
        columns.put(.lengths, UInt64(value.count))
        annotations.difference(of: value, number).withUnsafeBytes { columns.put(.values, bytes: $0) }
    }

    mutating func code(_ content: inout ContentReference, _ isChecked: inout Bool) {
        guard let isNew = isNew.popFirst() else { preconditionFailure("every content is new or not") }
        columns.put(.contentTags, (isNew ? 0 : 2) + (isChecked ? 1 : 0))
        if isNew { return }
        columns.put(.referenceVersions, next: Int64(bitPattern: content.version.rawValue))
        columns.put(.referenceOffsets, next: Int64(content.offset))
        columns.put(.referenceLengths, next: Int64(content.length))
        withUnsafeBytes(of: content.hash.littleEndian) { columns.put(.literals, bytes: $0) }
    }
}

/// Reads the events of a block.
struct EventReader: EventCoder {
    var columns: ColumnReader
    private var contents: ContentReader
    private let names: [String]
    private var annotations = AnnotationValues()
    private var version = Version.empty
    /// How many bytes of records may still come. It bounds the work that few damaged bytes can ask for.
    private var budget: Int
    var cursor = ListIndexPath(section: 0, item: 0)
    /// The contents of the event that was read last, in the order of the record; nil stands for a reference.
    private(set) var newContents: [UnsafeRawBufferPointer?] = []

    init(_ block: PackedBlock) throws {
        columns = try block.eventReader()
        contents = try ContentReader(block)
        budget = block.recordBytes
        names = try columns.strings(.annotationNames, atMost: block.eventCount)
    }

    mutating func beginCommit(_ version: Version) throws {
        self.version = version
        _ = try contents.beginCommit()
    }

    func endCommit() throws { try contents.endCommit() }

    /// The next event of the commit.
    mutating func next() throws -> PackedEvent {
        newContents.removeAll(keepingCapacity: true)
        try spend(3, .kinds)
        let number = try columns.next(.kinds)
        guard let kind = EventKind(rawValue: UInt8(clamping: number)) else {
            throw columns.error(.kinds, "kind of event", expected: "1 to 12, or 128", found: "\(number)")
        }
        var event = PackedEvent(kind)
        try code(&event)
        let most = UntypedRow.maximumDepth
        guard kind != .itemsIndented || (event.change != 0 && event.change <= most) else {
            throw columns.error(
                .destinations, "change of depth", expected: "-\(most) to \(most), not 0", found: "\(event.change)")
        }
        return event
    }

    /// Counts bytes that a record has at least.
    private mutating func spend(_ bytes: Int, _ column: PackedColumn) throws {
        guard bytes <= budget else {
            throw columns.error(column, "size", expected: "that of the records", found: "more")
        }
        budget -= bytes
    }

    mutating func code(_ column: PackedColumn, _ value: inout Int, from least: Int, eachIn other: PackedColumn?) throws
    {
        value = try columns.count(column, from: least, eachIn: other)
        try spend(2 * value, column)
    }

    mutating func code(_ column: PackedColumn, _ value: inout Int, near place: Int) throws {
        value = try columns.index(column, near: place)
    }

    mutating func code(name: inout String, _ value: inout [UInt8]) throws {
        let number = try columns.index(.annotations, in: names)
        name = names[number]
        let difference = try columns.bytes(.values, columns.count(.lengths, eachIn: .values))
        value = annotations.value(of: Array(difference), number)
    }

    mutating func code(_ content: inout ContentReference, _ isChecked: inout Bool) throws {
        let tag = try columns.next(.contentTags)
        guard tag < 4 else { throw columns.error(.contentTags, "tag", expected: "0 to 3", found: "\(tag)") }
        isChecked = tag & 1 == 1
        if tag & 2 == 0 {
            let (offset, bytes) = try contents.next()
            newContents.append(bytes)
            content = ContentReference(
                version: version, offset: UInt32(offset), length: UInt32(bytes.count),
                hash: ContentReference.hash(of: bytes))
            return
        }
        newContents.append(nil)
        let number = try columns.following(.referenceVersions)
        let (offset, length) = (try columns.following(.referenceOffsets), try columns.following(.referenceLengths))
        let hash = UInt64(littleEndian: try columns.bytes(.literals, 8).loadUnaligned(as: UInt64.self))
        guard number >= 1, number <= Int64(version.rawValue), let exactOffset = UInt32(exactly: offset),
            let exactLength = UInt32(exactly: length), hash < SequenceHash.modulus
        else {
            throw columns.error(
                .referenceVersions, "content reference", expected: "one to this or an earlier commit",
                found: "version \(number), byte \(offset)")
        }
        content = ContentReference(
            version: Version(UInt64(number)), offset: exactOffset, length: exactLength, hash: hash)
    }
}
