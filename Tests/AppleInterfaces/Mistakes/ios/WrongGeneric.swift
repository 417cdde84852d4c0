// expected error: refers to instance method 'tableView(_:heightForRowAt:)' that is not exposed to Objective-C
import UIKit

/// A generic delegate.
@MainActor class GenericDelegate<Item>: NSObject, UITableViewDelegate {}

/// A subclass of it with a method that Objective-C never calls.
@MainActor final class WrongGeneric: GenericDelegate<Int> {
    func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat { 44 }
    static let selector = #selector(WrongGeneric.tableView(_:heightForRowAt:))
}
