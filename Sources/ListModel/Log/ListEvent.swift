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

extension ListEvent {
    /// Calls `body` with every content that the event refers to, new or old.
    package func forEachReference(_ body: (ContentReference) -> Void) {
        // Whatever an event refers to is written into its record.
        var writer = ByteWriter()
        writer.write(self, version: .empty) { _, content, _, _ in body(content) }
    }
}
