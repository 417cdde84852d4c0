// The calls that an app can make between beginUpdates and endUpdates.

import ListModel

/// One call inside a batch of updates of a UITableView or UICollectionView.
///
/// Deletions and reloads are positions before the batch, insertions after it; a move is from one before to one after.
public enum TableOperation: Hashable, Sendable {
    /// Deletes a row, at its position before the batch.
    case deleteItem(ListIndexPath)
    /// Inserts a row, at its position after the batch.
    case insertItem(ListIndexPath)
    /// Moves a row with its cell from a position before the batch to one after it.
    case moveItem(from: ListIndexPath, to: ListIndexPath)
    /// Gives another cell to a row, at its position before the batch.
    case reloadItem(ListIndexPath)
    /// Deletes a section with its rows, at its index before the batch.
    case deleteSection(Int)
    /// Inserts a section with its rows, at its index after the batch.
    case insertSection(Int)
    /// Moves a section with its rows from an index before the batch to one after it.
    case moveSection(from: Int, to: Int)
    /// Gives other cells to a section, at its index before the batch; it may have other rows then.
    case reloadSection(Int)
    /// Shows the new content of a row in the same cell.
    case reconfigureItem(ListIndexPath)
    /// Shows the new title of a section in its header.
    case reconfigureHeader(Int)
}

extension TableOperation: CustomStringConvertible {
    /// A short description, such as "move row [0, 1] to [0, 4]".
    public var description: String {
        switch self {
        case .deleteItem(let path): "delete row \(path)"
        case .insertItem(let path): "insert row \(path)"
        case .moveItem(let from, let to): "move row \(from) to \(to)"
        case .reloadItem(let path): "reload row \(path)"
        case .deleteSection(let index): "delete section \(index)"
        case .insertSection(let index): "insert section \(index)"
        case .moveSection(let from, let to): "move section \(from) to \(to)"
        case .reloadSection(let index): "reload section \(index)"
        case .reconfigureItem(let path): "reconfigure row \(path)"
        case .reconfigureHeader(let index): "reconfigure header \(index)"
        }
    }
}

extension UpdateBatch {
    /// The calls that play the batch; empty for a reload.
    public var operations: [TableOperation] {
        changes.sections.deleted.map { .deleteSection($0) } + changes.sections.inserted.map { .insertSection($0) }
            + changes.sections.moved.map { .moveSection(from: $0.from, to: $0.to) }
            + changes.sections.updated.map { .reconfigureHeader($0) }
            + changes.items.deleted.map { .deleteItem($0) } + changes.items.inserted.map { .insertItem($0) }
            + changes.items.moved.map { .moveItem(from: $0.from, to: $0.to) }
            + changes.items.updated.map { .reconfigureItem($0) }
    }
}
