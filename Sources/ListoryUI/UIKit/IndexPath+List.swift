// Index paths of UIKit and of the model.

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
import ListModel
import UIKit

extension IndexPath {
    /// The index path of a row or item, for UIKit.
    init(_ path: ListIndexPath) { self.init(item: path.item, section: path.section) }

    /// The index path of a row or item, for the model.
    var listPath: ListIndexPath { ListIndexPath(section: section, item: item) }
}
#endif
