// Reads nodes before they are needed, several threads at a time.
//
// Most of the time that a node takes goes by while the processor waits for memory: for pages of the file, one after another,
// each of which says where the next is. A second thread waits for others meanwhile.
//
// Always holds: prefetching changes nothing but the cache. A node that cannot be read is left to whoever needs it.

import Dispatch

extension NodePool {
    /// Whether there is anything to prefetch.
    var isStored: Bool { source != nil }

    /// Reads the leaves that some places are in, and the nodes above them, into the cache.
    ///
    /// - Parameters:
    ///   - places: the places, ascending.
    ///   - tree: returns the top of the tree of a section's rows; nil if there is no such section.
    func prefetch(_ places: [ListIndexPath], _ tree: @Sendable (_ section: Int) -> TreeChild<UntypedRow>?) {
        // Each thread has a stretch of the list to itself, so that two of them rarely read the same node.
        let parts = 2
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            let scan = source?.scan()
            var spares = SpareNodes<UntypedRow>()
            var (section, top) = (-1, TreeChild<UntypedRow>?.none)
            for place in places[places.count * part / parts..<places.count * (part + 1) / parts] {
                if place.section != section { (section, top) = (place.section, tree(place.section)) }
                if let top, let scan { prefetch(top, at: place.item, scan, &spares) }
            }
        }
    }

    /// Reads the nodes on the way to an element.
    private func prefetch<Element: TreeElement>(
        _ top: TreeChild<Element>, at offset: Int, _ scan: any NodeSource, _ spares: inout SpareNodes<Element>
    ) {
        guard offset >= 0, offset < Int(top.count) else { return }
        var (child, slot) = (top, offset)
        while true {
            var node = child.node ?? Element.cache(of: self)[child.key]
            if node == nil {
                node = try? NodeChain(child, from: scan, limits, &spares).node(child, limits)
                if let node { Element.cache(of: self).insert(node, child.key) }
            }
            guard let node, !node.isLeaf else { return }
            child = node.children[node.child(at: &slot)]
        }
    }
}
