// expected error: generic parameter 'SectionID' could not be inferred
import Listory
import ListoryUI
import SwiftUI

/// An observed list without its store.
struct WrongStore: View {
    @ObservedList(names: ActionNames<Todo> { $0.title }) var todos
    var body: some View { Text("") }
}

struct Todo: Codable, Identifiable, Sendable {
    var id: Int
    var title: String
}
