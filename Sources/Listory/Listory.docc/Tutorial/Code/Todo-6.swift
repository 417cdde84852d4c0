import Foundation
import Listory

struct Todo: Codable, Identifiable, Sendable {
    var id = UUID()
    var title: String
}

let store = try ListStore<String, Todo>.open(at: "todo.listory", createIfMissing: true)
let arguments = CommandLine.arguments.dropFirst()
let text = arguments.dropFirst().joined(separator: " ")

/// The id of the row whose number, counted from 1, the user typed.
func id() throws -> UUID? {
    guard let word = text.split(separator: " ").first, let number = Int(word) else { return nil }
    return try store.snapshot.row(at: ListIndexPath(section: 0, item: number - 1))?.id
}

switch arguments.first {
case "add":
    try store.edit("Add \(text)") { try $0.insert(Todo(title: text), at: .end(of: "today")) }
case "check":
    guard let id = try id() else { break }
    try store.edit("Check") { try $0.toggle(id) }
case "rename":
    guard let id = try id() else { break }
    let title = text.split(separator: " ").dropFirst().joined(separator: " ")
    try store.edit("Rename") { try $0.update(id) { $0.title = title } }
case "top":
    guard let id = try id() else { break }
    try store.edit("Move to the Top") { try $0.move(id, to: .start(of: "today")) }
case "clear":
    try store.edit("Clear Completed") { try $0.delete { $0.isChecked } }
case "undo":
    if try store.undoState().canUndo { try store.undo() }
case "redo":
    if try store.undoState().canRedo { try store.redo() }
default:
    break
}

var shown = try store.snapshot
if arguments.first == "find" {
    let view = try store.view { $0.searchable(in: \.title) }
    try view.search(text)
    shown = try view.snapshot
} else if arguments.first == "ago", let minutes = Double(text) {
    shown = try store.snapshot(at: .now - minutes * 60)
}
for (number, row) in zip(1..., shown.rows) {
    print("\(number) \(row)")
}
