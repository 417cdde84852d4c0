// expected error: to expected element type 'UICellAccessory'
import Listory
import ListoryUI
import UIKit

/// Passes an optional accessory, because a row without rows below it has no triangle.
@MainActor func wrongAccessory(
    _ cell: UICollectionViewListCell, _ adapter: CollectionViewAdapter, _ path: IndexPath
) {
    cell.accessories = [adapter.disclosure(at: path)]
}
