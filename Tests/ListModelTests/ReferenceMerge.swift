// The specification of a merge, in arrays and by id: applies a change between two lists of rows to the present rows.
//
// Changesets say which rows and sections moved, because if two change places, either may be the one that moves.
// Changesets have their own tests.

@testable import ListModel
import TestSupport

/// One merge.
struct ReferenceMerge {
    /// The rows before and after a change, and the present rows, each also as a snapshot.
    struct Sides {
        var base: (rows: ReferenceList, snapshot: UntypedSnapshot)
        var target: (rows: ReferenceList, snapshot: UntypedSnapshot)
        var now: (rows: ReferenceList, snapshot: UntypedSnapshot)
        /// What the commits of the change have put somewhere; nil if that is not known.
        var placed: Changeset.Elements?
        /// What the commits of others since the base have put somewhere; nil if that is not known.
        var placedByOthers: Changeset.Elements?
        /// Whether changes of others to the same rows are overridden.
        var overrides = false
    }

    private let base: ReferenceList
    private let target: ReferenceList
    private let overrides: Bool
    /// The rows after the merge.
    private(set) var result: ReferenceList
    private(set) var conflicts: Set<MergeConflict> = []

    /// The rows and sections that the change moves.
    private let moves: Changeset.Elements
    /// The rows and sections that others moved elsewhere than the target has them: they are not in their place.
    private let away: Changeset.Elements
    /// Those that others moved to where the target has them, or inserted there: nothing is left to do.
    private let settled: Changeset.Elements

    init(_ sides: Sides) {
        (base, target, result) = (sides.base.rows, sides.target.rows, sides.now.rows)
        overrides = sides.overrides
        // If two have changed places, the one has moved that a commit has put there.
        var moved = Self.moved(sides.base.snapshot, sides.now.snapshot, sides.placedByOthers)
        if let placed = sides.placedByOthers, !moved.isEmpty {
            // Or either, if commits have put both there: then that of the change.
            let both = placed.intersection(Self.moved(sides.base.snapshot, sides.target.snapshot))
            let other = Self.moved(sides.base.snapshot, sides.now.snapshot, both)
            moved = moved.union(other.intersection(both))
        }
        var touched = moved
        for path in base.paths {
            let id = base.item(at: path).id
            if result.path(of: id) == nil { touched.items.insert(id) }
        }
        for section in base.sections where result.indexOfSection(section.id) == nil {
            touched.sections.insert(section.id)
        }
        // That holds for the change too, as soon as others have moved or deleted anything.
        moves = Self.moved(
            sides.base.snapshot, sides.target.snapshot, touched.isEmpty ? nil : sides.placed)
        // Compared with the target, nothing has moved but what the change or others have moved.
        var found = moved
        for section in target.sections where base.indexOfSection(section.id) == nil {
            if result.indexOfSection(section.id) != nil { found.sections.insert(section.id) }
        }
        let elsewhere = Self.moved(sides.target.snapshot, sides.now.snapshot, found.union(moves))
        let overridden = overrides ? moves : Changeset.Elements()
        (away, settled) = (
            moved.intersection(elsewhere).subtracting(overridden), found.subtracting(elsewhere)
        )
        placeSections()
        deleteItems()
        placeItems()
        deleteSections()
        renameSections()
        updateItems()
    }

    private static func moved(
        _ from: UntypedSnapshot, _ to: UntypedSnapshot, _ movable: Changeset.Elements? = nil
    ) -> Changeset.Elements {
        Changeset.withOrigins(from: from, to: to, moving: movable).0.moved(in: to)
    }

    private static func item(_ id: UntypedID, in list: ReferenceList) -> ReferenceItem? {
        list.path(of: id).map { list.item(at: $0) }
    }

    // MARK: Sections

    private mutating func placeSections() {
        for (index, section) in target.sections.enumerated() {
            let id = section.id
            if base.indexOfSection(id) == nil {
                if let present = result.indexOfSection(id) {
                    let isSame = result.sections[present].title == section.title
                    if !isSame || !settled.sections.contains(id) { conflicts.insert(.section(id, .alreadyThere)) }
                    continue
                }
                let new = ReferenceSection(id: id, title: section.title, items: [])
                result.sections.insert(new, at: sectionPlace(before: index))
            } else if moves.sections.contains(id) {
                guard let present = result.indexOfSection(id) else {
                    conflicts.insert(.section(id, .gone))
                    continue
                }
                if settled.sections.contains(id) { continue }
                guard !away.sections.contains(id) else {
                    conflicts.insert(.section(id, .moved))
                    continue
                }
                let moved = result.sections.remove(at: present)
                result.sections.insert(moved, at: sectionPlace(before: index))
            }
        }
    }

