// An app's SwiftUI list, as Docs/Guides/SwiftUI.md has it: must pass the type check.

import Listory
import SwiftUI

/// A list of todos.
struct TodoList: View {
    @State var list: ObservableList<ListStore<String, Todo>>

    var body: some View {
        List {
            ListSections(list) { row in
                TextField("Title", text: list.binding(row, \.title, default: "", named: "Rename"))
            }
        }
    }
}

/// A list that the app builds with `ForEach`.
struct OwnTodoList: View {
    @State var list: ObservableList<ListStore<String, Todo>>

    var body: some View {
        List {
            ForEach(list.sections) { section in
                ForEach(section.rows) { row in Text(row.item?.title ?? "?") }
                    .onMove { list.move($0, to: $1, in: section) }
                    .onDelete { list.delete($0, in: section) }
            }
        }
    }
}
