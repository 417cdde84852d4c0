// Visible rows follow a changeset.
//
// A change can hide or show only rows near it: those below a row that came, moved, or changed its depth or whether it is
// collapsed, and those that were below a row that went. Both are runs, which end at the first row that is not deeper. Such
// a run is a *region*; inside regions the visible rows are compared with those that are shown, everywhere else they stay.
//
// Always holds: before a region is looked at, everything before it is as in the new source; after the last, all is.

extension VisibleHead {
    /// Makes the rows those that are visible in another snapshot.
    ///
    /// - Parameters:
    ///   - changes: what leads from the old source, whose visible rows these are, to the new one.
    /// - Throws: ``ListError`` if rows cannot be found by their ids, because the source has rows that cannot be read.
    func follow(_ changes: Changeset, from old: Snapshot, to new: Snapshot) throws {
        // Rows that move are taken out, and come in where they go.
        let gone = Set(changes.sections.deleted)
        for path in changes.items.deleted + changes.items.moved.map(\.from) where !gone.contains(path.section) {
            try remove(old, path)
        }
        for index in changes.sections.deleted.reversed() {
            let place = try indexOfSection(old.sections[index].id)
            try state.apply(.sectionDeleted(at: place, state.sectionEntry(at: place).contents(state.store)))
        }
        try placeSections(changes, new)
        let steps = SourceSteps(changes, from: old, to: new)
        for index in steps.sections.sorted() {
            let outline = new.sections[index].outline
            for region in steps.regions(inSection: index) { try show(region, of: outline, inSection: index) }
        }
    }

    private func remove(_ old: Snapshot, _ path: ListIndexPath) throws {
        guard let item = old.item(at: path), let place = state.indexPath(of: item.id) else { return }
        try state.apply(.itemsDeleted(at: place, .one(item)))
    }

    private func indexOfSection(_ id: Identifier) throws -> Int {
        guard let index = state.indexOfSection(id) else { throw ListError.unknownSection(id) }
        return index
    }

    private func placeSections(_ changes: Changeset, _ new: Snapshot) throws {
        for index in (changes.sections.inserted + changes.sections.moved.map(\.to)).sorted() {
            let section = new.sections[index]
            var place = index == 0 ? 0 : try indexOfSection(new.sections[index - 1].id) + 1
            if let source = state.indexOfSection(section.id) {
                if source < place { place -= 1 }
                try state.apply(.sectionMoved(from: source, to: place, section.id))
            } else {
                try state.apply(
                    .sectionInserted(at: place, ListSection(id: section.id, title: section.title, items: [])))
            }
        }
        for index in changes.sections.updated {
            let section = new.sections[index]
            let title = state.sectionEntry(at: index).title
            try state.apply(.sectionRenamed(at: index, section.id, old: title, new: section.title))
        }
    }

    // MARK: Regions

    /// Shows the rows of a region that are visible, and no others of it.
    private func show(_ region: Range<Int>, of outline: SectionOutline, inSection index: Int) throws {
        var start = 0
        if let before = outline.lastVisible(before: region.lowerBound) {
            start = try shownIndex(outline.items[before].id, inSection: index) + 1
        }
        var wanted: [ListItem] = []
        var end = state.itemCount(inSection: index)
        var rows = outline.visibleRows(from: region.lowerBound)
        while let row = rows.next() {
            let item = outline.items[row]
            if row < region.upperBound {
                wanted.append(item)
            } else if let path = state.indexPath(of: item.id), path.section == index {
                // Others are in a later region, and not shown yet.
                end = path.item
                break
            }
        }
        guard start <= end else { throw ListError.unknownItem(outline.items[region.lowerBound].id) }
        try replace(start..<end, with: wanted, inSection: index)
    }

    private func shownIndex(_ id: Identifier, inSection index: Int) throws -> Int {
        guard let path = state.indexPath(of: id), path.section == index else { throw ListError.unknownItem(id) }
        return path.item
    }

    /// Puts rows into the place of others, leaving those alone that are the same; both are in one order.
    private func replace(_ range: Range<Int>, with wanted: [ListItem], inSection index: Int) throws {
        let ids = Set(wanted.map(\.id))
        let present = Array(state.items(inSection: index, range))
        var end = present.count
        while end > 0 {
            var first = end
            while first > 0 && !ids.contains(present[first - 1].id) { first -= 1 }
            if let run = Run(Array(present[first..<end])) {
                try state.apply(.itemsDeleted(at: path(range.lowerBound + first, index), run))
            }
            end = first
            while end > 0 && ids.contains(present[end - 1].id) { end -= 1 }
        }
        var staying = present.lazy.filter { ids.contains($0.id) }.makeIterator()
        var next = staying.next()
        var place = range.lowerBound
        var coming: [ListItem] = []
        func insertComing() throws {
            guard let run = Run(coming) else { return }
            try state.apply(.itemsInserted(at: path(place, index), run))
            place += coming.count
            coming.removeAll()
        }
        for item in wanted {
            guard let shown = next, shown.id == item.id else {
                coming.append(item)
                continue
            }
            try insertComing()
            if shown != item || shown.content != item.content {
                try state.apply(.itemsDeleted(at: path(place, index), .one(shown)))
                try state.apply(.itemsInserted(at: path(place, index), .one(item)))
            }
            place += 1
            next = staying.next()
        }
        try insertComing()
    }

    private func path(_ row: Int, _ section: Int) -> ListIndexPath { ListIndexPath(section: section, item: row) }
}

extension SectionOutline {
    /// The last visible row before an index; nil if there is none.
    fileprivate func lastVisible(before row: Int) -> Int? {
        row == 0 ? nil : outermostCollapsed(above: row - 1) ?? row - 1
    }

    /// The visible rows at and after an index.
    fileprivate func visibleRows(from row: Int) -> Visible {
        var rows = visibleRows
        rows.upcoming = row
        if row < tree.count, let ancestor = outermostCollapsed(above: row) {
            rows.upcoming = subtree(of: ancestor).upperBound
        }
        return rows
    }

    /// Of the collapsed ancestors of a row, that which is visible itself.
    private func outermostCollapsed(above row: Int) -> Int? {
        var outermost: Int?
        var next = parent(of: row)
        while let ancestor = next {
            if tree[ancestor].isCollapsed { outermost = ancestor }
            next = parent(of: ancestor)
        }
        return outermost
    }
}
