// Computes and makes the edits that lead to given rows: the counterpart of applying a snapshot.
//
// Sections first, then the rows of each section. The elements of a longest increasing subsequence stay; every other
// element is moved after its new predecessor. Runs of rows are moved together. Unwanted sections are deleted last,
// after the rows that go elsewhere have left them.
//
// Always holds: a row that exists before and after is moved and updated at most, never deleted and inserted. No event
// is made for what is there already.

extension UntypedEditor {
    /// Changes the list to the given sections and rows with the fewest moves, not with a reload.
    ///
    /// ```swift
    /// try editor.apply([NewSection(id: "today", title: "Today", items: rows)])
    /// ```
    ///
    /// - Parameter sections: all wanted sections with all their rows.
    /// - Throws: ``ListError`` if an id occurs twice or a depth is out of range, or an error of the log if the present
    ///   content cannot be read. The list is then unchanged.
    /// - Complexity: O(n) for the comparison, and O(k log n) for k rows that differ.
    public mutating func apply(_ sections: [NewSection]) throws {
        try UntypedEditor.check(sections)
        try atomically { editor in
            let fresh = editor.freshIDs(sections)
            let gone = try editor.placeSections(sections, fresh)
            let wanted = Set(sections.lazy.flatMap(\.items).map(\.id))
            try editor.place(sections, wanted, fresh)
            for id in gone.reversed() { try editor.deleteSection(.section(id)) }
            for section in sections { try editor.updateRows(section, fresh) }
        }
    }

    /// Changes the rows of one section to the given rows, with the fewest moves.
    ///
    /// - Parameters:
    ///   - items: all wanted rows of the section.
    ///   - id: the section.
    /// - Throws: as ``apply(_:)``; ``ListError/unknownSection(_:)``; ``ListError/duplicateItem(_:)`` if another section
    ///   has one of the rows.
    /// - Complexity: O(m) for the comparison of the m rows of the section, and O(k log n) for k rows that differ.
    public mutating func apply(_ items: [NewRow], toSection id: UntypedID) throws {
        let index = try indexOfSection(id)
        let section = NewSection(id: id, title: state.sectionEntry(at: index).title, items: items)
        try UntypedEditor.check([section])
        for item in items {
            if let path = state.indexPath(of: item.id), path.section != index {
                throw ListError.duplicateItem(item.id)
            }
        }
        try atomically { editor in
            let fresh = editor.freshIDs([section])
            try editor.place([section], Set(items.map(\.id)), fresh)
            try editor.updateRows(section, fresh)
        }
    }

    private static func check(_ sections: [NewSection]) throws {
        var sectionIDs = Set<UntypedID>()
        var itemIDs = Set<UntypedID>()
        for section in sections {
            if !sectionIDs.insert(section.id).inserted { throw ListError.duplicateSection(section.id) }
            for item in section.items {
                if !itemIDs.insert(item.id).inserted { throw ListError.duplicateItem(item.id) }
                try item.checkDepth()
            }
        }
    }

    /// The ids of rows that are not in the list yet.
    private func freshIDs(_ sections: [NewSection]) -> Set<UntypedID> {
        var fresh = Set<UntypedID>()
        for section in sections {
            for item in section.items where state.indexPath(of: item.id) == nil { fresh.insert(item.id) }
        }
        return fresh
    }
}

// MARK: - Sections

extension UntypedEditor {
    /// Inserts, moves and renames sections. Returns the unwanted sections, which are not deleted yet.
    private mutating func placeSections(_ sections: [NewSection], _ fresh: Set<UntypedID>) throws -> [UntypedID] {
        let present = state.tree.indices.map { state.sectionEntry(at: $0).id }
        let staying = UntypedEditor.staying(sections.map { state.indexOfSection($0.id) })
        var previous: UntypedID?
        for (index, section) in sections.enumerated() {
            let place: SectionDestination = previous.map { .after($0) } ?? .at(0)
            if state.indexOfSection(section.id) == nil {
                // If some of its rows are elsewhere now, they are moved into it later, and its new rows are inserted
                // with them.
                let isFresh = section.items.allSatisfy { fresh.contains($0.id) }
                let items = isFresh ? section.items : []
                try insertSection(NewSection(id: section.id, title: section.title, items: items), at: place)
            } else {
                if !staying[index] { try moveSection(.section(section.id), to: place) }
                try renameSection(.section(section.id), to: section.title)
            }
            previous = section.id
        }
        let wanted = Set(sections.map(\.id))
        return present.filter { !wanted.contains($0) }
    }

