// expected error: nearly matches optional requirement
import UIKit

/// A data source with a method whose name is not quite UIKit's.
@MainActor final class WrongSignature: NSObject, UITableViewDataSource {
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell { UITableViewCell() }
    func tableView(_ tableView: UITableView, moveRowAt source: IndexPath, into target: IndexPath) {}
}
