// What the code in README.md and the guides leaves out: an app's types, a store, and views. Tools/check-snippets compiles
// each block with it and runs it, each in a folder of its own, in which all this is new.

import Foundation
import Listory
import ListoryUI

struct Todo: Codable, Identifiable, Sendable, Equatable {
    var id: Int
    var title: String
    var project = ""
    var due: Date?

    init(id: Int, title: String) { (self.id, self.title) = (id, title) }
}

let path = "todo.listory"
let backupPath = "backup.listory"
let temporaryPath = "test.listory"
let version = Version(1)

/// The store at `path`. Ten minutes ago, row 7, "Milk", was inserted into it, then row 8, "Tea", which is checked; but not the rows
/// that the block inserts itself.
@MainActor var store: ListStore<String, Todo> { Run.current.store }

/// A button and a banner of no toolkit.
@MainActor final class Button { var isEnabled = true; var title: String? }
@MainActor let undoButton = Button()
@MainActor final class Banner { var isHidden = true }
@MainActor let banner = Banner()

/// Shows something in no toolkit. An error fails the block: functions that report errors are given this one.
@MainActor func show(_ value: some Any) {
    if let error = value as? any Error { Run.current.failures.append("\(error)") }
}

/// A list view of no toolkit, and the rows that its data source answers with.
@MainActor final class ListView {
    func reload() {}
    func performBatchUpdates(_ updates: () -> Void) { updates() }
    func delete(_ paths: [ListIndexPath]) {}
    func insert(_ paths: [ListIndexPath]) {}
    func move(_ moves: [Changeset.Move<ListIndexPath>]) {}
    func update(_ paths: [ListIndexPath]) {}
}
@MainActor let view = ListView()
@MainActor var rows: UntypedSnapshot {
    get { Run.current.rows ?? transition.old }
    set { Run.current.rows = newValue }
}
@MainActor var transition: ListTransition {
    ListTransition(from: try! store.snapshot(at: version).core, to: try! store.snapshot.core)
}

/// A clock for tests.
final class FixedClock: @unchecked Sendable { var now = Timestamp(microseconds: 0) }
