// Three-way merge: the change from one snapshot to another is applied by id to the present rows, which others may have
// changed. Undo among commits of others, revert, restore and go all use it.
//
// `Docs/Design/History.md` has the table of cases. If the present rows are those of the first snapshot, the result is
// the second one.
//
// Always holds: of a row or section in conflict, the field in conflict is not changed; a row is never deleted and inserted.

extension UntypedEditor {
    /// Applies the change from one snapshot to another to the present rows.
    ///
    /// - Parameters:
    ///   - base: the rows before the change.
    ///   - target: the rows after the change.
    ///   - now: a snapshot of the present rows, to distinguish moves of others from the moves of this merge.
    ///   - moved: the contents of `target` that are not in the log; nil if all are.
    ///   - overrides: whether changes of others to the same rows are overridden: see ``ConflictPolicy/mine``.
    ///   - placed: the rows and sections that the commits between `base` and `target` inserted or moved; nil if they are not known.
    ///   - placedByOthers: those that the commits of others between `base` and `now` did; nil if they are not known.
    /// - Returns: the conflicts.
    /// - Throws: ``ListError`` or an error of the log; the commit must then be cancelled.
    /// - Complexity: O((k + m) log n) for k rows in the change and m rows that differ between `base` and `now`; m counts
    ///   only if the change inserts or moves something.
    mutating func merge(
        from base: UntypedSnapshot, to target: UntypedSnapshot, now: UntypedSnapshot, _ moved: MovedContents? = nil,
        overrides: Bool = false, placed: () throws -> Changeset.Elements? = { nil },
        placedByOthers: () throws -> Changeset.Elements? = { nil }
    ) throws -> [MergeConflict] {
        // If nodes of a snapshot could not be read, its rows are placeholders, and the merge is wrong.
        try base.checked {
            try target.checked {
                var merge = try Merge(base, target, now: now, moved, overrides, placed, placedByOthers)
                try merge.run(&self)
                return merge.conflicts
            }
        }
    }
}

/// The state of one merge.
private struct Merge {
    let base: UntypedSnapshot
    let target: UntypedSnapshot
    /// The contents of the target that are not in the log.
    let moved: MovedContents?
    /// Whether changes of others to the same rows are overridden.
    let overrides: Bool
    /// The changeset from the base to the target.
    private(set) var change: Changeset
    /// Where what it updates is in the base.
    private var origins: Changeset.Origins
    private(set) var conflicts: [MergeConflict] = []
    private var knownConflicts: Set<MergeConflict> = []
    /// The progress of the searches for anchors: among the sections of the target, and among the rows of one of them.
    private var searchedSections = Searched()
    private var searchedItems: (section: Int, searched: Searched) = (-1, Searched())

    /// The rows and sections that others moved, and that are not where the target has them. They are not used as anchors.
    private var away = Changeset.Elements()
    /// Those that others moved to where the target has them, and the sections that they have inserted there.
    private var settled = Changeset.Elements()

    init(
        _ base: UntypedSnapshot, _ target: UntypedSnapshot, now: UntypedSnapshot, _ moved: MovedContents?,
        _ overrides: Bool, _ placed: () throws -> Changeset.Elements?,
        _ placedByOthers: () throws -> Changeset.Elements?
    ) throws {
        self.base = base
        self.target = target
        self.moved = moved
        self.overrides = overrides
        (change, origins) = Changeset.withOrigins(from: base, to: target)
        guard change.placesSomething else { return }
        // If two rows have changed places, either may be the one that moved. It is the one that the commits have put there.
        var others = Changeset(from: base, to: now)
        var moved = others.moved(in: now)
        if !moved.isEmpty, let placed = try placedByOthers() {
            others = Changeset.withOrigins(from: base, to: now, moving: placed).0
            moved = others.moved(in: now)
            // If they have put both there, it may be the one that the change moves: rather a conflict than a move that is lost.
            let both = placed.intersection(change.moved(in: target))
            if !both.isEmpty {
                let other = Changeset.withOrigins(from: base, to: now, moving: both).0.moved(in: now)
                moved = moved.union(other.intersection(both))
            }
        }
        // Of those that the change moves, it matters only if others have touched rows.
        let touched = others.deleted(in: base).union(moved)
        if !touched.isEmpty, !change.moved(in: target).isEmpty, let placed = try placed() {
            (change, origins) = Changeset.withOrigins(from: base, to: target, moving: placed)
        }
        let returned = others.insertedSections(in: now).intersection(change.insertedSections(in: target))
        let found = moved.union(Changeset.Elements(sections: returned))
        if found.isEmpty { return }
        let movable = found.union(change.moved(in: target))
        let elsewhere = Changeset.withOrigins(from: target, to: now, moving: movable).0.moved(in: now)
        settled = found.subtracting(elsewhere)
        away = moved.intersection(elsewhere)
        // What the change moves as well is overridden.
        if overrides { away = away.subtracting(change.moved(in: target)) }
    }

