// The node pool of a list: the widths of its nodes, the source of stored nodes, and a cache of them.
//
// A snapshot of a stored list is a number and a summary. Its nodes are read lazily, and evicted from the cache when
// others need the memory.
//
// Reading a row cannot throw, because a snapshot is a value. So `reading` catches the error of a node that cannot be read,
// `report` counts and keeps it, and `unreadable` makes a placeholder, whose rows say so. A function that computes
// something from rows asks `checked` or `failure(since:)` afterwards, and throws. If the error says that the node is damaged,
// `damage` has it from then on, and nothing more is committed: reopening the list rebuilds the node from the log. After any
// other error, the next look reads the node again. `Docs/Design/Architecture.md` follows the error up to the app.
//
// Always holds:
// - a node in the cache is never written; to change it, an edit removes it from the cache or copies it;
// - a node that was read has the element count and the hash of its parent's summary, or a failure was counted.

import Synchronization

/// Keeps a checkpoint: while the lease is referenced, the nodes of the checkpoint stay in the file.
///
/// It is a separate object because it also has weak references. Reference counting of such an object takes twice as
/// long, and every edit retains and releases the `NodePool`.
package final class CheckpointLease: Sendable {
    package init() {}
}

/// The state that the trees of one list share.
///
/// Each checkpoint begins a new pool with the same cache. A tree keeps its pool alive, and the pool keeps the lease of
/// its checkpoint. A checkpoint whose lease is gone is therefore not used by any snapshot.
package final class NodePool: Sendable {
    /// The widths of the nodes.
    package let limits: TreeLimits
    /// The salt with which a new index hashes ids.
    let salt: UInt64
    /// A random number of this process, not 0.
    private static let processSalt = UInt64.random(in: 1 ... .max)
    /// The state that the pools of all checkpoints share.
    private let shared: Shared
    /// Keep the checkpoints whose nodes the trees may refer to: at most one, or those of both pools that were joined.
    private let leases: [CheckpointLease]
    private let currentEpoch = Atomic<UInt32>(1)
    private let touchedCount = Atomic<Int>(0)
    private let errors = Mutex(Errors())
    private let isDamaged = Atomic<Bool>(false)
    private let failures = Atomic<Int>(0)
    /// Whether somebody holds the version before the present edit. A guess: true if the edit had to copy a shared node.
    private let isWatched = Atomic<Bool>(false)
    /// Whether the version from which a replay begins is read once more after it: then nodes stay in the cache although the replay changes them.
    private let isReplayedAgain: Bool

    /// Why nodes could not be read.
    private struct Errors: Sendable {
        /// The first error that said that a node is damaged.
        var damage: (any Error)?
        var last: (any Error)?
    }

    private final class Shared: Sendable {
        /// The source of stored nodes; nil for a list in memory.
        let source: (any NodeSource)?
        /// The cached nodes.
        let items: NodeCache<UntypedRow>
        let sections: NodeCache<SectionEntry>

        init(_ source: (any NodeSource)?, cacheSize: Int) {
            self.source = source
            items = NodeCache(limit: cacheSize * 7 / 8)
            sections = NodeCache(limit: cacheSize / 8)
        }
    }

    /// A pool of nodes.
    ///
    /// - Parameters:
    ///   - limits: the widths of new nodes.
    ///   - source: the source of stored nodes.
    ///   - cacheSize: the size of the cache in bytes.
    ///   - salt: the salt with which a new index hashes ids; nil for the salt of the process.
    package init(
        limits: TreeLimits, source: (any NodeSource)? = nil, cacheSize: Int = 8 << 20, salt: UInt64? = nil
    ) {
        self.limits = limits
        self.salt = salt ?? NodePool.processSalt
        shared = Shared(source, cacheSize: cacheSize)
        leases = []
        isReplayedAgain = false
    }

    /// A pool for commits that are replayed twice from the same version: the second time finds the nodes in the cache.
    init(replayingAgain other: NodePool) {
        (limits, salt, shared, leases) = (other.limits, other.salt, other.shared, other.leases)
        isReplayedAgain = true
    }

    /// A pool for the versions after a checkpoint.
    ///
    /// - Parameter lease: keeps that checkpoint; nil if none of its nodes is used, or if another owner keeps it.
    package init(after other: NodePool, _ lease: CheckpointLease? = nil) {
        limits = other.limits
        salt = other.salt
        shared = other.shared
        leases = lease.map { [$0] } ?? []
        isReplayedAgain = false
        // The epoch continues, so that a node that was changed in an earlier epoch does not seem to be changed in this
        // one.
        currentEpoch.store(other.epoch, ordering: .relaxed)
        touchedCount.store(other.touched, ordering: .relaxed)
        // So does the count of failures: a check that began with the other pool may end with this one.
        failures.store(other.failureCount, ordering: .relaxed)
        isDamaged.store(other.isDamaged.load(ordering: .relaxed), ordering: .relaxed)
        errors.withLock { $0 = other.errors.withLock { $0 } }
    }

    /// A pool for a tree that is made of parts of two others; nil if their nodes have different sources.
    ///
    /// It has its own epoch and count of changes, so that edits of the joined tree do not affect the other pools. No checkpoint is
    /// taken of it, so its epoch is the last one: a node that was stored since an earlier one is not taken for one that was changed.
    init?(joining first: NodePool, _ second: NodePool) {
        guard first.source == nil || second.source == nil || first.source === second.source else { return nil }
        limits = first.limits
        salt = first.salt
        shared = first.source == nil ? second.shared : first.shared
        leases = first.leases + second.leases.filter { lease in !first.leases.contains { $0 === lease } }
        isReplayedAgain = false
        currentEpoch.store(.max, ordering: .relaxed)
        // Why a placeholder is one that may be in the trees.
        let last = first.errors.withLock { $0.last } ?? second.errors.withLock { $0.last }
        errors.withLock { $0.last = last }
    }

    /// The present epoch; each capture of a checkpoint begins one.
    @inline(__always)
    private var epoch: UInt32 { currentEpoch.load(ordering: .relaxed) }

    /// The number of nodes that were changed since the epoch began, each counted once. Replaying from the last
    /// checkpoint has to read as many.
    package var touched: Int { touchedCount.load(ordering: .relaxed) }

    /// Begins an epoch: later changes are not in the checkpoint that is captured.
    func beginEpoch() {
        touchedCount.store(0, ordering: .relaxed)
        currentEpoch.add(1, ordering: .relaxed)
    }

    var source: (any NodeSource)? { shared.source }
    var items: NodeCache<UntypedRow> { shared.items }
    var sections: NodeCache<SectionEntry> { shared.sections }

    /// The error of the first stored node that was found damaged, if any.
    package var damage: (any Error)? {
        isDamaged.load(ordering: .relaxed) ? errors.withLock { $0.damage } : nil
    }

    /// How many times a stored node could not be read, for ``failure(since:)``.
    package var failureCount: Int { failures.load(ordering: .relaxed) }

    /// The damage, or the error of a read that failed since there were so many failures; nil if there is neither.
    @inline(__always)
    package func failure(since count: Int) -> (any Error)? {
        if !isDamaged.load(ordering: .relaxed) && failureCount == count { return nil }
        return errors.withLock { $0.damage ?? $0.last }
    }

    /// Runs `body`, and throws if nodes could not be read meanwhile, because its result or its error then comes from
    /// placeholders.
    package func checked<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        let count = failureCount
        do {
            let result = try body()
            if let failure = failure(since: count) { throw failure }
            return result
        } catch {
            throw failure(since: count) ?? error
        }
    }

    /// Records that a stored node cannot be read.
    package func report(_ error: any Error) {
        let isDamage = error is NodeError || source?.saysDamage(error) ?? true
        errors.withLock { errors in
            errors.last = error
            if isDamage { errors.damage = errors.damage ?? error }
        }
        if isDamage { isDamaged.store(true, ordering: .relaxed) }
        failures.add(1, ordering: .relaxed)
    }
}

