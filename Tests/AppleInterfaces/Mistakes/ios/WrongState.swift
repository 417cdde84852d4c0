// expected error: is a get-only property
import UIKit

/// A recognizer's state that is set from outside.
@MainActor func wrongState(_ gesture: UIGestureRecognizer) { gesture.state = .ended }
