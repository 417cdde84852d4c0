// An event without the parts that follow from the state: the ids and contents of the rows at its position.
//
// Always holds: packing an event and resolving it (`ListState.resolve`) gives the same event if the record agrees with
// the rows. If it does not, the record is not packed.

/// An event as a block stores it.
enum PackedEvent {
    case itemsInserted(at: ListIndexPath, ListRun<UntypedRow>)
    case itemsDeleted(at: ListIndexPath, count: Int)
    case itemsMoved(from: ListIndexPath, to: ListIndexPath, count: Int)
    case itemToggled(at: ListIndexPath)
    case itemUpdated(at: ListIndexPath, new: ContentReference)
    case itemsIndented(at: ListIndexPath, count: Int, by: Int)
    case itemCollapsed(at: ListIndexPath)
    case sectionInserted(at: Int, ListSection)
    case sectionDeleted(at: Int)
    case sectionMoved(from: Int, to: Int)
    case sectionRenamed(at: Int, new: String)
    case listReloaded(new: [ListSection])
    case annotated(name: String, value: [UInt8])
}

extension PackedEvent {
    /// The packed form of an event; nil for an unknown kind.
    init?(_ event: ListEvent) {
        switch event {
        case .itemsInserted(let path, let items): self = .itemsInserted(at: path, items)
        case .itemsDeleted(let path, let items): self = .itemsDeleted(at: path, count: items.count)
        case .itemsMoved(let source, let target, let ids):
            self = .itemsMoved(from: source, to: target, count: ids.count)
        case .itemToggled(let path, _, _): self = .itemToggled(at: path)
        case .itemUpdated(let path, _, _, let new): self = .itemUpdated(at: path, new: new)
        case .itemsIndented(let path, let ids, let change):
            self = .itemsIndented(at: path, count: ids.count, by: change)
        case .itemCollapsed(let path, _, _): self = .itemCollapsed(at: path)
        case .sectionInserted(let index, let section): self = .sectionInserted(at: index, section)
        case .sectionDeleted(let index, _): self = .sectionDeleted(at: index)
        case .sectionMoved(let source, let target, _): self = .sectionMoved(from: source, to: target)
        case .sectionRenamed(let index, _, _, let new): self = .sectionRenamed(at: index, new: new)
        case .listReloaded(_, let new): self = .listReloaded(new: new)
        case .annotated(let name, let value): self = .annotated(name: name, value: value)
        case .unrecognised: return nil
        }
    }
}

extension ListState {
    /// The event, completed with the rows at its position.
    ///
    /// - Throws: ``ListError`` if the rows that it refers to are not there. Its new rows are checked when it is folded.
    /// - Complexity: O(k + log n) for k rows.
    func resolve(_ event: PackedEvent) throws -> ListEvent {
        switch event {
        case .itemsInserted(let path, let items): return .itemsInserted(at: path, items)
        case .itemsDeleted(let path, let count): return .itemsDeleted(at: path, try rows(at: path, count))
        case .itemsMoved(let source, let target, let count):
            return .itemsMoved(from: source, to: target, try rows(at: source, count).mapped(\.id))
        case .itemToggled(let path):
            let item = try rows(at: path, 1)[0]
            return .itemToggled(at: path, item.id, isChecked: !item.isChecked)
        case .itemUpdated(let path, let new):
            let item = try rows(at: path, 1)[0]
            return .itemUpdated(at: path, item.id, old: item.content, new: new)
        case .itemsIndented(let path, let count, let change):
            return .itemsIndented(at: path, try rows(at: path, count).mapped(\.id), by: change)
        case .itemCollapsed(let path):
            let item = try rows(at: path, 1)[0]
            return .itemCollapsed(at: path, item.id, isCollapsed: !item.isCollapsed)
        case .sectionInserted(let index, let section): return .sectionInserted(at: index, section)
        case .sectionDeleted(let index): return .sectionDeleted(at: index, try section(at: index).contents(pool))
        case .sectionMoved(let source, let target):
            return .sectionMoved(from: source, to: target, try section(at: source).id)
        case .sectionRenamed(let index, let new):
            let section = try section(at: index)
            return .sectionRenamed(at: index, section.id, old: section.title, new: new)
        case .listReloaded(let new):
            let old = (0..<sectionCount).map { sectionEntry(at: $0).contents(pool) }
            return .listReloaded(old: old, new: new)
        case .annotated(let name, let value): return .annotated(name: name, value: value)
        }
    }

    private func rows(at path: ListIndexPath, _ count: Int) throws -> ListRun<UntypedRow> {
        try checkRange(path, count: count)
        return items(inSectionAt: path.section, path.item..<path.item + count)
    }

    private func section(at index: Int) throws -> SectionEntry {
        try checkSection(index)
        return sectionEntry(at: index)
    }
}
