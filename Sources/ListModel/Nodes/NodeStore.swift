// How a list's nodes are kept: how wide they are, where the stored ones lie, and those that somebody just looked at.
//
// A snapshot of a stored list is a number and a summary; its nodes are read when someone looks, and forgotten when others
// need the room. Reading a row cannot throw, because a snapshot is a value. So a stored node that is damaged gives rows
// that say so and whose content cannot be read, `damage` says what happened, and whoever edits the list looks at it
// before a commit is made. The log is untouched by such damage: opening the store again makes new nodes from it.
//
// Always holds:
// - a node in the cache is never written; whoever wants to change it takes it out or copies it;
// - a node that was read has the number of elements and the hash that its parent says, or `damage` is set.

import Synchronization

/// Keeps a checkpoint: as long as somebody refers to it, the nodes of the checkpoint stay in the file.
///
/// It is an object of its own because it is referred to weakly, too: counting the references of such an object takes twice as
/// long, and those of a `NodeStore` are counted by every edit.
package final class CheckpointLease: Sendable {
    package init() {}
}

/// Everything that the trees of one list have in common.
///
/// Each checkpoint begins a new store with the same cache. Whoever has a tree has its store, and with it the lease of its
/// checkpoint: one whose lease is gone is one that no snapshot looks at any more.
package final class NodeStore: Sendable {
    /// How wide the nodes are.
    package let limits: TreeLimits
    /// What a new index of ids hashes them with.
    let salt: UInt64
    /// Another number in each process, and not 0.
    private static let processSalt = UInt64.random(in: 1 ... .max)
    /// What the stores of all checkpoints share.
    private let shared: Shared
    /// Keeps the checkpoints whose nodes the trees may have: one at most, or those of all trees that were joined.
    private let leases: [CheckpointLease]
    private let currentEpoch = Atomic<UInt32>(1)
    private let touchedCount = Atomic<Int>(0)
    private let firstDamage = Mutex<(any Error)?>(nil)
    private let isDamaged = Atomic<Bool>(false)
    /// Whether somebody has the version before the present edit, as far as is known from nodes that had to be copied for it.
    private let isWatched = Atomic<Bool>(false)

    private final class Shared: Sendable {
        /// Where stored nodes lie; nil for a list that lives in memory only.
        let source: (any NodeSource)?
        /// The nodes that were looked at.
        let items: NodeCache<ListItem>
        let sections: NodeCache<SectionEntry>

        init(_ source: (any NodeSource)?, cacheSize: Int) {
            self.source = source
            items = NodeCache(limit: cacheSize * 7 / 8)
            sections = NodeCache(limit: cacheSize / 8)
        }
    }

    /// A store of nodes.
    ///
    /// - Parameters:
    ///   - limits: how wide new nodes are.
    ///   - source: where stored nodes lie.
    ///   - cacheSize: how many bytes of nodes to keep that were looked at.
    ///   - salt: what a new index of ids hashes them with; nil for the number of the process.
    package init(
        limits: TreeLimits, source: (any NodeSource)? = nil, cacheSize: Int = 8 << 20, salt: UInt64? = nil
    ) {
        self.limits = limits
        self.salt = salt ?? NodeStore.processSalt
        shared = Shared(source, cacheSize: cacheSize)
        leases = []
    }

    /// A store for what follows a checkpoint.
    ///
    /// - Parameter lease: keeps that checkpoint; nil if nothing of one is looked at, or somebody else keeps it.
    package init(after other: NodeStore, _ lease: CheckpointLease? = nil) {
        limits = other.limits
        salt = other.salt
        shared = other.shared
        leases = lease.map { [$0] } ?? []
        // Nodes that were changed before are not taken for changed in the epoch of another store.
        currentEpoch.store(other.epoch, ordering: .relaxed)
        touchedCount.store(other.touched, ordering: .relaxed)
    }

    /// A store for a tree of parts of two others; nil if those have nodes stored in different places.
    ///
    /// It counts for itself what is changed, so that nothing is noticed by those who edit the others.
    init?(joining first: NodeStore, _ second: NodeStore) {
        guard first.source == nil || second.source == nil || first.source === second.source else { return nil }
        limits = first.limits
        salt = first.salt
        shared = first.source == nil ? second.shared : first.shared
        leases = first.leases + second.leases.filter { lease in !first.leases.contains { $0 === lease } }
    }

    /// The present epoch; each capture of a checkpoint begins one.
    @inline(__always)
    private var epoch: UInt32 { currentEpoch.load(ordering: .relaxed) }

    /// How many nodes were changed since the epoch began, each counted once. As many have to be read to get there from the
    /// last checkpoint.
    package var touched: Int { touchedCount.load(ordering: .relaxed) }

    /// Begins an epoch: what is changed from now on is not in the checkpoint that is captured.
    func beginEpoch() {
        touchedCount.store(0, ordering: .relaxed)
        currentEpoch.add(1, ordering: .relaxed)
    }

    private var source: (any NodeSource)? { shared.source }
    var items: NodeCache<ListItem> { shared.items }
    var sections: NodeCache<SectionEntry> { shared.sections }

    /// The first stored node of this checkpoint that could not be read, if there was one.
    package var damage: (any Error)? {
        isDamaged.load(ordering: .relaxed) ? firstDamage.withLock { $0 } : nil
    }

    /// Notes that a stored node cannot be read.
    package func report(_ error: any Error) {
        firstDamage.withLock { $0 = $0 ?? error }
        isDamaged.store(true, ordering: .relaxed)
    }

    /// Forgets the nodes that were looked at.
    package func clearCache() {
        items.removeAll()
        sections.removeAll()
    }
}

