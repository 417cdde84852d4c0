import Foundation
import Listory

struct Todo: Codable, Identifiable, Sendable {
    var id = UUID()
    var title: String
}

let store = try ListStore<String, Todo>.open(at: "todo.listory", createIfMissing: true)
let arguments = CommandLine.arguments.dropFirst()
let text = arguments.dropFirst().joined(separator: " ")

switch arguments.first {
case "add":
    try store.edit("Add \(text)") { try $0.insert(Todo(title: text), at: .end(of: "today")) }
default:
    break
}

for (number, row) in zip(1..., try store.snapshot.rows) {
    print("\(number) \(row)")
}