    mutating func run(_ editor: inout UntypedEditor) throws {
        try placeSections(&editor)
        try deleteItems(&editor)
        try placeItems(&editor)
        try deleteSections(&editor)
        try renameSections(&editor)
        for (path, origin) in zip(change.items.updated, origins.items) {
            try updateItem(at: path, from: origin, &editor)
        }
    }

    private mutating func add(_ subject: MergeConflict.Subject, _ reason: MergeConflict.Reason) {
        let conflict = MergeConflict(subject, reason)
        if knownConflicts.insert(conflict).inserted { conflicts.append(conflict) }
    }
}

// MARK: - Sections

extension Merge {
    /// Inserts sections, without their rows, and moves others.
    private mutating func placeSections(_ editor: inout UntypedEditor) throws {
        var moves: [Int: Int] = [:]
        for move in change.sections.moved { moves[move.to] = move.from }
        for index in (change.sections.inserted + change.sections.moved.map(\.to)).sorted() {
            let section = target.sections[index]
            if moves[index] != nil {
                guard let present = editor.state.indexOfSection(section.id) else {
                    add(.section(section.id), .gone)
                    continue
                }
                if settled.sections.contains(section.id) { continue }
                if away.sections.contains(section.id) {
                    add(.section(section.id), .moved)
                    continue
                }
                let place = sectionPlace(index, &editor)
                let destination = place - (present < place ? 1 : 0)
                if destination != present { try editor.moveSection(.at(present), to: .at(destination)) }
            } else if let present = editor.state.indexOfSection(section.id) {
                let title = editor.state.sectionEntry(at: present).title
                if settled.sections.contains(section.id) && title.hasSameBytes(as: section.title) { continue }
                add(.section(section.id), .alreadyThere)
            } else {
                let place = sectionPlace(index, &editor)
                try editor.append(
                    .sectionInserted(at: place, ListSection(id: section.id, title: section.title, items: [])))
            }
        }
    }

    /// The place of a section of the target: after its anchor, the nearest section before it that is in its place.
    private mutating func sectionPlace(_ index: Int, _ editor: inout UntypedEditor) -> Int {
        let (target, away) = (target, away.sections)
        return searchedSections.nearest(before: index) { before in
            let id = target.sections[before].id
            return away.contains(id) ? nil : editor.state.indexOfSection(id).map { $0 + 1 }
        } ?? 0
    }

    private mutating func deleteSections(_ editor: inout UntypedEditor) throws {
        for index in change.sections.deleted.reversed() {
            let section = base.sections[index]
            guard let present = editor.state.indexOfSection(section.id) else { continue }
            let entry = editor.state.sectionEntry(at: present)
            guard entry.itemCount == 0 else {
                add(.section(section.id), .notEmpty)
                continue
            }
            guard overrides || entry.title.hasSameBytes(as: section.title) else {
                add(.section(section.id), .changed)
                continue
            }
            try editor.deleteSection(.at(present))
        }
    }

    private mutating func renameSections(_ editor: inout UntypedEditor) throws {
        for (index, origin) in zip(change.sections.updated, origins.sections) {
            let section = target.sections[index]
            guard let present = editor.state.indexOfSection(section.id) else {
                add(.section(section.id), .gone)
                continue
            }
            let title = editor.state.sectionEntry(at: present).title
            if title.hasSameBytes(as: section.title) { continue }
            guard overrides || base.sections[origin].title.hasSameBytes(as: title) else {
                add(.section(section.id), .changed)
                continue
            }
            try editor.renameSection(.at(present), to: section.title)
        }
    }
}

