// Resolves selections and destinations of edits to index paths.

/// Consecutive rows of one section.
struct ItemRun: Equatable {
    /// The path of the first row.
    var path: ListIndexPath
    var count: Int

    /// The path of one of the rows.
    func path(_ index: Int) -> ListIndexPath {
        ListIndexPath(section: path.section, item: path.item + index)
    }

    func contains(_ other: ListIndexPath) -> Bool {
        other.section == path.section && other.item >= path.item && other.item < path.item + count
    }
}

/// A place between rows, for rows that are still elsewhere.
struct Gap {
    /// The place, counting all rows. The row there, if any, is not among the moved ones.
    var place: ListIndexPath
    /// The row there; nil at the end of the section.
    var anchor: UntypedID?

    /// The place, not counting the rows of `runs`.
    func path(without runs: ListRun<ItemRun>) -> ListIndexPath {
        var path = place
        for run in runs where run.path < place && run.path.section == place.section { path.item -= run.count }
        return path
    }
}

extension UntypedEditor {
    /// The rows of a selection as runs of consecutive rows, in the order of the list.
    func resolve(_ selection: ItemSelection) throws -> ListRun<ItemRun> {
        switch selection {
        case .item(let id):
            guard let path = state.indexPath(of: id) else { throw ListError.unknownItem(id) }
            return .one(ItemRun(path: path, count: 1))
        case .at(let path):
            try state.checkRange(path, count: 1)
            return .one(ItemRun(path: path, count: 1))
        case .run(let path, let count):
            guard count > 0 else { return .none }
            try state.checkRange(path, count: count)
            return .one(ItemRun(path: path, count: count))
        case .items(let ids):
            var paths: [ListIndexPath] = []
            for id in Set(ids) {
                guard let path = state.indexPath(of: id) else { throw ListError.unknownItem(id) }
                paths.append(path)
            }
            return ListRun(UntypedEditor.runs(paths.sorted())) ?? .none
        }
    }

    private static func runs(_ paths: [ListIndexPath]) -> [ItemRun] {
        var runs: [ItemRun] = []
        for path in paths {
            if let last = runs.last, last.path(last.count) == path {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(ItemRun(path: path, count: 1))
            }
        }
        return runs
    }

    /// The rows of a run.
    func items(in run: ItemRun) -> ListRun<UntypedRow> {
        state.items(inSectionAt: run.path.section, run.path.item..<run.path.item + run.count)
    }

    /// The path of an insertion.
    func insertionPath(_ destination: ItemDestination) throws -> ListIndexPath {
        try gap(destination, without: .none).place
    }

    /// The gap for a move.
    ///
    /// - Parameter runs: the rows that move, in the order of the list.
    func gap(_ destination: ItemDestination, without runs: ListRun<ItemRun>) throws -> Gap {
        switch destination {
        case .at(let path): return try gap(at: path, without: runs)
        case .section(let id, let index):
            return try gap(at: ListIndexPath(section: indexOfSection(id), item: index), without: runs)
        case .end(let id):
            let section = try indexOfSection(id)
            return Gap(
                place: ListIndexPath(section: section, item: state.itemCount(inSectionAt: section)), anchor: nil)
        case .before(let id): return try gap(beside: id, distance: 0, without: runs)
        case .after(let id): return try gap(beside: id, distance: 1, without: runs)
        }
    }

    private func gap(at path: ListIndexPath, without runs: ListRun<ItemRun>) throws -> Gap {
        try state.checkSection(path.section)
        var room = state.itemCount(inSectionAt: path.section)
        for run in runs where run.path.section == path.section { room -= run.count }
        guard path.item >= 0 && path.item <= room else {
            throw ListError.itemIndexOutOfRange(path, valid: 0..<room + 1)
        }
        // The runs ascend, and each run before the place shifts it.
        var place = path
        for run in runs where run.path.section == path.section && run.path.item <= place.item {
            place.item += run.count
        }
        return Gap(place: place, anchor: runs.count > 1 ? state.item(at: place)?.id : nil)
    }

    private func gap(beside id: UntypedID, distance: Int, without runs: ListRun<ItemRun>) throws -> Gap {
        guard var place = state.indexPath(of: id) else { throw ListError.unknownItem(id) }
        if runs.contains(where: { $0.contains(place) }) { throw ListError.movedOntoItself(id) }
        place.item += distance
        // The row after the anchor may itself be among the moved ones; then the place is after its run.
        while let run = runs.first(where: { $0.contains(place) }) { place.item = run.path.item + run.count }
        return Gap(place: place, anchor: runs.count > 1 ? state.item(at: place)?.id : nil)
    }

    func indexOfSection(_ id: UntypedID) throws -> Int {
        guard let index = state.indexOfSection(id) else { throw ListError.unknownSection(id) }
        return index
    }
}