// MARK: - Reading nodes

extension NodeStore {
    /// A node to look at.
    @inline(__always)
    func node<Element: TreeElement>(_ child: TreeChild<Element>) -> TreeNode<Element> {
        if let node = child.node { return node }
        return storedNode(child)
    }

    @inline(never)
    private func storedNode<Element: TreeElement>(_ child: TreeChild<Element>) -> TreeNode<Element> {
        let cache = Element.cache(of: self)
        if let node = cache[child] { return node }
        var spares = SpareNodes<Element>()
        // What stands in for a damaged node is not cached: every store that comes to it is to notice.
        guard let node = read(child, from: source, &spares) else { return unreadable(child) }
        cache.insert(node, child)
        return node
    }

    /// A node to look at by the way, as many others will be: it does not push others out of the cache.
    ///
    /// - Parameters:
    ///   - scan: where it is read, as `scan()` gives it.
    ///   - spares: nodes that are not needed any more, to be used again.
    @inline(never)
    func passingNode<Element: TreeElement>(
        _ child: TreeChild<Element>, _ scan: (any NodeSource)?, _ spares: inout SpareNodes<Element>
    ) -> TreeNode<Element> {
        if let node = child.node ?? Element.cache(of: self)[child] { return node }
        return read(child, from: scan, &spares) ?? unreadable(child)
    }

    /// Where the nodes of this store and of another one are read, for one thread that reads many of them now.
    ///
    /// In two places each node is read by itself: who waits for one of them must not keep the other one waiting.
    func scans(with other: NodeStore) -> (own: (any NodeSource)?, other: (any NodeSource)?) {
        if let source, let otherSource = other.source, source !== otherSource { return (source, otherSource) }
        let scan = (source ?? other.source)?.scan()
        return (scan, scan)
    }

    /// Puts a node in its place that may be written: the present one if nobody else refers to it, otherwise a copy.
    ///
    /// - Returns: the node, which `child` keeps alive: counting references on every level takes longer than the edit.
    @inline(__always)
    func makeUnique<Element: TreeElement>(_ child: inout TreeChild<Element>) -> Unmanaged<TreeNode<Element>> {
        if isKnownUniquelyReferenced(&child.node) {
            let node = Unmanaged.passUnretained(child.node.unsafelyUnwrapped)
            node._withUnsafeGuaranteedRef { if $0.epoch != epoch { touch($0) } }
            // Every edit begins with the sections.
            if Element.self == SectionEntry.self { note(isWatched: false) }
            return node
        }
        return Unmanaged.passUnretained(makeCopy(&child))
    }

    @inline(__always)
    private func note(isWatched: Bool) {
        // Mostly it is known already, and other threads read what lies next to it.
        if self.isWatched.load(ordering: .relaxed) != isWatched { self.isWatched.store(isWatched, ordering: .relaxed) }
    }

    /// Notes that a node is changed for the first time since the epoch began.
    @inline(never)
    private func touch<Element: TreeElement>(_ node: TreeNode<Element>) {
        node.epoch = epoch
        node.stored = 0
        touchedCount.add(1, ordering: .relaxed)
    }

