// A list whose checkpoints are stored in a dictionary, which takes the place of a store's database.

@testable import ListModel
import Synchronization
import TestSupport

/// Nodes in a dictionary.
final class MemoryNodes: NodeSource {
    private let nodes = Mutex<[UInt64: [UInt8]]>([:])
    private let reads = Atomic<Int>(0)

    /// How many nodes and chunks were read.
    var readCount: Int { reads.load(ordering: .relaxed) }
    var count: Int { nodes.withLock { $0.count } }
    var numbers: [UInt64] { nodes.withLock { $0.keys.sorted() } }

    func readNode(_ number: UInt64, _ body: (UnsafeRawBufferPointer?) -> Void) throws {
        reads.add(1, ordering: .relaxed)
        let bytes = nodes.withLock { $0[number] }
        guard let bytes else { return body(nil) }
        return bytes.withUnsafeBytes { body($0) }
    }

    subscript(number: UInt64) -> [UInt8]? {
        get { nodes.withLock { $0[number] } }
        set { nodes.withLock { $0[number] = newValue } }
    }
}

extension TreeChild where Element: TreeElement {
    /// The node of a child, of which only these bytes are stored.
    func node(_ bytes: [UInt8], _ limits: TreeLimits) throws -> TreeNode<Element> {
        let nodes = MemoryNodes()
        nodes[stored] = bytes
        var spares = SpareNodes<Element>()
        return try NodeChain(self, from: nodes, limits, &spares).node(self, limits)
    }
}

/// A list, its log, its stored nodes and its checkpoints, each with the rows that it should have.
struct StoredList: ~Copyable {
    struct Kept {
        var checkpoint: Checkpoint
        var rows: ReferenceList
        /// Nodes that the checkpoint before has and this one does not have.
        var gone: [UInt64]
    }

    struct OutOfSpace: Error {}

    let nodes = MemoryNodes()
    var list: MemoryList
    private(set) var store: NodePool
    private(set) var kept: [Kept] = []
    private(set) var locators: StoredLocators?
    /// Those of nodes from the next reopening on.
    var limits: TreeLimits
    private let cacheSize: Int
    private let salt: UInt64?
    private(set) var nextNumber: UInt64 = 1

    init(_ limits: TreeLimits, cacheSize: Int = 1 << 20, salt: UInt64? = nil) {
        self.limits = limits
        self.cacheSize = cacheSize
        self.salt = salt
        store = NodePool(limits: limits, source: nodes, cacheSize: cacheSize, salt: salt)
        list = MemoryList()
        list.replace(ListState(store), checksum: 0)
    }

    /// Takes a checkpoint.
    ///
    /// - Parameter failing: after how many nodes writing fails; the list can still be edited then.
    mutating func checkpoint(budget: Int = .max, failingAfter failing: Int = .max) throws {
        let image = list.editor.state.captureCheckpoint(nextNumber: nextNumber)
        let nodes = self.nodes
        var count = 0
        var writer = CheckpointWriter(image) { number, bytes in
            count += 1
            if count > failing { throw OutOfSpace() }
            nodes[number] = Array(bytes)
        }
        let checkpoint: Checkpoint
        do {
            let last = image.version == .empty ? 0 : try list.log.commit(image.version).checksum
            checkpoint = try writer.write(
                eventCount: image.version.rawValue, work: image.version.rawValue, checksum: last,
                after: kept.last?.checkpoint, store)
        } catch {
            list.editor.state.restore(image)
            for number in nodes.numbers where number >= nextNumber { nodes[number] = nil }
            nextNumber = writer.nextNumber
            throw error
        }
        for number in image.retiredChunks { nodes[number] = nil }
        store = NodePool(after: store)
        list.editor.state.adopt(writer.written, store)
        _ = list.editor.state.evict(to: budget, olderThan: checkpoint.firstNumber)
        nextNumber = checkpoint.lastNumber + 1
        // Both rows are encoded and decoded, as in a store.
        let copy = checkpoint.bytes.withUnsafeBytes { Checkpoint($0, version: checkpoint.version) }
        locators = image.locators.bytes(checkpoint.version).withUnsafeBytes {
            StoredLocators($0, version: checkpoint.version)
        }
        kept.append(Kept(checkpoint: copy!, rows: try list.contents(), gone: writer.gone))
    }

    /// Begins again from the newest checkpoint, and replays the commits after it; the hash of the last version is
    /// always compared.
    mutating func reopen(_ check: ReplayCheck = .everyHash) throws {
        guard let newest = kept.last?.checkpoint, let locators else { return }
        store = NodePool(limits: limits, source: nodes, cacheSize: cacheSize, salt: salt)
        var state = ListState(newest, locators, store)
        var checksum = newest.checksum
        var version = newest.version
        while version < list.log.head {
            version = version.next
            checksum = try list.log.withRecord(of: version) {
                try state.replay(
                    $0, previousChecksum: checksum, check: version == list.log.head ? .everyHash : check)
            }
        }
        list.replace(state, checksum: checksum)
    }

    /// Drops a checkpoint other than the newest, and the nodes that only it had.
    mutating func drop(at index: Int) {
        let dropped = kept.remove(at: index)
        let before = index == 0 ? 0 : kept[index - 1].checkpoint.lastNumber
        for number in kept[index].gone where number > before { nodes[number] = nil }
        kept[index].gone = kept[index].gone.filter { $0 <= before } + dropped.gone
    }

    /// The rows of a checkpoint, from its stored nodes.
    func snapshot(at index: Int) -> UntypedSnapshot {
        kept[index].checkpoint.snapshot(store)
    }

    /// How many values the newest checkpoint needs: nodes, those that they are patches of, and chunks.
    var expectedCount: Int {
        get throws {
            guard let locators, let newest = kept.last?.checkpoint else { return 0 }
            let pool = NodePool(limits: limits, source: nodes)
            var numbers = NumberSet()
            try newest.snapshot(pool).checkNodes(&numbers)
            return [locators.items, locators.sections].reduce(numbers.count) { sum, root in
                sum + root.indexChunkCount + root.parentChunkCount + root.indexDirectories.count
                    + root.parentDirectories.count
            }
        }
    }
}