// MARK: - Rows

extension Merge {
    private mutating func deleteItems(_ editor: inout UntypedEditor) throws {
        var gone: [UntypedID] = []
        for path in change.items.deleted {
            guard let item = base.item(at: path), let present = editor.state.item(item.id) else { continue }
            if overrides || present.hasSameState(as: item) {
                gone.append(item.id)
            } else {
                add(.item(item.id), .changed)
            }
        }
        try editor.delete(.items(gone))
    }

    /// Inserts and moves rows in the order of the target, each after its predecessor.
    private mutating func placeItems(_ editor: inout UntypedEditor) throws {
        let inserted = change.items.inserted
        let moved = change.items.moved.map(\.to)
        var (nextInserted, nextMoved) = (0, 0)
        while nextInserted < inserted.count || nextMoved < moved.count {
            if nextMoved == moved.count || (nextInserted < inserted.count && inserted[nextInserted] < moved[nextMoved])
            {
                nextInserted = try insertRun(inserted, from: nextInserted, &editor)
            } else {
                try move(to: moved[nextMoved], &editor)
                nextMoved += 1
            }
        }
    }

    /// Inserts consecutive rows as one event, and returns the index of the next path.
    private mutating func insertRun(_ paths: [ListIndexPath], from first: Int, _ editor: inout UntypedEditor) throws
        -> Int
    {
        var items: [UntypedRow] = []
        var start: ListIndexPath?
        var next = first
        while next < paths.count, next == first || paths[next].follows(paths[next - 1]) {
            defer { next += 1 }
            // A placeholder would be written into the record, and could not be read from it.
            guard let item = try target.checked({ target.item(at: paths[next]) }) else { continue }
            if let present = editor.state.item(item.id) {
                // The id is in the list again: the same row, which is fine, or a different one, which is a conflict.
                if present.hasSameContent(as: item) { moved?.note(item.content, at: present.content) }
                if !present.hasSameState(as: item) { add(.item(item.id), .alreadyThere) }
                if !items.isEmpty { break }
                continue
            }
            if items.isEmpty { start = paths[next] }
            items.append(item)
        }
        guard let run = ListRun(items), let path = start else { return next }
        guard let place = try place(of: path, &editor) else {
            for item in items { add(.item(item.id), .sectionGone) }
            return next
        }
        try insert(run, at: place, &editor)
        return next
    }

    /// Inserts rows of the target. Contents that are not in the log are written.
    private func insert(_ items: ListRun<UntypedRow>, at place: ListIndexPath, _ editor: inout UntypedEditor) throws {
        guard let moved else { return try editor.append(.itemsInserted(at: place, items)) }
        if items.allSatisfy({ moved.place(of: $0.content) != nil }) {
            let present = items.mapped { item in
                var item = item
                if let content = moved.place(of: item.content) { item.setContent(content) }
                return item
            }
            return try editor.append(.itemsInserted(at: place, present))
        }
        let new = try items.mapped { item in
            // The content of another row may be in the log: it is written once more.
            let content = try moved.place(of: item.content).map { try editor.source.content(of: $0) }
            return NewRow(
                id: item.id, isChecked: item.isChecked, content: try content ?? moved.bytes(of: item.content),
                depth: item.depth, isCollapsed: item.isCollapsed)
        }
        try editor.insert(new, at: place)
        for item in items { note(item, &editor) }
    }

    /// Notes where the content of a row of the target is now.
    private func note(_ item: UntypedRow, _ editor: inout UntypedEditor) {
        if let present = editor.state.item(item.id) { moved?.note(item.content, at: present.content) }
    }

    private mutating func move(to path: ListIndexPath, _ editor: inout UntypedEditor) throws {
        guard let item = target.item(at: path) else { return }
        guard let source = editor.state.indexPath(of: item.id) else { return add(.item(item.id), .gone) }
        if settled.items.contains(item.id) { return }
        guard !away.items.contains(item.id) else { return add(.item(item.id), .moved) }
        guard let place = try place(of: path, &editor) else { return add(.item(item.id), .sectionGone) }
        let run = ItemRun(path: source, count: 1)
        try editor.moveRun(run, to: Gap(place: place, anchor: nil).path(without: .one(run)))
    }

