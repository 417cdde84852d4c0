// A stage that shows some sections of its source.
//
// Always holds: the stage has the chosen sections that the source has, in its order, with all their rows.

/// Some sections of a source.
struct ChosenSections: Sendable {
    private let ids: Set<UntypedID>
    /// The offsets of the sections in the source, ascending.
    private let offsets: [Int]
    private var sections: ShownSections

    /// The sections of these ids.
    ///
    /// - Complexity: O(s) for s sections of the source.
    init(_ ids: Set<UntypedID>, of source: UntypedSnapshot) {
        self.ids = ids
        let all = source.tree.elements(in: source.tree.indices)
        let offsets = all.indices.filter { ids.contains(all[$0].id) }
        self.offsets = offsets
        sections = ShownSections(offsets.map { all[$0] }, of: source)
    }

    /// The rows, as those of the source's version.
    func snapshot(of source: UntypedSnapshot) -> UntypedSnapshot { sections.snapshot(of: source) }

    /// Follows the source from one snapshot to another.
    ///
    /// - Complexity: O(log n) for each section that differs; O(s) if sections come, go or move.
    mutating func advance(from old: UntypedSnapshot, to new: UntypedSnapshot) {
        let difference = TreeDifference(from: old.tree, to: new.tree)
        if (difference.old + difference.new).contains(where: { $0.element != nil }) {
            self = ChosenSections(ids, of: new)
            return
        }
        sections.edit(for: new) { [offsets] tree, itemCount in
            for change in difference.changed {
                guard let index = offsets.sortedIndex(of: change.newOffset) else { continue }
                itemCount += change.new.itemCount - change.old.itemCount
                tree.update(index) { $0 = change.new }
            }
        }
    }

    /// The index of a section of the source in the stage; nil if it is not chosen.
    ///
    /// - Complexity: O(log c) for c chosen sections.
    func index(ofSource offset: Int) -> Int? { offsets.sortedIndex(of: offset) }
}
