// The operations, splices and difference of a transition, in one layout.

/// The operations, the splices and the difference of a transition. The row difference is computed once for all three.
package struct SequenceChanges {
    /// The same as ``Transition/operations(layout:reloadAbove:)``.
    package let operations: RowOperations
    /// The same as ``Transition/splices(layout:)``.
    package let splices: RowSplices
    /// The same as ``Transition/collectionDifference(layout:)``.
    package let difference: CollectionDifference<RowIdentity>

    /// - Complexity: O(s + k log k) for s sections and k rows that differ.
    package init(_ transition: Transition, layout: RowLayout) {
        let difference = RowDifference(transition, layout)
        operations = difference.operations()
        splices = difference.splices()
        self.difference = difference.collectionDifference()
    }
}