    /// The place of a row of the target: after its anchor, the nearest row before it that is in its place. Nil if its
    /// section is gone.
    private mutating func place(of path: ListIndexPath, _ editor: inout UntypedEditor) throws -> ListIndexPath? {
        let section = target.sections[path.section]
        guard let index = editor.state.indexOfSection(section.id) else { return nil }
        if searchedItems.section != path.section { searchedItems = (path.section, Searched()) }
        let away = away.items
        let item = searchedItems.searched.nearest(before: path.item) { before in
            let id = section.items[before].id
            guard !away.contains(id), let anchor = editor.state.indexPath(of: id), anchor.section == index else {
                return nil
            }
            return anchor.item + 1
        }
        return ListIndexPath(section: index, item: item ?? 0)
    }

    /// Updates the fields of a row, each on its own.
    private mutating func updateItem(
        at path: ListIndexPath, from origin: ListIndexPath, _ editor: inout UntypedEditor
    ) throws {
        guard let new = target.item(at: path), let old = base.item(at: origin) else { return }
        guard let place = editor.state.indexPath(of: new.id), let present = editor.state.item(at: place) else {
            return add(.item(new.id), .gone)
        }
        // An erased content cannot be read, though it equals the one that is.
        let isRevived =
            present.content.isErased && !new.content.isErased && present.hasSameContent(as: new)
        if present.hasSameContent(as: new) && !isRevived {
            moved?.note(new.content, at: present.content)
        } else if isRevived || !old.hasSameContent(as: new) {
            if !overrides && !present.hasSameContent(as: old) && !present.hasSameContent(as: new) {
                add(.item(new.id), .changed)
            } else if let moved, moved.place(of: new.content) == nil {
                try editor.update(at: place, content: moved.bytes(of: new.content))
                note(new, &editor)
            } else {
                let content = moved?.place(of: new.content) ?? new.content
                try editor.append(.itemUpdated(at: place, new.id, old: present.content, new: content))
            }
        }
        if old.isChecked != new.isChecked && present.isChecked != new.isChecked {
            try editor.append(.itemToggled(at: place, new.id, isChecked: new.isChecked))
        }
        if old.isCollapsed != new.isCollapsed && present.isCollapsed != new.isCollapsed {
            try editor.append(.itemCollapsed(at: place, new.id, isCollapsed: new.isCollapsed))
        }
        guard old.depth != new.depth && present.depth != new.depth else { return }
        if !overrides && present.depth != old.depth { return add(.item(new.id), .changed) }
        try editor.append(.itemsIndented(at: place, .one(new.id), by: new.depth - present.depth))
    }
}

/// Finds anchors: for ascending places of the target, the nearest element before each that is in its place.
///
/// An element that is not in its place is examined only once, so all searches together are linear. This is correct
/// because an element that was placed meanwhile comes after all examined ones, and others do not move.
struct Searched {
    /// All elements after `found` and before this index are not in their places.
    private var end = 0
    /// The nearest element before `end` that is in its place.
    private var found: Int?

    /// The value of `place` for the nearest element before an index for which it is not nil.
    mutating func nearest(before index: Int, _ place: (Int) -> Int?) -> Int? {
        assert(index >= end, "places are asked for in ascending order")
        var next = index
        while next > end {
            next -= 1
            if let result = place(next) {
                (end, found) = (index, next)
                return result
            }
        }
        end = max(end, index)
        return found.flatMap(place)
    }
}

extension Changeset {
    /// Whether it inserts or moves rows or sections, for which a place has to be found.
    fileprivate var placesSomething: Bool {
        !(items.inserted.isEmpty && items.moved.isEmpty && sections.inserted.isEmpty && sections.moved.isEmpty)
    }
}

extension UntypedRow {
    fileprivate func hasSameContent(as other: UntypedRow) -> Bool {
        content.hash == other.content.hash && content.length == other.content.length
    }
}

extension ListIndexPath {
    /// Whether this index path comes directly after another.
    fileprivate func follows(_ other: ListIndexPath) -> Bool { section == other.section && item == other.item + 1 }
}
