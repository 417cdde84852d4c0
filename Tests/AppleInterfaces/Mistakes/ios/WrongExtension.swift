// expected error: extensions of generic classes cannot contain '@objc' members
import UIKit

/// A generic class with a member for Objective-C outside of its body.
@MainActor class GenericTarget<Item>: NSObject {}

extension GenericTarget {
    @objc func wrongExtension() {}
}
