// Declarations that the code in README.md and the guides uses: an app's types, a store, and views. Never run.

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

@MainActor let path = "todo.listory"
@MainActor let backupPath = "backup.listory"
@MainActor let temporaryPath = "test.listory"
@MainActor let store = try! ListStore<String, Todo>.open(at: path)
@MainActor let version = Version(1)
@MainActor let changed = Todo(id: 7, title: "Bread")

/// A button and a banner of no toolkit.
@MainActor final class Button { var isEnabled = true; var title: String? }
@MainActor let undoButton = Button()
@MainActor final class Banner { var isHidden = true }
@MainActor let banner = Banner()

@MainActor func show(_ value: some Any) {}

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
@MainActor var rows = try! store.snapshot.core
@MainActor let transition = ListTransition(from: rows, to: rows)

/// A clock for tests.
final class FixedClock: @unchecked Sendable { var now = Timestamp(microseconds: 0) }
