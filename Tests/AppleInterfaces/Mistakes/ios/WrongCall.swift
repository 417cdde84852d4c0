// expected error: incorrect argument label in call
import UIKit

/// A call that UITableView does not have.
@MainActor func wrongCall(_ tableView: UITableView) { tableView.deleteRows(from: [], with: .fade) }
