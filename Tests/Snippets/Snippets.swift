// What the code in README.md and Docs/Guides leaves out: an app's own types, a store, and what shows it. Never run.

import Foundation
import Listory
import ListoryUI

struct Todo: Codable, Identifiable, Sendable, Equatable { var id: Int; var title: String }

@MainActor let path = "todo.listory"
@MainActor let store = try! ListStore<String, Todo>.open(at: path)
@MainActor let version = Version(1)

/// A button of no toolkit.
@MainActor final class Button { var isEnabled = true; var title: String? }
@MainActor let undoButton = Button()

@MainActor func show(_ value: some Any) {}
