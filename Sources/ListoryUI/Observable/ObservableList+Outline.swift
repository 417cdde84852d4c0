// What controls in the rows of an outline hand over, as commits.

import ListModel
import Listory

extension ObservableList {
    /// What stands before a row of an outline: whether there is something below it, and whether that is hidden.
    ///
    /// - Complexity: O(n), to find the row; ``disclosure(of:in:)`` knows where it is.
    public func disclosure(of id: Identifier) -> RowDisclosure {
        snapshot.core.indexPath(of: id).map { driver.disclosure(at: $0) } ?? .none
    }

    /// What stands before a row of an outline, by its offset in a section that is shown.
    public func disclosure(of offset: Int, in section: ObservableSection<Source>) -> RowDisclosure {
        access(keyPath: \.snapshot)
        return driver.disclosure(at: ListIndexPath(section: section.index, item: offset))
    }

    /// Whether the rows below a row are shown, if it has any; false if it is gone.
    public func isExpanded(_ id: Identifier) -> Bool {
        access(keyPath: \.snapshot)
        return (try? driver.source.editedStore.item(id))?.map { !$0.isCollapsed } ?? false
    }

    /// Hides or shows what is below a row: "Collapse Groceries".
    @discardableResult
    public func setExpanded(_ isExpanded: Bool, _ row: ObservableRow<Source>) -> Bool {
        driver.setCollapsed(!isExpanded, row.id)
    }

    /// Hides or shows what is below a row, the opposite of what is: "Expand Groceries".
    @discardableResult
    public func toggleCollapsed(_ row: ObservableRow<Source>) -> Bool { driver.toggleCollapsed(row.id) }

    /// Puts a row below the sibling before it, with all that is below it: "Indent Milk".
    @discardableResult
    public func indent(_ row: ObservableRow<Source>) -> Bool { driver.indent([row.id]) }

    /// Puts a row beside its parent, with all that is below it: "Outdent Milk".
    @discardableResult
    public func outdent(_ row: ObservableRow<Source>) -> Bool { driver.outdent([row.id]) }
}
