// An edit that is planned before the clock starts, so that planning is not measured.

import ListModel

/// One edit of rows.
public enum PlannedEdit: Sendable {
    case insert(NewRow, ItemDestination)
    case delete(ItemSelection)
    case move(ItemSelection, ItemDestination)
    case toggle(ItemSelection)
    case updateItem(UntypedID, content: [UInt8])
    case updateRow(ListIndexPath, content: [UInt8])

    /// Makes the edit, in a commit that has begun.
    @inline(__always)
    public func apply(to editor: inout UntypedEditor) throws {
        switch self {
        case .insert(let item, let destination): try editor.insert(item, at: destination)
        case .delete(let selection): try editor.delete(selection)
        case .move(let selection, let destination): try editor.move(selection, to: destination)
        case .toggle(let selection): try editor.toggle(selection)
        case .updateItem(let id, let content): try editor.update(id, content: content)
        case .updateRow(let path, let content): try editor.update(at: path, content: content)
        }
    }
}
