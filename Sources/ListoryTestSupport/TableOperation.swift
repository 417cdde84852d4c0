// What an app may call between beginUpdates and endUpdates.

import ListModel

/// One call inside a batch of updates of a UITableView or UICollectionView.
///
/// Deletions and reloads are positions before the batch, insertions after it; a move is from one before to one after.
public enum TableOperation: Hashable, Sendable {
    /// A row goes, from where it is before the batch.
    case deleteItem(ListIndexPath)
    /// A row comes, to where it is after the batch.
    case insertItem(ListIndexPath)
    /// A row stays the same cell and goes from a place before the batch to one after it.
    case moveItem(from: ListIndexPath, to: ListIndexPath)
    /// A row that is there before the batch gets another cell.
    case reloadItem(ListIndexPath)
    /// A section goes with its rows, from its index before the batch.
    case deleteSection(Int)
    /// A section comes with its rows, to its index after the batch.
    case insertSection(Int)
    /// A section goes with its rows from an index before the batch to one after it.
    case moveSection(from: Int, to: Int)
    /// A section that is there before the batch gets other cells, and may have other rows.
    case reloadSection(Int)
    /// The cell of a row shows new content, and stays the same cell.
    case reconfigureItem(ListIndexPath)
    /// The header of a section shows its new title.
    case reconfigureHeader(Int)
}

extension TableOperation: CustomStringConvertible {
    /// The call in short, such as "move row [0, 1] to [0, 4]".
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
    /// The calls that play the batch; none for a reload.
    public var operations: [TableOperation] {
        changes.sections.deleted.map { .deleteSection($0) } + changes.sections.inserted.map { .insertSection($0) }
            + changes.sections.moved.map { .moveSection(from: $0.from, to: $0.to) }
            + changes.sections.updated.map { .reconfigureHeader($0) }
            + changes.items.deleted.map { .deleteItem($0) } + changes.items.inserted.map { .insertItem($0) }
            + changes.items.moved.map { .moveItem(from: $0.from, to: $0.to) }
            + changes.items.updated.map { .reconfigureItem($0) }
    }
}
