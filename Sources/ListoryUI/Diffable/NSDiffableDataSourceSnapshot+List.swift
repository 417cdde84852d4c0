// A bridge for apps with Apple's diffable data source: fills its snapshot from one of a list.

#if canImport(UIKit) && !os(watchOS)
import UIKit
#elseif canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
#endif

#if (canImport(UIKit) && !os(watchOS)) || (canImport(AppKit) && !targetEnvironment(macCatalyst))
import Listory

extension NSDiffableDataSourceSnapshot
where SectionIdentifierType: SectionIdentifier, ItemIdentifierType: RowIdentifier {
    /// The ids of a snapshot.
    ///
    /// ```swift
    /// dataSource.apply(try NSDiffableDataSourceSnapshot(store.snapshot), animatingDifferences: true)
    /// ```
    ///
    /// - Throws: ``ListError`` for ids of which two are equal for Swift.
    /// - Complexity: O(n).
    public init<Item>(_ snapshot: ListSnapshot<SectionIdentifierType, Item>) throws
    where Item.ID == ItemIdentifierType {
        self.init()
        fill(try DiffableRows(snapshot))
    }

    /// The ids of a snapshot, and the ids whose content has changed since the one that the data source shows.
    ///
    /// Rows with another checkmark or content are reconfigured (reloaded in AppKit, which cannot reconfigure them).
    /// Sections with another title are reloaded, because that is all a diffable data source offers.
    ///
    /// - Throws: as ``init(_:)``.
    /// - Complexity: O(n).
    public init<Item>(
        from old: ListSnapshot<SectionIdentifierType, Item>, to new: ListSnapshot<SectionIdentifierType, Item>
    ) throws where Item.ID == ItemIdentifierType {
        self.init()
        fill(try DiffableRows(from: old, to: new))
    }

    private mutating func fill(_ rows: DiffableRows<SectionIdentifierType, ItemIdentifierType>) {
        appendSections(rows.sections.map(\.id))
        for section in rows.sections { appendItems(section.items, toSection: section.id) }
        #if canImport(UIKit)
        reconfigureItems(rows.reconfigured)
        #else
        reloadItems(rows.reconfigured)
        #endif
        reloadSections(rows.retitled)
    }
}
#endif
