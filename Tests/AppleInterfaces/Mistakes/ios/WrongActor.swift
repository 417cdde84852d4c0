// expected error: in a synchronous nonisolated context
import UIKit

/// A call from any thread of what only the main thread may do.
func wrongActor(_ tableView: UITableView) { tableView.reloadData() }
