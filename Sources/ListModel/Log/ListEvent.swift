// Events: everything that can happen to a list. The state follows from the events alone.
//
// An event carries positions (resolved index paths), which make replay fast, and ids, which make it checkable. It also
// carries what its inverse needs, as references to content, so undoing a commit needs no other commit.
//
// Always holds: an event is valid for the state before it; applying `event.inverse` afterwards restores that state. An
// ancillary event changes no state and has no inverse.

/// An event of a list, in the past tense.
///
/// Index spaces: positions of deleted rows and sources of moves are those before the event; positions of inserted,
/// toggled, updated, indented and collapsed rows and targets of moves are those after it.
public enum ListEvent: Equatable, Sendable {
    /// A run of rows was inserted, the first of them at the path.
    case itemsInserted(at: ListIndexPath, ListRun<UntypedRow>)
    /// A run of rows was deleted, the first of them at the path.
    case itemsDeleted(at: ListIndexPath, ListRun<UntypedRow>)
    /// A run of rows moved. `to` is the position of the first of them afterwards, counted without the rows that move.
    case itemsMoved(from: ListIndexPath, to: ListIndexPath, ListRun<UntypedID>)
    /// A checkmark was set or cleared.
    case itemToggled(at: ListIndexPath, UntypedID, isChecked: Bool)
    /// The content of a row was updated.
    case itemUpdated(at: ListIndexPath, UntypedID, old: ContentReference, new: ContentReference)
    /// A run of rows became deeper in the outline by `by`, or less deep if it is negative; never 0.
    case itemsIndented(at: ListIndexPath, ListRun<UntypedID>, by: Int)
    /// A row was collapsed, which hides its children, or expanded.
    case itemCollapsed(at: ListIndexPath, UntypedID, isCollapsed: Bool)
    /// A section was inserted, with its rows.
    case sectionInserted(at: Int, ListSection)
    /// A section was deleted, with its rows.
    case sectionDeleted(at: Int, ListSection)
    /// A section moved. `to` is its index afterwards.
    case sectionMoved(from: Int, to: Int, UntypedID)
    /// A section was renamed.
    case sectionRenamed(at: Int, UntypedID, old: String, new: String)
    /// All sections and rows were replaced.
    case listReloaded(old: [ListSection], new: [ListSection])
    /// A value was attached to the commit, under a name. Ancillary.
    case annotated(name: String, value: [UInt8])
    /// An event of a newer library that does not change the rows. Ancillary; `kind` is 129 to 255.
    case unrecognised(kind: UInt8, payload: [UInt8])
}

extension ListEvent {
    /// Whether the event does not change rows. The reducer and undo ignore it.
    public var isAncillary: Bool {
        switch self {
        case .annotated, .unrecognised: true
        default: false
        }
    }

    /// The event that takes this one back; nil if it is ancillary.
    ///
    /// - Complexity: O(1); only references are swapped.
    public var inverse: ListEvent? {
        consuming get {
            switch consume self {
            case .itemsInserted(let path, let items): .itemsDeleted(at: path, items)
            case .itemsDeleted(let path, let items): .itemsInserted(at: path, items)
            case .itemsMoved(let source, let target, let ids): .itemsMoved(from: target, to: source, ids)
            case .itemToggled(let path, let id, let isChecked): .itemToggled(at: path, id, isChecked: !isChecked)
            case .itemUpdated(let path, let id, let old, let new): .itemUpdated(at: path, id, old: new, new: old)
            // Wraps: an event that was not read from a log may have any number.
            case .itemsIndented(let path, let ids, let change): .itemsIndented(at: path, ids, by: 0 &- change)
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

extension ListEvent {
    /// Whether the event names a row for which `isWanted` is true.
    package func names(_ isWanted: (UntypedID) -> Bool) -> Bool {
        switch self {
        case .itemsMoved(_, _, let ids), .itemsIndented(_, let ids, _): ids.contains(where: isWanted)
        case .itemToggled(_, let id, _), .itemCollapsed(_, let id, _): isWanted(id)
        default:
            {
                var isNamed = false
                forEachContent { id, _ in if isWanted(id) { isNamed = true } }
                return isNamed
            }()
        }
    }

    /// Calls `body` with every row whose content the event refers to, and the content, new or old, in the order of the record.
    package func forEachContent(_ body: (UntypedID, ContentReference) throws -> Void) rethrows {
        func forEach(in sections: [ListSection]) throws {
            for section in sections { for row in section.items { try body(row.id, row.content) } }
        }
        switch self {
        case .itemsInserted(_, let rows), .itemsDeleted(_, let rows):
            for row in rows { try body(row.id, row.content) }
        case .itemUpdated(_, let id, let old, let new):
            try body(id, old)
            try body(id, new)
        case .sectionInserted(_, let section), .sectionDeleted(_, let section): try forEach(in: [section])
        case .listReloaded(let old, let new):
            try forEach(in: old)
            try forEach(in: new)
        case .itemsMoved, .itemToggled, .itemsIndented, .itemCollapsed, .sectionMoved, .sectionRenamed, .annotated,
            .unrecognised:
            break
        }
    }
}
