// The position of a row of the list in a view of it.

extension DerivedView {
    /// The position of a row of ``source`` in the view; nil if the view leaves it out.
    ///
    /// - Parameter path: where the row is in the source.
    /// - Complexity: O(log n) for each stage.
    public func indexPath(ofSource path: ListIndexPath) -> ListIndexPath? {
        guard source.item(at: path) != nil else { return nil }
        var path = path
        for level in levels {
            switch level.stage {
            case .arranged(let rows):
                guard let next = rows.position(ofSource: path) else { return nil }
                path = next
            case .visible(let visible):
                guard let next = visible.rows.position(ofSource: path) else { return nil }
                path = next
            case .first, .firstOfEachSection:
                // The first rows keep their positions.
                if level.output.item(at: path) == nil { return nil }
            }
        }
        return path
    }
}

extension ArrangedRows {
    /// The position of a row of the source in the view; nil if the view leaves it out. The source must have a row
    /// there.
    fileprivate func position(ofSource path: ListIndexPath) -> ListIndexPath? {
        let section = sources[path.section]
        return section.slots(pool)[path.item].rank(section.number).map(position(of:))
    }
}
