// What somebody writes on the first day, from the README: a list that persists, undoes and searches, and a check that each of its
// changes plays in a table view. Tools/check-snippets starts it twice and compares what it prints.

import Listory
import ListoryTestSupport

nonisolated struct Note: Codable, Identifiable, Sendable {
    var id = UUID()
    var text: String
}

let store = try ListStore<String, Note>.open(at: "notes.listory", createIfMissing: true)
let before = try store.snapshot
print("at the start: \(before.rows.map(\.description))")

try store.edit("Plan") { list in
    for text in ["Buy milk", "Call Anna", "Milk the cow"] { try list.insert(Note(text: text), at: .end(of: "today")) }
}
let planned = try store.snapshot
if let first = planned.rows.first {
    try store.edit("Check") { try $0.toggle(first.id) }
}
try store.edit("Clear Completed") { try $0.delete { $0.isChecked } }
let cleared = try store.snapshot

let found = try store.view { $0.filter { !$0.isChecked }.searchable(in: \.text) }
try found.search("milk")
print("found: \(try found.snapshot.rows.map(\.description))")

print(try store.undoState().undoTitle())
try store.undo()
let undone = try store.snapshot
print("undone: \(undone.rows.map(\.description))")
try store.edit("Uncheck") { list in
    for row in try list.rows where row.isChecked { try list.toggle(row.id) }
}

let steps = [before, planned, cleared, undone, try store.snapshot]
for (old, new) in zip(steps, steps.dropFirst()) {
    try ListTransition(from: old.core, to: new.core).checkConsumers()
}
print("in all: \(try store.snapshot.changeset(from: before))")
