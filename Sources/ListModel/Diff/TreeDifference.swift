// Where two versions of a tree differ: the elements that are not in a subtree which both share.
//
// Both trees are opened level by level from the top. What both have in common at the front and at the back of a level
// is set aside by comparing node identities; what is left in the middle is matched by identity, and only nodes that the
// other tree does not have are opened. Shared subtrees are therefore never visited, however large they are.
//
// Always holds: the pieces of one side, in order, are all elements of that tree between the common front and back;
// a piece `shared` on one side is `shared` on the other, with the same node.

/// A part of a tree: a node that is yet to be compared, a node that both trees have, or a single element.
struct TreePiece<Element: TreeElement> {
    enum Kind {
        case node(TreeNode<Element>)
        case shared(TreeNode<Element>)
        case element(Element)
    }

    var kind: Kind
    /// The offset of its first element in its tree.
    var start: Int
    /// How many elements it has.
    var count: Int

    /// Whether both are the same node or elements of the same id.
    func isSame(as other: TreePiece) -> Bool {
        switch (kind, other.kind) {
        case (.node(let left), .node(let right)), (.shared(let left), .shared(let right)): left === right
        case (.element(let left), .element(let right)): left.id == right.id
        default: false
        }
    }
}

/// The parts in which two versions of a tree differ.
struct TreeDifference<Element: TreeElement> {
    private(set) var old: [TreePiece<Element>] = []
    private(set) var new: [TreePiece<Element>] = []
    /// Elements with the same neighbours in both versions; they stay, but may have changed.
    private(set) var paired: [(old: TreePiece<Element>, new: TreePiece<Element>)] = []

    /// Compares two versions of a tree.
    ///
    /// - Complexity: O(k · w · log n) for k elements that differ, in nodes of width w.
    init(from oldTree: PersistentTree<Element>, to newTree: PersistentTree<Element>) {
        if oldTree.root === newTree.root { return }
        if let root = oldTree.root { old = [TreePiece(kind: .node(root), start: 0, count: oldTree.count)] }
        if let root = newTree.root { new = [TreePiece(kind: .node(root), start: 0, count: newTree.count)] }
        while true {
            trim()
            let height = max(Self.height(old), Self.height(new))
            if height < 0 { break }
            shareNodes(atHeight: height)
            old = Self.open(old, height)
            new = Self.open(new, height)
        }
    }

    /// Sets aside what both sides have in common at the front and at the back.
    private mutating func trim() {
        let most = min(old.count, new.count)
        var front = 0
        while front < most && old[front].isSame(as: new[front]) { front += 1 }
        var back = 0
        while back < most - front && old[old.count - 1 - back].isSame(as: new[new.count - 1 - back]) { back += 1 }
        if front == 0 && back == 0 { return }
        for index in 0..<front { pair(old[index], new[index]) }
        for index in stride(from: back, to: 0, by: -1) { pair(old[old.count - index], new[new.count - index]) }
        old = Array(old[front..<old.count - back])
        new = Array(new[front..<new.count - back])
    }

    private mutating func pair(_ old: TreePiece<Element>, _ new: TreePiece<Element>) {
        if case .element = old.kind { paired.append((old, new)) }
    }

    /// The height of the highest node that is yet to be compared; −1 if there is none.
    private static func height(_ pieces: [TreePiece<Element>]) -> Int {
        var height = -1
        for piece in pieces {
            if case .node(let node) = piece.kind { height = max(height, node.height) }
        }
        return height
    }

    /// Marks the nodes of this height that both sides have.
    private mutating func shareNodes(atHeight height: Int) {
        var positions: [ObjectIdentifier: Int] = [:]
        for (index, piece) in old.enumerated() {
            if case .node(let node) = piece.kind, node.height == height { positions[ObjectIdentifier(node)] = index }
        }
        // One node against one node: trimming has shown already that they differ.
        if positions.isEmpty || (old.count == 1 && new.count == 1) { return }
        for index in new.indices {
            guard case .node(let node) = new[index].kind, let match = positions[ObjectIdentifier(node)] else { continue }
            new[index].kind = .shared(node)
            old[match].kind = .shared(node)
        }
    }

    /// Replaces the unshared nodes of this height by what they hold.
    private static func open(_ pieces: [TreePiece<Element>], _ height: Int) -> [TreePiece<Element>] {
        var result: [TreePiece<Element>] = []
        result.reserveCapacity(pieces.count + 64)
        for piece in pieces {
            guard case .node(let node) = piece.kind, node.height == height else {
                result.append(piece)
                continue
            }
            var start = piece.start
            for slot in 0..<node.count {
                if height == 0 {
                    result.append(TreePiece(kind: .element(node.elements[slot]), start: start, count: 1))
                } else {
                    let child = node.children[slot]
                    result.append(TreePiece(kind: .node(child.node), start: start, count: Int(child.count)))
                }
                start = result[result.count - 1].start + result[result.count - 1].count
            }
        }
        return result
    }
}

extension TreeNode {
    /// Calls `body` with every element below the node, in order.
    func forEachElement(_ body: (Element) -> Void) {
        if isLeaf {
            for slot in 0..<count { body(elements[slot]) }
        } else {
            for slot in 0..<count { children[slot].node.forEachElement(body) }
        }
    }
}
