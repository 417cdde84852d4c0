import Foundation
import Listory

struct Todo: Codable, Identifiable, Sendable {
    var id = UUID()
    var title: String
}

let store = try ListStore<String, Todo>.open(at: "todo.listory", createIfMissing: true)
