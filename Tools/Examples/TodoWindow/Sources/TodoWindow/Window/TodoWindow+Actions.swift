// The gestures of the user, by button, key and mouse.
//
// Always holds: each gesture is one commit. If a gesture fails, the window shows the error, and nothing changes.

import CListRows
import Foundation

extension TodoWindow {
    /// Makes the actions, their buttons and their keys.
    func addActions() {
        let group = g_simple_action_group_new()!
        let all: [(String, @MainActor () -> Void)] = [
            ("undo", { [unowned self] in attempt { try edits.undo() } }),
            ("redo", { [unowned self] in attempt { try edits.redo() } }),
            ("delete", { [unowned self] in currentRow.map { delete($0) } }),
            ("toggle", { [unowned self] in toggleCurrent() }),
            ("rename", { [unowned self] in renameCurrent() }),
            ("move-up", { [unowned self] in moveCurrent(by: -1) }),
            ("move-down", { [unowned self] in moveCurrent(by: 1) }),
            ("find", { [unowned self] in _ = gtk_widget_grab_focus(searchEntry) }),
            ("new", { [unowned self] in _ = gtk_widget_grab_focus(newEntry) }),
            ("close", { [unowned self] in gtk_window_close(window.as()) }),
        ]
        for (name, body) in all {
            let action = g_simple_action_new(name, nil)!
            onSignal(action.raw, "activate") { _ in body() }
            g_action_map_add_action(group.object, action)
            actions[name] = action
            g_object_unref(action.raw)
        }
        gtk_widget_insert_action_group(window, "todo", group.object)
        g_object_unref(group)
        gtk_actionable_set_action_name(undoButton.object, "todo.undo")
        gtk_actionable_set_action_name(redoButton.object, "todo.redo")

        addKeys(
            to: window,
            [
                "<Control>z": "undo", "<Control><Shift>z": "redo", "<Control>y": "redo", "<Control>f": "find",
                "<Control>n": "new", "<Control>w": "close",
            ])
        addKeys(
            to: listView,
            ["Delete": "delete", "<Alt>Up": "move-up", "<Alt>Down": "move-down", "F2": "rename", "space": "toggle"])
    }

    private func addKeys(to widget: Widget, _ keys: [String: String]) {
        let controller = gtk_shortcut_controller_new()!
        for (key, action) in keys {
            gtk_shortcut_controller_add_shortcut(
                controller,
                gtk_shortcut_new(gtk_shortcut_trigger_parse_string(key), gtk_named_action_new("todo.\(action)")))
        }
        gtk_widget_add_controller(widget, controller)
    }

    /// Connects the entry for new rows and the one for the search.
    func addEntries() {
        onSignal(newEntry, "activate") { [unowned self] _ in
            let title = String(cString: gtk_editable_get_text(newEntry.object))
                .trimmingCharacters(in: .whitespacesAndNewlines)
            guard !title.isEmpty else { return }
            attempt {
                added = try edits.add(title)
                gtk_editable_set_text(newEntry.object, "")
            }
        }
        onSignal(searchEntry, "search-changed") { [unowned self] _ in searchChanged() }
        onSignal(searchEntry, "stop-search") { [unowned self] _ in
            gtk_editable_set_text(searchEntry.object, "")
            _ = gtk_widget_grab_focus(listView)
        }
    }

    private func searchChanged() {
        attempt { try view.search(for: String(cString: gtk_editable_get_text(searchEntry.object))) }
        showNewest()
    }

    /// Calls `body`, and shows its error in the window.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { report(error) }
    }
}

// MARK: - The row that is meant

extension TodoWindow {
    /// The row with the focus, otherwise the selected one; nil while its title is being typed.
    private var currentRow: UUID? {
        shownRows.contains { $0.widget.isEditing } ? nil : focusedRow ?? selectedRow
    }

    private func toggleCurrent() {
        guard let id = currentRow, let row = shownRows.first(where: { $0.widget.id == id }) else { return }
        setChecked(!row.widget.isShownChecked, for: id)
    }

    private func renameCurrent() {
        guard let id = currentRow, let row = shownRows.first(where: { $0.widget.id == id }) else { return }
        _ = gtk_widget_grab_focus(row.widget.title)
        gtk_editable_label_start_editing(row.widget.title.object)
    }

    /// Moves the row before the previous one on the screen, or after the next one.
    private func moveCurrent(by step: Int) {
        guard let id = currentRow, let position = position(of: id) else { return }
        guard let neighbour = model.id(at: position + step) else { return }
        move(id, to: step < 0 ? .before(neighbour) : .after(neighbour))
    }
}

extension TodoWindow: RowActions {
    func setChecked(_ isChecked: Bool, for id: UUID) { attempt { try edits.setChecked(isChecked, for: id) } }
    func rename(_ id: UUID, to title: String) { attempt { try edits.rename(id, to: title) } }
    func move(_ id: UUID, to place: TodoEdits.Place) { attempt { try edits.move(id, to: place) } }
    func delete(_ id: UUID) { attempt { try edits.delete(id) } }

    func setDragging(_ isDragging: Bool) { feed.isHeld = isDragging }

    func select(_ id: UUID) {
        guard selectedRow != id, let position = position(of: id) else { return }
        gtk_single_selection_set_selected(selection, guint(position))
    }
}
