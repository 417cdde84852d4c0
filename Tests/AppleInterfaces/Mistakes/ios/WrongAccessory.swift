// expected error: to expected element type 'UICellAccessory'
import Listory
import UIKit

/// A triangle for rows that have none, because there is nothing below them.
@MainActor func wrongAccessory<Source: ListSource>(
    _ cell: UICollectionViewListCell, _ adapter: CollectionViewAdapter<Source>, _ path: IndexPath
) {
    cell.accessories = [adapter.disclosure(at: path)]
}
