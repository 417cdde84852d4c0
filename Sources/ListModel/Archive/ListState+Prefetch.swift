// Reads the nodes that events change, before the events are applied.

extension ListState {
    /// Below so many leaves, one after another is as fast.
    private static var fewestLeaves: Int { 24 }

    /// Reads the nodes that scattered events change, several at a time.
    ///
    /// Each event's place is taken for one in the present rows. So a node may be read in vain, or be read when it is needed.
    ///
    /// - Complexity: O(k log n) for k events.
    func prefetch(_ events: [PackedEvent]) {
        guard pool.isStored, events.count >= ListState.fewestLeaves else { return }
        var places: [ListIndexPath] = []
        for event in events {
            places.append(event.path)
            if event.destination != event.path { places.append(event.destination) }
        }
        places.sort()
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
