// Index paths of UIKit, and a watch for touches, for both kinds of views.

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
/// Table views do not report a reorder in editing mode before it ends, and collection views do not report one by a
/// recognizer of the app. In both cases a finger is on the view. The watch is the delegate of a recognizer that
/// receives each touch and accepts none, so it disturbs no other.
@MainActor
final class TouchWatch: NSObject, UIGestureRecognizerDelegate {
    private struct Touch { weak var touch: UITouch? }
    private var touches: [Touch] = []
    private let recognizer = UITapGestureRecognizer(target: nil, action: nil)

    /// Watches a view.
    init(_ view: UIView) {
        super.init()
        recognizer.cancelsTouchesInView = false
        recognizer.delegate = self
        view.addGestureRecognizer(recognizer)
    }

    deinit {
        // Another adapter may get the view. Without a delegate, the recognizer would accept touches, and keep others from doing so.
        let recognizer = recognizer
        Task { @MainActor in recognizer.view?.removeGestureRecognizer(recognizer) }
    }

    /// Whether a touch is down.
    var isTouched: Bool {
        touches.removeAll { $0.touch.map { $0.phase == .ended || $0.phase == .cancelled } ?? true }
        return !touches.isEmpty
    }

    func gestureRecognizer(_ gestureRecognizer: UIGestureRecognizer, shouldReceive touch: UITouch) -> Bool {
        // Ended touches are dropped at each use; here too, so that they do not pile up.
        _ = isTouched
        touches.append(Touch(touch: touch))
        return false
    }
}
#endif
