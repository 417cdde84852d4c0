// expected error: has no member 'reconfigureItems'
import AppKit

/// A call that only UIKit's snapshot has.
func wrongCall(_ snapshot: inout NSDiffableDataSourceSnapshot<Int, Int>) { snapshot.reconfigureItems([1]) }