    @inline(never)
    private func makeCopy<Element: TreeElement>(_ child: inout TreeChild<Element>) -> TreeNode<Element> {
        let copy: TreeNode<Element>
        if let node = child.node {
            copy = node.copy(width: limits.capacity(height: node.height))
            copy.epoch = node.epoch
            note(isWatched: true)
        } else if isWatched.load(ordering: .relaxed) {
            // Whoever has the version before usually shows it, and compares it with this one next. So the node stays in the
            // cache as it was: reading it once more takes ten times as long as copying it.
            let node = storedNode(child)
            copy = node.copy(width: max(node.width, limits.capacity(height: node.height)))
        } else if var node = Element.cache(of: self).take(child) {
            // Nobody else looks at it, as a rule, and what was looked at to be changed need not be copied for that.
            let isFree = isKnownUniquelyReferenced(&node)
            copy = isFree ? node : node.copy(width: limits.capacity(height: node.height))
        } else {
            var spares = SpareNodes<Element>()
            copy = read(child, from: source, &spares) ?? unreadable(child)
        }
        if copy.epoch != epoch { touch(copy) }
        child.node = copy
        // That of a stored root is known only now.
        child.height = UInt8(copy.height)
        return copy
    }

    /// Reads a stored node, which nobody else has; nil, and noted as damage, if that cannot be done.
    private func read<Element: TreeElement>(
        _ child: TreeChild<Element>, from source: (any NodeSource)?, _ spares: inout SpareNodes<Element>
    ) -> TreeNode<Element>? {
        do {
            guard let source else { preconditionFailure("a node is neither in memory nor stored") }
            var node: TreeNode<Element>?
            var problem: NodeError?
            try source.readNode(child.stored) { bytes in
                do throws(NodeError) {
                    guard let bytes else { throw NodeError(child.stored, "it is missing") }
                    node = try NodeCoding.decode(bytes, child, limits, &spares)
                } catch { problem = error }
            }
            if let problem { throw problem }
            return node
        } catch {
            report(error)
            return nil
        }
    }

    /// A node in the place of one that cannot be read: below it are as many elements, all of which say so.
    ///
    /// An inner node has children that nothing is stored of either, so that a look makes a path of nodes however many
    /// elements are missing.
    private func unreadable<Element: TreeElement>(_ child: TreeChild<Element>) -> TreeNode<Element> {
        let count = max(1, Int(child.count))
        let isRoot = child.height == TreeChild<Element>.anyHeight
        var height = isRoot ? 0 : Int(child.height)
        // How many elements a child has in a tree of full nodes.
        var share = 1
        if isRoot {
            var room = limits.leafCapacity
            while room < count { (share, room, height) = (room, room * limits.innerCapacity, height + 1) }
        } else if height > 0 {
            share = limits.leafCapacity
            for _ in 1..<height where share < count { share *= limits.innerCapacity }
        }
        let width = min((count + share - 1) / share, Limits.nodeElements)
        let node = TreeNode<Element>.make(
            height: height, width: max(height == 0 ? count + 1 : width, limits.capacity(height: height)),
            number: child.number)
        // SAFETY: there is room for `count` elements or `width` children, and none is initialised.
        if height == 0 {
            node.isPlain = false
            node.elements.initialize(repeating: Element.unreadable(), count: count)
            node.count = count
            return node
        }
        for slot in 0..<width {
            let part = count * (slot + 1) / width - count * slot / width
            // Nothing is stored under 0, and no node of a tree has this place number.
            node.children.advanced(by: slot).initialize(
                to: TreeChild(
                    node: nil, stored: 0, count: UInt32(part), number: Limits.noPlaceNumber, hash: 0,
                    lowestDepth: 0, height: UInt8(height - 1)))
        }
        node.count = width
        return node
    }

    /// Calls `body` with the bytes that are stored under a number and whose checksum is right; nil if there are none.
    func withWords<Result>(_ number: UInt64, _ body: (inout NodeReader) -> Result) -> Result? {
        do {
            guard let source else { preconditionFailure("a page is neither in memory nor stored") }
            var result: Result?
            var problem: NodeError?
            try source.readNode(number) { bytes in
                do throws(NodeError) {
                    guard let bytes else { throw NodeError(number, "it is missing") }
                    guard NodeCoding.isIntact(bytes, number: number) else {
                        throw NodeError(number, "its checksum is wrong")
                    }
                    var reader = NodeReader(UnsafeRawBufferPointer(rebasing: bytes[NodeCoding.headerSize...]))
                    result = body(&reader)
                    if reader.remaining != 0 { reader.fail() }
                    if reader.isDamaged { throw NodeError(number, "its contents make no sense") }
                } catch { problem = error }
            }
            if let problem { throw problem }
            return result
        } catch {
            report(error)
            return nil
        }
    }
}
