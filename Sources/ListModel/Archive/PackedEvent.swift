// An event without the parts that follow from the state: the ids and contents of the rows at its position.
//
// Always holds: packing an event and resolving it (`ListState.resolve`) gives the same event if the record agrees with
// the rows. If it does not, the record is not packed.

/// An event as a block stores it.
struct PackedEvent {
    let kind: EventKind
    /// The first row, or the section.
    var path = ListIndexPath(section: 0, item: 0)
    /// The place after a move; otherwise the same.
    var destination = ListIndexPath(section: 0, item: 0)
    /// How many rows the event names.
    var count = 0
    /// By how much rows are indented.
    var change = 0
    /// New rows, sections, content.
    var rows = ListRun<UntypedRow>.none
    var sections: [ListSection] = []
    var content: ContentReference?
    /// A new title, or the name of an annotation; and its value.
    var text = ""
    var value: [UInt8] = []

    /// An event whose other parts are set next.
    init(_ kind: EventKind) {
        self.kind = kind
        // These do not state how many rows they name.
        if [.itemToggled, .itemUpdated, .itemCollapsed].contains(kind) { count = 1 }
    }

    /// An event of rows.
    init(_ kind: EventKind, _ path: ListIndexPath, to destination: ListIndexPath? = nil, count: Int = 1) {
        self.kind = kind
        (self.path, self.destination, self.count) = (path, destination ?? path, count)
    }

    /// An event of a section.
    private init(_ kind: EventKind, section: Int, to destination: Int? = nil) {
        let destination = ListIndexPath(section: destination ?? section, item: 0)
        self.init(kind, ListIndexPath(section: section, item: 0), to: destination, count: 0)
    }

    /// The packed form of an event; nil for an unknown kind.
    init?(_ event: ListEvent) {
        switch event {
        case .itemsInserted(let path, let items):
            self.init(.itemsInserted, path, count: items.count)
            rows = items
        case .itemsDeleted(let path, let items): self.init(.itemsDeleted, path, count: items.count)
        case .itemsMoved(let path, let target, let ids): self.init(.itemsMoved, path, to: target, count: ids.count)
        case .itemToggled(let path, _, _): self.init(.itemToggled, path)
        case .itemUpdated(let path, _, _, let new):
            self.init(.itemUpdated, path)
            content = new
        case .itemsIndented(let path, let ids, let change):
            self.init(.itemsIndented, path, count: ids.count)
            self.change = change
        case .itemCollapsed(let path, _, _): self.init(.itemCollapsed, path)
        case .sectionInserted(let index, let section):
            self.init(.sectionInserted, section: index)
            sections = [section]
        case .sectionDeleted(let index, _): self.init(.sectionDeleted, section: index)
        case .sectionMoved(let source, let target, _): self.init(.sectionMoved, section: source, to: target)
        case .sectionRenamed(let index, _, _, let new):
            self.init(.sectionRenamed, section: index)
            text = new
        case .listReloaded(_, let new):
            self.init(.listReloaded)
            sections = new
        case .annotated(let name, let value):
            self.init(.annotated)
            (text, self.value) = (name, value)
        case .unrecognised: return nil
        }
    }

    /// The contents that it gives to rows, in the order of its record.
    var contents: [ContentReference] {
        rows.map(\.content) + (content.map { [$0] } ?? []) + sections.flatMap { $0.items.map(\.content) }
    }

    /// Where the next event is likely to happen, if this one says so.
    var cursor: ListIndexPath? {
        switch kind {
        case .listReloaded, .annotated: nil
        case .itemsDeleted: path
        default: ListIndexPath(section: destination.section, item: destination.item + count)
        }
    }
}

extension ListState {
    /// The event, completed with the rows at its position.
    ///
    /// - Throws: ``ListError`` if the rows that it refers to are not there. Its new rows are checked when it is folded.
    /// - Complexity: O(k + log n) for k rows.
    func resolve(_ event: PackedEvent) throws -> ListEvent {
        func rows() throws -> ListRun<UntypedRow> {
            try checkRange(event.path, count: event.count)
            return items(inSectionAt: event.path.section, event.path.item..<event.path.item + event.count)
        }
        func section() throws -> SectionEntry {
            try checkSection(event.path.section)
            return sectionEntry(at: event.path.section)
        }
        let (path, index, target) = (event.path, event.path.section, event.destination)
        switch event.kind {
        case .itemsInserted: return .itemsInserted(at: path, event.rows)
        case .itemsDeleted: return .itemsDeleted(at: path, try rows())
        case .itemsMoved: return .itemsMoved(from: path, to: target, try rows().mapped(\.id))
        case .itemToggled:
            let row = try rows()[0]
            return .itemToggled(at: path, row.id, isChecked: !row.isChecked)
        case .itemUpdated:
            let row = try rows()[0]
            return .itemUpdated(at: path, row.id, old: row.content, new: event.content ?? row.content)
        case .itemsIndented: return .itemsIndented(at: path, try rows().mapped(\.id), by: event.change)
        case .itemCollapsed:
            let row = try rows()[0]
            return .itemCollapsed(at: path, row.id, isCollapsed: !row.isCollapsed)
        case .sectionInserted: return .sectionInserted(at: index, event.sections[0])
        case .sectionDeleted: return .sectionDeleted(at: index, try section().contents(pool))
        case .sectionMoved: return .sectionMoved(from: index, to: target.section, try section().id)
        case .sectionRenamed:
            let section = try section()
            return .sectionRenamed(at: index, section.id, old: section.title, new: event.text)
        case .listReloaded:
            let old = (0..<sectionCount).map { sectionEntry(at: $0).contents(pool) }
            return .listReloaded(old: old, new: event.sections)
        case .annotated: return .annotated(name: event.text, value: event.value)
        }
    }
}
