// Playing a changeset on reference rows.

import ListModel

extension Changeset {
    /// What a list view would show that showed `old` and played this changeset, taking new cells from `new`.
    public func applied(to old: ReferenceList, giving new: ReferenceList) -> ReferenceList {
        struct Header: Hashable {
            var id: Identifier
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
}
