// What both views of UIKit need: index paths, and whether a finger is on the view.

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
import ListModel
import UIKit

extension IndexPath {
    /// The index path of a row or item, for UIKit.
    init(_ path: ListIndexPath) { self.init(item: path.item, section: path.section) }

    /// The index path of a row or item, for the model.
    var listPath: ListIndexPath { ListIndexPath(section: section, item: item) }
}

/// Whether a finger or a pointer is down on a view.
///
/// Tables do not tell of a reorder in editing mode before it ends, and collections do not tell of one that a recognizer of
/// the app leads. Both have a finger on the view. The watch is the delegate of a recognizer that is shown each touch and takes none, so
/// it disturbs no other.
@MainActor
final class TouchWatch: NSObject, UIGestureRecognizerDelegate {
    private struct Touch { weak var touch: UITouch? }
    private var touches: [Touch] = []

    /// Watches a view, as long as the view lives.
    init(_ view: UIView) {
        super.init()
        let recognizer = UITapGestureRecognizer(target: nil, action: nil)
        recognizer.cancelsTouchesInView = false
        recognizer.delegate = self
        view.addGestureRecognizer(recognizer)
    }

    /// Whether a touch is down.
    var isTouched: Bool {
        touches.removeAll { $0.touch.map { $0.phase == .ended || $0.phase == .cancelled } ?? true }
        return !touches.isEmpty
    }

    func gestureRecognizer(_ gestureRecognizer: UIGestureRecognizer, shouldReceive touch: UITouch) -> Bool {
        // Touches that have ended are dropped when somebody asks; here too, so that they do not pile up.
        _ = isTouched
        touches.append(Touch(touch: touch))
        return false
    }
}
#endif
