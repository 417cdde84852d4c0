// A persistent tree, the array that it should equal, and copies of older versions.

@testable import ListModel
import TestSupport
import Testing

/// Two trees that share a locator, each with its array, and older versions with their elements.
struct TreeHarness: ~Copyable {
    typealias Tree = PersistentTree<UntypedRow>

    private(set) var trees: [Tree]
    private(set) var arrays: [[UntypedRow]]
    private(set) var locator: Locator<UntypedRow>
    private var kept: [(tree: Tree, array: [UntypedRow])] = []
    private var nextID: Int64 = 0
    private let store: NodePool
    /// The greatest depth that new elements get; 0 for a list that is no outline.
    var greatestDepth = 0

    /// The number that the locator gives for the elements of a tree.
    private static func owner(_ which: Int) -> UInt32 { UInt32(which * 7 + 1) }

    init(_ limits: TreeLimits, trees count: Int = 1) {
        store = NodePool(limits: limits)
        locator = Locator(store)
        trees = Array(repeating: Tree(store), count: count)
        arrays = Array(repeating: [], count: count)
    }

    mutating func newItems(_ count: Int) -> [UntypedRow] {
        (0..<count).map { _ in
            nextID += 1
            let content = ContentReference(version: Version(1), offset: 0, length: 4, hash: UInt64(nextID) * 31)
            // Deep and shallow stretches, by an irregular rule.
            let depth = Int(nextID / 7 * 31 + nextID % 5) % (greatestDepth + 1)
            return UntypedRow(id: .integer(nextID), isChecked: false, content: content, depth: depth)
        }
    }

    // MARK: Edits

    mutating func insert(_ count: Int, at offset: Int, in which: Int = 0) {
        let items = newItems(count)
        items.withUnsafeBufferPointer { run in
            trees[which].insert(run, at: offset, owner: Self.owner(which), &locator)
        }
        arrays[which].insert(contentsOf: items, at: offset)
    }

    mutating func remove(_ range: Range<Int>, in which: Int = 0) {
        trees[which].remove(range, &locator)
        arrays[which].removeSubrange(range)
    }

    /// Tries to remove an element, and rejects it during the removal.
    mutating func rejectRemoval(_ offset: Int, in which: Int = 0) {
        var seen: UntypedID?
        let isRemoved = trees[which].top.remove(offset, store, &locator) { element in
            seen = element.pointee.id
            return false
        }
        #expect(!isRemoved && seen == arrays[which][offset].id, "element \(offset)")
    }

    mutating func toggle(_ offset: Int, in which: Int = 0) {
        let isChecked = !arrays[which][offset].isChecked
        trees[which].update(offset) { $0.setChecked(isChecked) }
        arrays[which][offset].setChecked(isChecked)
    }

    /// Changes the depth of one element, or of all elements of a range.
    mutating func setDepth(_ depth: Int, _ range: Range<Int>, in which: Int = 0) {
        trees[which].updateAll(in: range) { $0.changeDepth(by: depth - $0.depth) }
        for offset in range { arrays[which][offset].changeDepth(by: depth - arrays[which][offset].depth) }
    }

    /// Replaces a tree by one of `count` new elements, built at once.
    mutating func rebuild(_ count: Int, in which: Int = 0) {
        trees[which].detach(&locator)
        arrays[which] = newItems(count)
        trees[which] = Tree(arrays[which], store, owner: Self.owner(which), &locator)
    }

    // MARK: Checks

    /// Keeps the present version, as a snapshot does.
    mutating func keep(_ which: Int = 0) {
        trees[which].seal()
        kept.append((trees[which], arrays[which]))
    }

    /// Checks that the trees equal their arrays, and their invariants.
    func check(_ comment: @autoclosure () -> Comment) throws {
        var nodes = 0
        for which in trees.indices {
            try #require(trees[which].count == arrays[which].count, comment())
            try #require(trees[which].elements(in: trees[which].indices) == arrays[which], comment())
            nodes += try trees[which].checkInvariants(owner: Self.owner(which), locator)
        }
        try #require(nodes == locator.nodeCount, comment())
        try #require(locator.index.count == arrays.reduce(0) { $0 + $1.count }, comment())
    }

    /// Checks every element by the locator, the subscript, the cursor and the hash.
    mutating func checkLookups(_ comment: @autoclosure () -> Comment) throws {
        for which in trees.indices {
            for (offset, item) in arrays[which].enumerated() {
                try #require(offsets(of: item.id)[which] == offset, comment())
                try #require(trees[which][offset] == item, comment())
            }
            var cursor = TreeCursor(trees[which])
            var walked: [UntypedRow] = []
            while let item = cursor.next() { walked.append(item) }
            try #require(walked == arrays[which], comment())
            trees[which].seal()
            try #require(trees[which].hash == Self.hash(arrays[which]), comment())
        }
        // Numbers begin at 1.
        let absent: UntypedID = 0
        try #require(offsets(of: absent).allSatisfy { $0 == nil }, comment())
    }

    /// Checks searches by depth, from every place in both directions.
    func checkDepths(_ comment: @autoclosure () -> Comment) throws {
        for which in trees.indices {
            let depths = arrays[which].map(\.depth)
            for depth in -1...greatestDepth + 1 {
                for offset in 0...depths.count {
                    let first = (offset..<depths.count).first { depths[$0] <= depth }
                    try #require(trees[which].firstOffset(from: offset, notDeeperThan: depth) == first, comment())
                    let last = (0..<offset).last { depths[$0] <= depth }
                    try #require(trees[which].lastOffset(before: offset, notDeeperThan: depth) == last, comment())
                }
            }
        }
    }

    /// The offset of an id in each of the trees, as the locator leads to it.
    private func offsets(of id: UntypedID) -> [Int?] {
        trees.indices.map { which in
            locator.firstPath(hash: locator.hash(of: id)) { path, owner in
                owner == Self.owner(which) ? trees[which].top.offset(on: path, store) { $0.id == id } : nil
            }
        }
    }

    /// Checks that no kept version has changed its elements or its hash.
    func checkKept(_ comment: @autoclosure () -> Comment) throws {
        for (tree, array) in kept {
            try #require(tree.elements(in: tree.indices) == array, comment())
            try #require(tree.hash == Self.hash(array), comment())
        }
    }

    private static func hash(_ items: [UntypedRow]) -> UInt64 {
        items.reduce(0) { SequenceHash.add(SequenceHash.multiply($0, SequenceHash.base), $1.hash) }
    }
}

/// The widths that the tests of the tree run with.
enum TestLimits: CaseIterable, CustomTestStringConvertible {
    case fourFour, fourFive, fiveFour, wide

    var limits: TreeLimits {
        switch self {
        case .fourFour: TreeLimits(leafCapacity: 4, innerCapacity: 4)
        case .fourFive: TreeLimits(leafCapacity: 4, innerCapacity: 5)
        case .fiveFour: TreeLimits(leafCapacity: 5, innerCapacity: 4)
        case .wide: TreeLimits(leafCapacity: 32, innerCapacity: 32)
        }
    }

    var testDescription: String { "leaves of \(limits.leafCapacity), inner nodes of \(limits.innerCapacity)" }
}
