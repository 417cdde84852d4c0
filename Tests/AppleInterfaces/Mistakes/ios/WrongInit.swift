// expected error: must call a designated initializer of the superclass 'UIViewController'
import UIKit

/// A controller with an initializer that calls no designated initializer.
final class WrongInit: UIViewController {
    init(title: String) { super.init() }
    required init?(coder: NSCoder) { nil }
}
