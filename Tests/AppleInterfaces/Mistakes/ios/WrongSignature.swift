// expected error: has different argument labels from those required by protocol 'UITableViewDataSource'
import UIKit

/// A data source one of whose methods is not called as UIKit calls it.
@MainActor final class WrongSignature: NSObject, UITableViewDataSource {
    func numberOfSections(in tableView: UITableView) -> Int { 0 }
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell { UITableViewCell() }
    func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool { false }
    func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool { false }
    func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath
    ) {}
    func tableView(_ tableView: UITableView, moveRow source: IndexPath, to target: IndexPath) {}
}
