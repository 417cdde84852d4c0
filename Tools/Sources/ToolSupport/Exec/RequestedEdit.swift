// One edit of a list, as a value.
//
// Always holds: an edit does not depend on the list; whether it fits is checked when it is applied.

import ListModel

/// One edit of a list.
public enum RequestedEdit: Equatable, Sendable {
    case insert([NewRow], at: ItemDestination)
    case delete(ItemSelection)
    case move(ItemSelection, to: ItemDestination)
    case toggle(ItemSelection)
    case check(ItemSelection, isChecked: Bool)
    case update(UntypedID, content: [UInt8])
    case updateAt(ListIndexPath, content: [UInt8])
    case reload([NewSection])
    case insertSection(NewSection, at: SectionDestination)
    case deleteSection(UntypedID)
    case moveSection(UntypedID, to: SectionDestination)
    case renameSection(UntypedID, title: String)
    case insertInOutline([NewRow], at: OutlineDestination)
    case moveSubtree(UntypedID, to: OutlineDestination)
    case deleteSubtrees([UntypedID])
    case indent(UntypedID)
    case outdent(UntypedID)
    case changeDepth(ItemSelection, by: Int)
    case setCollapsed(Bool, for: UntypedID, recursively: Bool)
    case applyRows([NewSection])
}

extension RequestedEdit {
    /// The name of the commit if the edit is a commit of its own.
    public var commitName: String {
        switch self {
        case .insert: "Insert"
        case .delete: "Delete"
        case .move: "Move"
        case .toggle: "Toggle"
        case .check: "Check"
        case .update, .updateAt: "Update"
        case .reload: "Reload"
        case .insertSection: "Insert Section"
        case .deleteSection: "Delete Section"
        case .moveSection: "Move Section"
        case .renameSection: "Rename Section"
        case .insertInOutline: "Insert"
        case .moveSubtree: "Move"
        case .deleteSubtrees: "Delete"
        case .indent: "Indent"
        case .outdent: "Outdent"
        case .changeDepth: "Change Depth"
        case .setCollapsed(let isCollapsed, _, _): isCollapsed ? "Collapse" : "Expand"
        case .applyRows: "Apply"
        }
    }

    /// Makes the edit.
    ///
    /// - Throws: `ListError` if it does not fit the list, or an error of the log.
    public func apply(to list: inout UntypedEditor) throws {
        switch self {
        case .insert(let items, let destination):
            if items.count == 1 {
                try list.insert(items[0], at: destination)
            } else {
                try list.insert(items, at: destination)
            }
        case .delete(let selection): try list.delete(selection)
        case .move(let selection, let destination): try list.move(selection, to: destination)
        case .toggle(let selection): try list.toggle(selection)
        case .check(let selection, let isChecked): try list.setChecked(isChecked, for: selection)
        case .update(let id, let content): try list.update(id, content: content)
        case .updateAt(let path, let content): try list.update(at: path, content: content)
        case .reload(let sections): try list.reload(sections)
        case .insertSection(let section, let destination): try list.insertSection(section, at: destination)
        case .deleteSection(let id): try list.deleteSection(.section(id))
        case .moveSection(let id, let destination): try list.moveSection(.section(id), to: destination)
        case .renameSection(let id, let title): try list.renameSection(.section(id), to: title)
        case .insertInOutline(let items, let destination): try list.insert(items, in: destination)
        case .moveSubtree(let id, let destination): try list.moveSubtree(id, to: destination)
        case .deleteSubtrees(let ids): try list.deleteSubtrees(ids)
        case .indent(let id): try list.indent(id)
        case .outdent(let id): try list.outdent(id)
        case .changeDepth(let selection, let change): try list.changeDepth(of: selection, by: change)
        case .setCollapsed(let isCollapsed, let id, let recursively):
            try list.setCollapsed(isCollapsed, for: id, recursively: recursively)
        case .applyRows(let sections): try list.apply(sections)
        }
    }
}
