// An app's lists in SwiftUI, as the guide SwiftUI has them: must pass the type check.

import Listory
import ListoryUI
import SwiftUI

/// The store of the app, opened once.
@MainActor let store = try! ListStore<String, Todo>.open(at: "todo.listory", createIfMissing: true)

/// A list of todos.
struct TodoList: View {
    @ObservedList(store, names: ActionNames { $0.title }, query: { $0.searchable(in: \.title) }) var todos

    var body: some View {
        ListTable(todos) { row in
            TextField("Title", text: todos.binding(row, \.title, default: "", named: "Rename"))
        }
        .searchable(text: $todos.searchText)
        .listUndo(todos)
    }
}

/// A list of a store that the view is given, by sections that the app does not show in its own list.
struct TodoSections: View {
    @ObservedList<String, Todo> var todos: ObservedList<String, Todo>.Rows
    @State private var hidesDone = false

    init(_ store: ListStore<String, Todo>) {
        _todos = ObservedList(store, names: ActionNames { $0.title }) { $0.searchable(in: \.title) }
    }

    var body: some View {
        List {
            ListSections(todos) { row in Toggle(row.item?.title ?? "?", isOn: todos.isChecked(row)) }
        }
        .onChange(of: hidesDone) { todos.show { [hidesDone] in hidesDone ? $0.filter { !$0.isChecked } : $0 } }
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

/// An app whose Edit menu undoes edits of the list.
struct TodoApp: App {
    var body: some Scene {
        WindowGroup { TodoList() }
            .commands { ListUndoCommands() }
    }
}
