// Plays a changeset on reference rows.

import ListModel

extension Changeset {
    /// The rows that a list view shows if it showed `old` and plays this changeset, with new cells from `new`.
    public func applied(to old: ReferenceList, giving new: ReferenceList) -> ReferenceList {
        struct Header: Hashable {
            var id: UntypedID
            var title: String
        }
        let sections = applied(
            to: old.sections.map { (Header(id: $0.id, title: $0.title), $0.items) },
            header: { Header(id: new.sections[$0].id, title: new.sections[$0].title) },
            item: { new.item(at: $0) })
        var result = ReferenceList()
        result.sections = sections.map { ReferenceSection(id: $0.header.id, title: $0.header.title, items: $0.items) }
        return result
    }

    /// Applies the changes to an array of arrays, as a list view would.
    ///
    /// - Parameters:
    ///   - old: the old sections, each a header and rows.
    ///   - header: returns the header of a section of the new snapshot; called for inserted and updated sections.
    ///   - item: returns a row of the new snapshot; called for inserted and updated rows.
    /// - Returns: the new sections.
    /// - Complexity: O(n · k) for k deletions, insertions and moves. It defines the meaning of a changeset.
    public func applied<Header, Item>(
        to old: [(header: Header, items: [Item])],
        header: (Int) -> Header, item: (ListIndexPath) -> Item
    ) -> [(header: Header, items: [Item])] {
        var carried: [ListIndexPath: Item] = [:]
        var result = old
        for move in items.moved { carried[move.to] = old[move.from.section].items[move.from.item] }
        for path in (items.deleted + items.moved.map(\.from)).sorted().reversed() {
            result[path.section].items.remove(at: path.item)
        }
        let goneSections = sections.deleted + sections.moved.map(\.from)
        let movedSections = Dictionary(uniqueKeysWithValues: sections.moved.map { ($0.to, result[$0.from]) })
        for index in goneSections.sorted().reversed() { result.remove(at: index) }
        for index in (sections.inserted + sections.moved.map(\.to)).sorted() {
            result.insert(movedSections[index] ?? (header(index), []), at: index)
        }
        for path in (items.inserted + items.moved.map(\.to)).sorted() {
            result[path.section].items.insert(carried[path] ?? item(path), at: path.item)
        }
        for index in sections.updated { result[index].header = header(index) }
        for path in items.updated { result[path.section].items[path.item] = item(path) }
        return result
    }
}
