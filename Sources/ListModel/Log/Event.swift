// The events: what can happen to a list. State is a fold of these and of nothing else.
//
// An event carries both where (index paths, already resolved) and who (ids): positions make replay fast, ids make it
// checkable. It also carries what its inverse needs, as references to content and never as copies, so undoing a commit
// needs that commit and not the past.
//
// Always holds: applied to the state before it, an event is valid; `event.inverse` applied after it restores that state.
// An ancillary event changes no state and has no inverse.

/// Something that happened to a list, in the past tense.
///
/// Index paths before and after: what is deleted or moved away is named as it stood before the event, what is inserted,
/// moved to, toggled, updated, indented or collapsed as it stands after it.
public enum Event: Equatable, Sendable {
    /// A run of rows was inserted, the first of them at the path.
    case itemsInserted(at: ListIndexPath, Run<ListItem>)
    /// A run of rows was deleted, the first of them at the path.
    case itemsDeleted(at: ListIndexPath, Run<ListItem>)
    /// A run of rows moved. `to` is where the first of them stands afterwards: its position counts the rows without
    /// those that moved.
    case itemsMoved(from: ListIndexPath, to: ListIndexPath, Run<Identifier>)
    /// A checkmark was set or cleared.
    case itemToggled(at: ListIndexPath, Identifier, isChecked: Bool)
    /// A row has other content.
    case itemUpdated(at: ListIndexPath, Identifier, old: ContentReference, new: ContentReference)
    /// A run of rows stands deeper in the outline by so many steps, or less deep if `by` is negative; never by 0.
    case itemsIndented(at: ListIndexPath, Run<Identifier>, by: Int)
    /// A row was collapsed, so that its children are hidden, or expanded.
    case itemCollapsed(at: ListIndexPath, Identifier, isCollapsed: Bool)
    /// A section was inserted, with its rows.
    case sectionInserted(at: Int, ListSection)
    /// A section was deleted, with its rows.
    case sectionDeleted(at: Int, ListSection)
    /// A section moved. `to` is its index afterwards.
    case sectionMoved(from: Int, to: Int, Identifier)
    /// A section has another title.
    case sectionRenamed(at: Int, Identifier, old: String, new: String)
    /// Everything was replaced.
    case listReloaded(old: [ListSection], new: [ListSection])
    /// A value was attached to the commit, under a name. Ancillary.
    case annotated(name: String, value: [UInt8])
    /// Something that a newer library wrote and that does not change the rows. Ancillary; `kind` is 129 to 255.
    case unrecognised(kind: UInt8, payload: [UInt8])
}

extension Event {
    /// Whether the event says something about its commit and nothing about the rows: folding skips it, undo leaves it out.
    public var isAncillary: Bool {
        switch self {
        case .annotated, .unrecognised: true
        default: false
        }
    }

    /// The event that takes this one back; nil if it is ancillary, because there is nothing to take back.
    ///
    /// - Complexity: O(1); only references are swapped.
    public var inverse: Event? {
        consuming get {
            switch consume self {
            case .itemsInserted(let path, let items): .itemsDeleted(at: path, items)
            case .itemsDeleted(let path, let items): .itemsInserted(at: path, items)
            case .itemsMoved(let source, let target, let ids): .itemsMoved(from: target, to: source, ids)
            case .itemToggled(let path, let id, let isChecked): .itemToggled(at: path, id, isChecked: !isChecked)
            case .itemUpdated(let path, let id, let old, let new): .itemUpdated(at: path, id, old: new, new: old)
            case .itemsIndented(let path, let ids, let change): .itemsIndented(at: path, ids, by: -change)
            case .itemCollapsed(let path, let id, let isCollapsed):
                .itemCollapsed(at: path, id, isCollapsed: !isCollapsed)
            case .sectionInserted(let index, let section): .sectionDeleted(at: index, section)
            case .sectionDeleted(let index, let section): .sectionInserted(at: index, section)
            case .sectionMoved(let source, let target, let id): .sectionMoved(from: target, to: source, id)
            case .sectionRenamed(let index, let id, let old, let new):
                .sectionRenamed(at: index, id, old: new, new: old)
            case .listReloaded(let old, let new): .listReloaded(old: new, new: old)
            case .annotated, .unrecognised: nil
            }
        }
    }
}

extension Event {
    /// Calls `body` with every content that the event refers to, new or old.
    package func forEachReference(_ body: (ContentReference) -> Void) {
        func visit(_ sections: [ListSection]) {
            for section in sections { for item in section.items { body(item.content) } }
        }
        switch self {
        case .itemsInserted(_, let items), .itemsDeleted(_, let items):
            for item in items { body(item.content) }
        case .itemUpdated(_, _, let old, let new):
            body(old)
            body(new)
        case .sectionInserted(_, let section), .sectionDeleted(_, let section): visit([section])
        case .listReloaded(let old, let new):
            visit(old)
            visit(new)
        case .itemsMoved, .itemToggled, .itemsIndented, .itemCollapsed, .sectionMoved, .sectionRenamed, .annotated,
            .unrecognised:
            break
        }
    }
}
