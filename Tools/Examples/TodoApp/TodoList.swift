// The screen: the list with its search field, a field for new rows, and the tool bar.

import Foundation
import Listory
import ListoryUI
import SwiftUI

struct TodoList: View {
    @ObservedList<String, Todo> private var todos: TodoRows
    @State private var newTitle = ""
    @State private var hidesDone = false

    init(_ store: ListStore<String, Todo>) {
        _todos = ObservedList(store, names: ActionNames { $0.title }) { $0.searchable(in: \.title) }
    }

    var body: some View {
        NavigationStack {
            VStack(spacing: 0) {
                // In O(change). `List { ListSections(todos) { … } }` works too, and reads the ids of all rows.
                ListTable(todos) { row in TodoRow(todos: todos, row: row) }
                TextField("New", text: $newTitle)
                    .onSubmit(add)
                    .padding()
                TimeTravel(todos: todos)
            }
            .searchable(text: $todos.searchText)
            .toolbar {
                Toggle("Hide done", isOn: $hidesDone)
                Button(todos.undoState.undoTitle()) { todos.undo() }
                    .disabled(!todos.undoState.canUndo)
                Button(todos.undoState.redoTitle()) { todos.redo() }
                    .disabled(!todos.undoState.canRedo)
            }
        }
        .onChange(of: hidesDone) {
            todos.show { [hidesDone] list in
                (hidesDone ? list.filter { !$0.isChecked } : list).searchable(in: \.title)
            }
        }
        .alert(todos.failure?.description ?? "", isPresented: hasFailed) {
            Button("OK") { todos.failure = nil }
        }
        // For the Edit menu and its keys.
        .listUndo(todos)
    }

    private func add() {
        guard !newTitle.isEmpty, let section = todos.sections.first else { return }
        if todos.insert(Todo(title: newTitle), in: section) { newTitle = "" }
    }

    private var hasFailed: Binding<Bool> {
        Binding(
            get: { @MainActor in todos.failure != nil },
            set: { @MainActor isShown in if !isShown { todos.failure = nil } })
    }
}

typealias TodoRows = ObservedList<String, Todo>.Rows

/// A row. Each key stroke is a commit; undo takes back what was typed without a pause.
struct TodoRow: View {
    let todos: TodoRows
    let row: TodoRows.Row

    var body: some View {
        HStack {
            Toggle("Done", isOn: todos.isChecked(row)).labelsHidden()
            TextField("Title", text: todos.binding(row, \.title, default: "", named: "Rename"))
        }
    }
}