    private func sectionPlace(before index: Int) -> Int {
        let anchor = target.sections[..<index].last {
            result.indexOfSection($0.id) != nil && !away.sections.contains($0.id)
        }
        return anchor.map { result.indexOfSection($0.id)! + 1 } ?? 0
    }

    private mutating func deleteSections() {
        for section in base.sections where target.indexOfSection(section.id) == nil {
            guard let index = result.indexOfSection(section.id) else { continue }
            if !result.sections[index].items.isEmpty {
                conflicts.insert(.section(section.id, .notEmpty))
            } else if !overrides && result.sections[index].title != section.title {
                conflicts.insert(.section(section.id, .changed))
            } else {
                result.sections.remove(at: index)
            }
        }
    }

    private mutating func renameSections() {
        for section in target.sections {
            guard let old = base.indexOfSection(section.id).map({ base.sections[$0].title }), old != section.title
            else { continue }
            guard let index = result.indexOfSection(section.id) else {
                conflicts.insert(.section(section.id, .gone))
                continue
            }
            let title = result.sections[index].title
            if overrides || title == old {
                result.sections[index].title = section.title
            } else if title != section.title {
                conflicts.insert(.section(section.id, .changed))
            }
        }
    }

    // MARK: Rows

    private mutating func deleteItems() {
        for path in base.paths where target.path(of: base.item(at: path).id) == nil {
            let item = base.item(at: path)
            guard let present = result.path(of: item.id) else { continue }
            if overrides || result.item(at: present) == item {
                result.sections[present.section].items.remove(at: present.item)
            } else {
                conflicts.insert(.item(item.id, .changed))
            }
        }
    }

    private mutating func placeItems() {
        for path in target.paths {
            let item = target.item(at: path)
            let section = target.sections[path.section]
            let present = result.path(of: item.id)
            if base.path(of: item.id) == nil {
                if let present {
                    if result.item(at: present) != item { conflicts.insert(.item(item.id, .alreadyThere)) }
                } else if let index = result.indexOfSection(section.id) {
                    result.sections[index].items.insert(item, at: place(in: section, before: path.item, index))
                } else {
                    conflicts.insert(.item(item.id, .sectionGone))
                }
            } else if moves.items.contains(item.id) {
                guard let present else {
                    conflicts.insert(.item(item.id, .gone))
                    continue
                }
                if settled.items.contains(item.id) { continue }
                if away.items.contains(item.id) {
                    conflicts.insert(.item(item.id, .moved))
                } else if let index = result.indexOfSection(section.id) {
                    let moved = result.sections[present.section].items.remove(at: present.item)
                    result.sections[index].items.insert(moved, at: place(in: section, before: path.item, index))
                } else {
                    conflicts.insert(.item(item.id, .sectionGone))
                }
            }
        }
    }

    /// The place after the nearest row before it that is in its place, in the section of an index.
    private func place(in section: ReferenceSection, before item: Int, _ index: Int) -> Int {
        let ids = result.sections[index].items.map(\.id)
        let anchor = section.items[..<item].last { ids.contains($0.id) && !away.items.contains($0.id) }
        return anchor.map { ids.firstIndex(of: $0.id)! + 1 } ?? 0
    }

    private mutating func updateItems() {
        for path in target.paths {
            let new = target.item(at: path)
            guard let old = Self.item(new.id, in: base), old != new else { continue }
            guard let present = result.path(of: new.id) else {
                conflicts.insert(.item(new.id, .gone))
                continue
            }
            update(\.content, from: old, to: new, at: present)
            update(\.isChecked, from: old, to: new, at: present)
            update(\.isCollapsed, from: old, to: new, at: present)
            update(\.depth, from: old, to: new, at: present)
        }
    }

    private mutating func update<Value: Equatable>(
        _ field: WritableKeyPath<ReferenceItem, Value>, from old: ReferenceItem, to new: ReferenceItem,
        at path: ListIndexPath
    ) {
        let present = result.item(at: path)[keyPath: field]
        if old[keyPath: field] == new[keyPath: field] || present == new[keyPath: field] { return }
        if overrides || present == old[keyPath: field] {
            result.sections[path.section].items[path.item][keyPath: field] = new[keyPath: field]
        } else {
            conflicts.insert(.item(new.id, .changed))
        }
    }
}
