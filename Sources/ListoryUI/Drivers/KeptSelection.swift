// Selected rows by id, so that they are still selected when a view has counted its rows anew.

import ListModel

/// The selected rows of a view, by id.
struct KeptSelection {
    private let ids: Set<Identifier>

    /// The rows at some paths.
    init(_ paths: [ListIndexPath], in snapshot: Snapshot) {
        ids = Set(paths.compactMap { snapshot.item(at: $0)?.id })
    }

    /// Whether nothing is selected.
    var isEmpty: Bool { ids.isEmpty }

    /// Where the rows are that are still there, ascending.
    ///
    /// - Complexity: O(n) until all are found; nothing without a selection.
    func paths(in snapshot: Snapshot) -> [ListIndexPath] {
        var found: [ListIndexPath] = []
        for (section, view) in snapshot.sections.enumerated() {
            for (item, row) in view.items.enumerated() {
                if found.count == ids.count { return found }
                if ids.contains(row.id) { found.append(ListIndexPath(section: section, item: item)) }
            }
        }
        return found
    }
}
