// All that views without sections are told of a transition, in one layout.

/// The steps, the splices and the difference of a transition, for who plays all of them: what differs is found out once.
package struct SequenceChanges {
    /// As ``Transition/steps(layout:reloadAbove:)`` gives them.
    package let steps: RowOperations
    /// As ``Transition/splices(layout:)`` gives them.
    package let splices: RowSplices
    /// As ``Transition/collectionDifference(layout:)`` gives it.
    package let difference: CollectionDifference<RowIdentity>

    /// - Complexity: O(s + k log k) for s sections and k rows that differ.
    package init(_ transition: Transition, layout: RowLayout) {
        let difference = RowDifference(transition, layout)
        steps = difference.steps()
        splices = difference.splices()
        self.difference = difference.collectionDifference()
    }
}