// MARK: - Reading nodes

extension NodePool {
    /// The node of a child, for reading.
    @inline(__always)
    func node<Element: TreeElement>(_ child: TreeChild<Element>) -> TreeNode<Element> {
        if let node = child.node { return node }
        return storedNode(child)
    }

    @inline(never)
    private func storedNode<Element: TreeElement>(_ child: TreeChild<Element>) -> TreeNode<Element> {
        let cache = Element.cache(of: self)
        if let node = cache[child.key] { return node }
        var spares = SpareNodes<Element>()
        // A placeholder for a damaged node is not cached, so that every pool that reads the node reports the damage.
        guard let node = read(child, from: source, &spares) else { return unreadable(child) }
        cache.insert(node, child.key)
        return node
    }

    /// A node for a scan over many nodes: reading it does not evict others from the cache.
    ///
    /// - Parameters:
    ///   - scan: the source to read from, a result of `scans(with:)`.
    ///   - spares: nodes that can be reused.
    @inline(never)
    func passingNode<Element: TreeElement>(
        _ child: TreeChild<Element>, _ scan: (any NodeSource)?, _ spares: inout SpareNodes<Element>
    ) -> TreeNode<Element> {
        if let node = child.node ?? Element.cache(of: self)[child.key] { return node }
        return read(child, from: scan, &spares) ?? unreadable(child)
    }

    /// The sources of the nodes of this pool and of another one, for one thread that reads many of them.
    ///
    /// With two different sources there is no scan, and each node is read on its own: a scan of one source must not
    /// stay open while the thread waits for the other.
    func scans(with other: NodePool) -> (own: (any NodeSource)?, other: (any NodeSource)?) {
        if let source, let otherSource = other.source, source !== otherSource { return (source, otherSource) }
        let scan = (source ?? other.source)?.scan()
        return (scan, scan)
    }

