// expected error: must call a designated initializer of the superclass 'UIViewController'
import UIKit

/// A controller that is made as no controller can be.
final class WrongInit: UIViewController {
    init(title: String) { super.init() }
    required init?(coder: NSCoder) { nil }
}
