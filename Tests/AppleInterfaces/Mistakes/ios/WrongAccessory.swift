// expected error: to expected element type 'UICellAccessory'
import Listory
import UIKit

/// A triangle for rows that have none, because there are no rows below them.
@MainActor func wrongAccessory(
    _ cell: UICollectionViewListCell, _ adapter: CollectionViewAdapter, _ path: IndexPath
) {
    cell.accessories = [adapter.disclosure(at: path)]
}