    /// The old positions of elements in their new order; returns which of the elements can stay.
    private static func staying(_ before: [Int?]) -> [Bool] {
        var stays = [Bool](repeating: false, count: before.count)
        let known = before.indices.filter { before[$0] != nil }
        if zip(known, known.dropFirst()).allSatisfy({ before[$0]! < before[$1]! }) {
            for index in known { stays[index] = true }
            return stays
        }
        let weights = [Int](repeating: 1, count: known.count)
        for (index, isStaying) in zip(known, IncreasingSubsequence.staying(known.map { before[$0]! }, weights: weights))
        {
            stays[index] = isStaying
        }
        return stays
    }
}

// MARK: - Rows

extension UntypedEditor {
    /// Inserts and moves rows into the wanted order. All sections must exist already.
    ///
    /// - Parameters:
    ///   - sections: the sections.
    ///   - wanted: the ids of the rows to keep or insert.
    ///   - fresh: those of them that were not in the list before.
    private mutating func place(
        _ sections: [NewSection], _ wanted: Set<UntypedID>, _ fresh: Set<UntypedID>
    ) throws {
        var unwanted: [UntypedID] = []
        for section in sections {
            let index = try indexOfSection(section.id)
            let rows = state.sectionEntry(at: index).items(state.pool)
            rows.forEach(in: rows.indices) { if !wanted.contains($0.id) { unwanted.append($0.id) } }
        }
        try delete(.items(unwanted))
        // Computed for all sections before any row moves, because moves shift the indices of others.
        let staying = try sections.map { section in
            let index = try indexOfSection(section.id)
            return UntypedEditor.staying(
                section.items.map { item in
                    state.indexPath(of: item.id).flatMap { $0.section == index ? $0.item : nil }
                })
        }
        for (section, staying) in zip(sections, staying) { try place(section, staying, fresh) }
    }

    private mutating func place(_ section: NewSection, _ staying: [Bool], _ fresh: Set<UntypedID>) throws {
        let items = section.items
        var next = 0
        while next < items.count {
            let first = next
            next += 1
            if staying[first] { continue }
            let place = try placeAfter(first == 0 ? nil : items[first - 1].id, inSection: section.id)
            guard let source = state.indexPath(of: items[first].id) else {
                while next < items.count && !staying[next] && fresh.contains(items[next].id) { next += 1 }
                try insert(ListRun(Array(items[first..<next]))!, at: place)
                continue
            }
            var run = ItemRun(path: source, count: 1)
            while next < items.count && !staying[next], state.indexPath(of: items[next].id) == run.path(run.count) {
                run.count += 1
                next += 1
            }
            try moveRun(run, to: Gap(place: place, anchor: nil).path(without: .one(run)))
        }
    }

    /// The place after a row, or the first place of a section.
    private func placeAfter(_ id: UntypedID?, inSection section: UntypedID) throws -> ListIndexPath {
        guard let id else { return ListIndexPath(section: try indexOfSection(section), item: 0) }
        guard var path = state.indexPath(of: id) else { throw ListError.unknownItem(id) }
        path.item += 1
        return path
    }

    /// Updates content, checkmark, depth and collapsed of rows that are in their places already.
    private mutating func updateRows(_ section: NewSection, _ fresh: Set<UntypedID>) throws {
        let index = try indexOfSection(section.id)
        let present = state.items(inSectionAt: index, 0..<section.items.count)
        var indented: (run: ItemRun, change: Int)?
        for (offset, (old, new)) in zip(present, section.items).enumerated() where !fresh.contains(new.id) {
            let path = ListIndexPath(section: index, item: offset)
            if old.isChecked != new.isChecked { try setChecked(new.isChecked, for: .at(path)) }
            if old.isCollapsed != new.isCollapsed { try setCollapsed(new.isCollapsed, for: new.id) }
            try update(at: path, content: new.content)
            let change = new.depth - old.depth
            if change == 0 { continue }
            if let run = indented, run.change == change, run.run.path(run.run.count) == path {
                indented!.run.count += 1
            } else {
                if let indented { try changeDepth(of: indented.run, by: indented.change) }
                indented = (ItemRun(path: path, count: 1), change)
            }
        }
        if let indented { try changeDepth(of: indented.run, by: indented.change) }
    }

    private mutating func changeDepth(of run: ItemRun, by change: Int) throws {
        try changeDepth(of: .run(run.path, count: run.count), by: change)
    }
}
