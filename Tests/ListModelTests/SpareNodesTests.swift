// Tests nodes whose memory is used again while versions are compared.

import Testing

@testable import ListModel

@Suite("Spare nodes")
struct SpareNodesTests {
    @Test("A node without other references is used again, and is like a new one")
    func usedAgain() {
        var spares = SpareNodes<UntypedRow>()
        let address = putLeaf(into: &spares)
        let node = spares.take(height: 0, width: 3, number: 9)
        #expect(ObjectIdentifier(node) == address)
        #expect(node.count == 0 && node.number == 9 && node.width == 4 && node.isPlain && node.stored == 0)
        #expect(ObjectIdentifier(spares.take(height: 0, width: 3, number: 9)) != address)
    }

    /// Stores a spare leaf whose rows have ids with references.
    private func putLeaf(into spares: inout SpareNodes<UntypedRow>) -> ObjectIdentifier {
        putNode(height: 0, into: &spares) { node in
            for slot in 0..<3 { node.elements.advanced(by: slot).initialize(to: .unreadable()) }
            node.count = 3
            node.isPlain = false
            node.stored = 7
        }
    }

    /// Makes a node, and stores it as a spare node when it is filled and has no other reference.
    private func putNode(
        height: Int, into spares: inout SpareNodes<UntypedRow>, _ fill: (TreeNode<UntypedRow>) -> Void
    ) -> ObjectIdentifier {
        let node = spares.take(height: height, width: 4, number: 1)
        fill(node)
        let address = ObjectIdentifier(node)
        spares.put(node)
        return address
    }

    @Test("An inner node is used again at another height, and never as a leaf")
    func heights() {
        var spares = SpareNodes<UntypedRow>()
        let address = putNode(height: 1, into: &spares) { node in
            let leaf = TreeNode<UntypedRow>.make(height: 0, width: 4, number: 2)
            node.children.initialize(
                to: TreeChild(node: leaf, stored: 0, count: 1, number: 2, hash: 0, lowestDepth: 0, height: 0))
            node.count = 1
        }
        #expect(ObjectIdentifier(spares.take(height: 0, width: 4, number: 1)) != address)
        let node = spares.take(height: 3, width: 4, number: 2)
        #expect(ObjectIdentifier(node) == address)
        #expect(node.height == 3 && node.count == 0 && !node.isPlain)
    }

    @Test("A node with another reference, or one that is too narrow, is not used again")
    func unfit() {
        var spares = SpareNodes<UntypedRow>()
        let shared = TreeNode<UntypedRow>.make(height: 0, width: 4, number: 1)
        spares.put(shared)
        #expect(spares.take(height: 0, width: 4, number: 2) !== shared)
        let narrow = putLeaf(into: &spares)
        #expect(ObjectIdentifier(spares.take(height: 0, width: 5, number: 3)) != narrow)
        #expect(shared.number == 1)
    }
}
