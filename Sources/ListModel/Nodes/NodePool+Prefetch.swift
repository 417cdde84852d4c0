// Reads nodes before they are needed, several threads at a time.
//
// Most of the time that a node takes goes by while the processor waits for memory: for pages of the file, one after another,
// each of which says where the next is. A second thread waits for others meanwhile.
//
// Always holds: prefetching changes nothing but the cache. A node that cannot be read is no failure here; it is one for
// whoever needs the node.

import Dispatch

extension NodePool {
    /// Whether there is anything to prefetch.
    var isStored: Bool { source != nil }

    /// Reads the leaves that some places are in, and the nodes above them, into the cache.
    ///
    /// - Parameters:
    ///   - places: the places, ascending.
    ///   - sections: the top of the tree of sections.
    func prefetch(_ places: [ListIndexPath], in sections: TreeChild<SectionEntry>) {
        // Each thread has a stretch of the list to itself, so that two of them rarely read the same node.
        let parts = 2
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            guard let scan = source?.scan() else { return }
            var (sectionSpares, rowSpares) = (SpareNodes<SectionEntry>(), SpareNodes<UntypedRow>())
            var (section, rows) = (-1, TreeChild<UntypedRow>?.none)
            for place in places[places.count * part / parts..<places.count * (part + 1) / parts] {
                if place.section != section {
                    section = place.section
                    let found = leaf(at: section, below: sections, scan, &sectionSpares)
                    rows = found.map { $0.node.elements[$0.slot].rows }
                }
                if let rows { _ = leaf(at: place.item, below: rows, scan, &rowSpares) }
            }
        }
    }

    /// The leaf that has an element, and the slot of it; nil if there is no such element, or if a node on the way cannot be read.
    ///
    /// Unlike `withLeaf`, it reads all nodes with one source, and counts no failure.
    private func leaf<Element: TreeElement>(
        at offset: Int, below top: TreeChild<Element>, _ scan: any NodeSource, _ spares: inout SpareNodes<Element>
    ) -> (node: TreeNode<Element>, slot: Int)? {
        guard offset >= 0, offset < Int(top.count) else { return nil }
        let cache = Element.cache(of: self)
        var (child, slot) = (top, offset)
        while true {
            var node = child.node ?? cache[child.key]
            if node == nil {
                node = try? NodeChain(child, from: scan, limits, &spares).node(child, limits)
                if let node { cache.insert(node, child.key) }
            }
            guard let node else { return nil }
            if node.isLeaf { return (node, slot) }
            child = node.children[node.child(at: &slot)]
        }
    }
}
