// expected error: does not conform to protocol 'UITableViewDragDelegate'
import UIKit

/// A drag delegate without the items of a drag, which UIKit requires.
@MainActor final class WrongDrag: NSObject, UITableViewDragDelegate {}
