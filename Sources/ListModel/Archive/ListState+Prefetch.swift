// Reads the nodes that events change, before the events are applied.
//
// Always holds: the rows are the same afterwards, whatever was read.

extension ListState {
    /// Below so many leaves, one after another is as fast.
    private static var fewestLeaves: Int { 24 }

    /// Reads the nodes that scattered events change, several at a time.
    ///
    /// The place of an event is looked for in the present rows, although the events before it may shift it by a few. So a node may be
    /// read that no event needs. A node that is needed and was not read is read when its event is applied.
    ///
    /// - Complexity: O(k log n) for k events.
    func prefetch(_ events: [PackedEvent]) {
        guard pool.isStored, events.count >= ListState.fewestLeaves else { return }
        var places: [ListIndexPath] = []
        for event in events {
            places.append(event.path)
            if event.destination != event.path { places.append(event.destination) }
        }
        prefetch(places)
    }

    /// Reads the nodes of scattered rows, several at a time.
    ///
    /// - Complexity: O(k log n) for k places.
    func prefetch(_ places: [ListIndexPath]) {
        guard pool.isStored, places.count >= ListState.fewestLeaves else { return }
        var places = places.sorted()
        // One place of each leaf, about.
        let width = pool.limits.leafCapacity / 2
        var last = ListIndexPath(section: -1, item: 0)
        places.removeAll { place in
            let isNear = place.section == last.section && place.item - last.item < width
            if !isNear { last = place }
            return isNear
        }
        guard places.count >= ListState.fewestLeaves else { return }
        pool.prefetch(places, in: tree.top)
    }
}
