// The ids of a snapshot for Apple's diffable data sources. They are checked, because a duplicate would end the app.

import ListModel
import Listory

/// The content of an `NSDiffableDataSourceSnapshot`: typed ids, all of them different, and the ids whose content
/// changed.
package struct DiffableRows<SectionID: SectionIdentifier, ItemID: RowIdentifier>: Sendable {
    /// A section and its rows.
    package typealias Section = (id: SectionID, items: [ItemID])

    /// The sections, in order.
    package private(set) var sections: [Section] = []
    /// The rows that exist before and after, with another checkmark or content.
    package private(set) var reconfigured: [ItemID] = []
    /// The sections that exist before and after, with another title.
    package private(set) var retitled: [SectionID] = []

    /// The ids of a snapshot.
    ///
    /// - Throws: ``ListError/duplicateItem(_:)`` or ``ListError/duplicateSection(_:)`` for two ids that are equal for Swift
    ///   although their bytes differ, such as two spellings of an accented letter.
    /// - Complexity: O(n).
    package init<Item>(_ snapshot: ListSnapshot<SectionID, Item>) throws where Item.ID == ItemID {
        var sectionIDs = Set<SectionID>()
        var itemIDs = Set<ItemID>(minimumCapacity: snapshot.itemCount)
        for section in snapshot.sections {
            let id = section.id
            guard sectionIDs.insert(id).inserted else { throw ListError.duplicateSection(section.core.id) }
            var items: [ItemID] = []
            items.reserveCapacity(section.core.items.count)
            for item in section.core.items {
                let id = ItemID(untypedID: item.id)
                guard itemIDs.insert(id).inserted else { throw ListError.duplicateItem(item.id) }
                items.append(id)
            }
            sections.append((id, items))
        }
    }

    /// The ids of a snapshot, and the ids whose content has changed since another one.
    ///
    /// A diffable data source compares ids, so it detects insertions, deletions and moves by itself, but never changed
    /// content.
    ///
    /// - Throws: as ``init(_:)``.
    package init<Item>(
        from old: ListSnapshot<SectionID, Item>, to new: ListSnapshot<SectionID, Item>
    ) throws where Item.ID == ItemID {
        try self.init(new)
        let changes = new.changeset(from: old)
        reconfigured = changes.items.updated.map { sections[$0.section].items[$0.item] }
        retitled = changes.sections.updated.map { sections[$0].id }
    }
}
