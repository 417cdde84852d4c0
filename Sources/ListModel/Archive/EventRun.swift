// Replays consecutive insertions or deletions at neighbouring places as one, which gives the same list and is much
// cheaper.
//
// Always holds: the state, after the pending run is applied, is the state after all events so far.

/// Events that are not applied yet, because the next may extend the run.
struct EventRun {
    private enum Kind { case none, insertion, deletion }

    private var kind = Kind.none
    private var path = ListIndexPath(section: 0, item: 0)
    /// The rows of an insertion.
    private var items: [UntypedRow] = []
    /// How many rows a deletion has.
    private var count = 0

    /// Applies an event to a state, now or later.
    mutating func fold(_ event: PackedEvent, into state: inout ListState) throws {
        let path = event.path
        switch event.kind {
        case .itemsInserted:
            if kind != .insertion || path != end { try begin(.insertion, path, &state) }
            event.rows.withElements { items.append(contentsOf: $0) }
        case .itemsDeleted:
            let isBefore = ListIndexPath(section: path.section, item: path.item + event.count) == self.path
            if kind != .deletion || !(path == self.path || isBefore) { try begin(.deletion, path, &state) }
            self.path = path
            count += event.count
        case .annotated: break
        default:
            try flush(into: &state)
            try state.apply(state.resolve(event))
        }
    }

    /// Applies the pending run.
    mutating func flush(into state: inout ListState) throws {
        switch kind {
        case .none: return
        case .insertion:
            let run: ListRun = items.count == 1 ? .one(items[0]) : .many(items)
            try state.apply(.itemsInserted(at: path, run))
            items.removeAll(keepingCapacity: true)
        case .deletion:
            try state.apply(state.resolve(PackedEvent(.itemsDeleted, path, count: count)))
            count = 0
        }
        kind = .none
    }

    /// The place after the rows of an insertion.
    private var end: ListIndexPath { ListIndexPath(section: path.section, item: path.item + items.count) }

    private mutating func begin(_ kind: Kind, _ path: ListIndexPath, _ state: inout ListState) throws {
        try flush(into: &state)
        self.kind = kind
        self.path = path
    }
}