    /// Makes the node of a child writable (copy on write): the present node if it is uniquely referenced, otherwise a
    /// copy.
    ///
    /// - Returns: the node, unretained; `child` keeps it alive. Counting references on every level would take longer
    ///   than the edit.
    @inline(__always)
    func makeUnique<Element: TreeElement>(_ child: inout TreeChild<Element>) -> Unmanaged<TreeNode<Element>> {
        if isKnownUniquelyReferenced(&child.node) {
            let node = Unmanaged.passUnretained(child.node.unsafelyUnwrapped)
            node._withUnsafeGuaranteedRef { if $0.epoch != epoch { touch($0) } }
            // Every edit passes through the tree of sections first, so this clears the flag for the new edit.
            if Element.self == SectionEntry.self { note(isWatched: false) }
            return node
        }
        return Unmanaged.passUnretained(makeCopy(&child))
    }

    @inline(__always)
    private func note(isWatched: Bool) {
        // Writes only a different value, because other threads read from the same cache line.
        if self.isWatched.load(ordering: .relaxed) != isWatched { self.isWatched.store(isWatched, ordering: .relaxed) }
    }

    /// Counts a node that is changed for the first time since the epoch began.
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
        } else if isReplayedAgain || isWatched.load(ordering: .relaxed) {
            // The version before is still held: usually a view shows it, and compares it with this one next. So the
            // node stays in the cache: reading it again takes ten times as long as copying it.
            let node = storedNode(child)
            copy = node.copy(width: max(node.width, limits.capacity(height: node.height)))
        } else if var node = Element.cache(of: self).take(child.key) {
            // Usually there is no other reference to the node; then it is changed without a copy.
            let isFree = isKnownUniquelyReferenced(&node)
            copy = isFree ? node : node.copy(width: limits.capacity(height: node.height))
        } else {
            var spares = SpareNodes<Element>()
            copy = read(child, from: source, &spares) ?? unreadable(child)
        }
        if copy.epoch != epoch { touch(copy) }
        child.node = copy
        // The height of a stored root is known only after reading it.
        child.height = UInt8(copy.height)
        return copy
    }

    /// Reads a stored node into a new, uniquely referenced one. Reports damage and returns nil if the node cannot be
    /// read.
    private func read<Element: TreeElement>(
        _ child: TreeChild<Element>, from source: (any NodeSource)?, _ spares: inout SpareNodes<Element>
    ) -> TreeNode<Element>? {
        // The child of a placeholder: it is as unreadable as that was, and no more damaged.
        if child.stored == 0, let error = errors.withLock({ $0.last }) {
            report(error)
            return nil
        }
        return reading(from: source) { try NodeChain(child, from: $0, limits, &spares).node(child, limits) }
    }

    /// Reads from a source. Reports the error and returns nil if that fails.
    @inline(__always)
    private func reading<Result: ~Copyable>(
        from source: (any NodeSource)?, _ body: (any NodeSource) throws -> Result
    ) -> Result? {
        guard let source else { preconditionFailure("neither in memory nor stored") }
        do { return try body(source) } catch {
            report(error)
            return nil
        }
    }

    /// The stored values of a node. Reports damage and returns nil if they cannot be read.
    func chain<Element: TreeElement>(of child: TreeChild<Element>) -> NodeChain<Element>? {
        var spares = SpareNodes<Element>()
        return reading(from: source) { try NodeChain(child, from: $0, limits, &spares) }
    }

    /// The numbers of the stored values of a node. Reports damage and returns none if they cannot be read.
    func storedNumbers(of child: TreeChild<UntypedRow>) -> [UInt64] {
        reading(from: source) { try NodeChain<UntypedRow>.numbers(from: child.stored, $0) } ?? []
    }

    /// A placeholder for a node that cannot be read. It has as many elements below it, all of them unreadable.
    ///
    /// The children of an inner placeholder are not stored either. They are made lazily, so that an access makes one
    /// path of nodes, however many elements are missing.
    private func unreadable<Element: TreeElement>(_ child: TreeChild<Element>) -> TreeNode<Element> {
        let count = max(1, Int(child.count))
        let isRoot = child.height == TreeChild<Element>.anyHeight
        var height = isRoot ? 0 : Int(child.height)
        // The number of elements below a child in a tree of full nodes.
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
            // No node is stored under 0, and no node of a tree has this node number.
            node.children.advanced(by: slot).initialize(
                to: TreeChild(
                    node: nil, stored: 0, count: UInt32(part), number: Limits.noPlaceNumber, hash: 0,
                    lowestDepth: 0, height: UInt8(height - 1)))
        }
        node.count = width
        return node
    }

    /// Calls `body` with the bytes that are stored under a number, after checking their checksum; nil if they are
    /// missing or damaged.
    func withWords<Result>(_ number: UInt64, _ body: (inout NodeReader) -> Result) -> Result? {
        reading(from: source) { source in
            try NodeCoding.withValue(number, from: source) { bytes throws(NodeError) in
                var reader = NodeReader(UnsafeRawBufferPointer(rebasing: bytes[NodeCoding.headerSize...]))
                let result = body(&reader)
                if reader.remaining != 0 { reader.fail() }
                if reader.isDamaged { throw NodeError(number, "its contents make no sense") }
                return result
            }
        }
    }
}
