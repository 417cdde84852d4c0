// Replays the events of a block. Consecutive insertions or deletions at neighbouring places are applied as one step, which gives the
// same list and is much cheaper. Steps wait until there are 128, so that the nodes which they change can be read at the same time.
//
// Always holds: the state, after the waiting steps and then the pending run are applied, is the state after all events so far.

/// Events that are not applied yet.
struct EventRun {
    private enum Kind { case none, insertion, deletion }

    /// The run that the next event may extend: its kind and place.
    private var kind = Kind.none
    private var path = ListIndexPath(section: 0, item: 0)
    /// The rows of an insertion.
    private var items: [UntypedRow] = []
    /// How many rows a deletion has.
    private var count = 0
    /// What comes before the run. The steps shift each other's places by a few rows, so not too many wait.
    private var waiting: [PackedEvent] = []
    private static let mostWaiting = 128

    /// Applies an event to a state, now or later.
    mutating func fold(_ event: PackedEvent, into state: inout ListState) throws {
        let path = event.path
        switch event.kind {
        case .itemsInserted:
            if kind != .insertion || path != nextPath {
                try end(&state)
                (kind, self.path) = (.insertion, path)
            }
            event.rows.withElements { items.append(contentsOf: $0) }
        case .itemsDeleted:
            let isBefore = ListIndexPath(section: path.section, item: path.item + event.count) == self.path
            if kind != .deletion || !(path == self.path || isBefore) {
                try end(&state)
                kind = .deletion
            }
            self.path = path
            count += event.count
        case .annotated: break
        default:
            try end(&state)
            try wait(event, &state)
        }
    }

    /// Applies all of them.
    mutating func flush(into state: inout ListState) throws {
        try end(&state)
        try apply(to: &state)
    }

    /// The place after the rows of an insertion.
    private var nextPath: ListIndexPath { ListIndexPath(section: path.section, item: path.item + items.count) }

    /// Ends the run: its step waits to be applied.
    private mutating func end(_ state: inout ListState) throws {
        switch kind {
        case .none: break
        case .insertion:
            var step = PackedEvent(.itemsInserted, path, count: items.count)
            step.rows = items.count == 1 ? .one(items[0]) : .many(items)
            try wait(step, &state)
            items = []
        case .deletion:
            try wait(PackedEvent(.itemsDeleted, path, count: count), &state)
            count = 0
        }
        kind = .none
    }

    private mutating func wait(_ step: PackedEvent, _ state: inout ListState) throws {
        waiting.append(step)
        if waiting.count == EventRun.mostWaiting { try apply(to: &state) }
    }

    private mutating func apply(to state: inout ListState) throws {
        state.prefetch(waiting)
        for step in waiting { try state.apply(state.resolve(step)) }
        waiting.removeAll(keepingCapacity: true)
    }
}
