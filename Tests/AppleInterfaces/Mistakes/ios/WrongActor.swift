// expected error: in a synchronous nonisolated context
import UIKit

/// Calls a function of the main actor from any thread.
func wrongActor(_ tableView: UITableView) { tableView.reloadData() }
