// Where an id is at the head: from id to leaf, from a node to its parent.
//
// Every node of the head's trees has a number. The locator knows for each number the node that stands there now and
// the number of its parent; a node that is copied before a change takes over its number, so that copying a leaf costs
// the index nothing. Snapshots share nodes with the head but not the locator: it exists once, for the newest version.
//
// Always holds: `nodes[number]` is the node that a walk from the root reaches; `parents[number]` is the number of the
// inner node above it or, for a root, `ownerFlag | owner`, where the owner is the number of the section.

struct Locator<Element: TreeElement>: ~Copyable {
    /// Marks the parent of a root.
    static var ownerFlag: UInt32 { 1 << 31 }

    /// Where ids are found.
    var index = IdentifierIndex()
    private var nodes: [Unmanaged<TreeNode<Element>>?] = []
    private var parents: [UInt32] = []
    private var freeNumbers: [UInt32] = []

    /// A number for a new node.
    mutating func makeNumber() -> UInt32 {
        if let number = freeNumbers.popLast() { return number }
        nodes.append(nil)
        parents.append(0)
        return UInt32(nodes.count - 1)
    }

    /// Gives the number of a node that left the tree back.
    mutating func free(_ number: UInt32) {
        nodes[Int(number)] = nil
        freeNumbers.append(number)
    }

    /// Notes which node stands at its number now.
    @inline(__always)
    mutating func place(_ node: TreeNode<Element>) {
        nodes[Int(node.number)] = Unmanaged.passUnretained(node)
    }

    @inline(__always)
    mutating func setParent(_ parent: UInt32, of number: UInt32) {
        parents[Int(number)] = parent
    }

    @inline(__always)
    func parent(of number: UInt32) -> UInt32 { parents[Int(number)] }

    /// The node that stands at `number`.
    @inline(__always)
    func node(_ number: UInt32) -> TreeNode<Element> {
        // SAFETY: the head's trees keep every node alive that a number in use stands for.
        nodes[Int(number)]!.takeUnretainedValue()
    }

    /// Calls `body` with the node that stands at `number`, without counting a reference.
    @inline(__always)
    private func withNode<Result>(_ number: UInt32, _ body: (TreeNode<Element>) -> Result) -> Result {
        // SAFETY: the head's trees keep every node alive that a number in use stands for.
        nodes[Int(number)]!._withUnsafeGuaranteedRef(body)
    }

    /// How many numbers are in use.
    var nodeCount: Int { nodes.count - freeNumbers.count }
}

extension Locator {
    /// Where an element is: the owner of its tree and its offset there.
    struct Place: Equatable {
        var owner: UInt32
        var offset: Int
    }

    /// The place of an id, if it is in one of the trees.
    ///
    /// - Complexity: O(log n) expected.
    func place(of id: Identifier, hash: UInt64) -> Place? {
        var slot = 0
        let found = index.firstLeaf(hash: hash) { number in
            guard let match = withNode(number, { Locator.slot(of: id, in: $0) }) else { return false }
            slot = match
            return true
        }
        guard let leaf = found else { return nil }
        var offset = slot
        var number = leaf
        while true {
            let parent = parents[Int(number)]
            if parent & Locator.ownerFlag != 0 {
                return Place(owner: parent & ~Locator.ownerFlag, offset: offset)
            }
            offset &+= withNode(parent) { Locator.offset(of: number, in: $0) }
            number = parent
        }
    }

    /// The element of an id, if it is in one of the trees.
    ///
    /// - Complexity: O(1) expected.
    func element(_ id: Identifier, hash: UInt64) -> Element? {
        var result: Element?
        _ = index.firstLeaf(hash: hash) { number in
            result = withNode(number) { leaf in Locator.slot(of: id, in: leaf).map { leaf.elements[$0] } }
            return result != nil
        }
        return result
    }

    /// Whether an id is in one of the trees.
    @inline(__always)
    func contains(_ id: Identifier, hash: UInt64) -> Bool {
        index.firstLeaf(hash: hash) { number in
            withNode(number) { Locator.slot(of: id, in: $0) != nil }
        } != nil
    }

    /// How many elements lie before child `number` of an inner node.
    private static func offset(of number: UInt32, in parent: TreeNode<Element>) -> Int {
        let children = parent.children
        var before = 0
        var slot = 0
        while children[slot].number != number {
            before &+= Int(children[slot].count)
            slot &+= 1
        }
        return before
    }

    private static func slot(of id: Identifier, in leaf: TreeNode<Element>) -> Int? {
        let elements = leaf.elements
        // Integers are by far the most frequent, and compared without a look at what else an id may be.
        if case .integer(let wanted) = id {
            for slot in 0..<leaf.count {
                if case .integer(let found) = elements[slot].id, found == wanted { return slot }
            }
            return nil
        }
        for slot in 0..<leaf.count where elements[slot].id == id { return slot }
        return nil
    }
}
