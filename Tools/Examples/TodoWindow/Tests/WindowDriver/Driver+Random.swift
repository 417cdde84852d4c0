// Makes random edits, by the window's widgets and by others; after each, model, listeners and widgets are compared with
// the store.

import CDriver
import CListRows
import Foundation
import ListModel
import Listory
import TestSupport
import TodoWindow

extension Driver {
    func runRandomEdits(seed: UInt64, steps: Int) throws {
        var random = SeededGenerator(seed: seed)
        for step in 0..<steps {
            let what = try edit(&random)
            try check("seed \(seed), step \(step), \(what)")
        }
        print("\(steps) steps, \(try store.core.version) commits, \(mirror.spliceCount) splices")
    }

    /// Makes a random edit, and returns its description.
    private func edit(_ random: inout SeededGenerator) throws -> String {
        switch random.below(10) {
        case 0, 1: return try editByWidgets(&random)
        case 2: return try editByActions(&random)
        case 3: return try revert(&random)
        case 4:
            let text = ["", "", "a", "a 1", "E", "x"][random.below(6)]
            search(for: text)
            return "search for \"\(text)\""
        case 5: return try editFromElsewhere(count: 2 + random.below(30), &random)
        default: return try editFromElsewhere(count: 1, &random)
        }
    }

    /// Uses the widgets of a visible row.
    private func editByWidgets(_ random: inout SeededGenerator) throws -> String {
        // Only a visible title can be edited.
        guard let row = visibleRows.randomElement(using: &random)?.widget else { return try enter(&random) }
        switch random.below(4) {
        case 0: return try enter(&random)
        case 1:
            gtk_check_button_set_active(row.check.checkButton, row.isShownChecked ? 0 : 1)
            return "a click on a checkmark"
        case 2:
            let title = random.title()
            gtk_editable_label_start_editing(row.title.object)
            guard row.isEditing else { throw Failure("\(row.shownTitle) cannot be edited") }
            gtk_editable_set_text(row.title.object, title)
            gtk_editable_label_stop_editing(row.title.object, 1)
            return "a title edited to \(title)"
        default:
            // A button that is activated stays pressed for a quarter of a second before it is clicked.
            let before = try store.core.version
            gtk_widget_activate(WidgetTree.find("GtkButton", in: row.box))
            try waitUntil("the bin is clicked") { try store.core.version > before }
            return "a click on a bin"
        }
    }

    private func enter(_ random: inout SeededGenerator) throws -> String {
        let title = random.title()
        gtk_editable_set_text(window.newEntry.object, title)
        listory_activate_entry(window.newEntry)
        return "\(title) entered"
    }

    /// Uses the actions behind the keys, on a row that is selected.
    private func editByActions(_ random: inout SeededGenerator) throws -> String {
        let action = ["move-up", "move-down", "delete", "toggle", "undo", "redo"][random.below(6)]
        if window.model.count > 0 {
            gtk_single_selection_set_selected(window.selection, guint(random.below(window.model.count)))
        }
        gtk_widget_activate_action_variant(window.listView, "todo.\(action)", nil)
        return "the action \(action)"
    }

    private func revert(_ random: inout SeededGenerator) throws -> String {
        let history = try store.history
        let isUndo = random.below(3) > 0
        let count = min(1 + random.below(6), isUndo ? history.undoCount : history.redoCount)
        _ = try isUndo ? store.undo(count) : store.redo(count)
        return isUndo ? "\(count) undone" : "\(count) redone"
    }

    /// Lets another thread edit as fast as possible.
    private func editFromElsewhere(count: Int, _ random: inout SeededGenerator) throws -> String {
        let edits = elsewhere
        let done = DispatchSemaphore(value: 0)
        var source = SeededGenerator(seed: random.next())
        let names = (0..<count).map { _ in source.title() }
        let seed = source.next()
        Thread.detachNewThread {
            var random = SeededGenerator(seed: seed)
            for name in names { try! edits.randomEdit(name, &random) }
            done.signal()
        }
        done.wait()
        return "\(count) edits from elsewhere"
    }
}

extension TodoEdits {
    /// Makes one edit of a random row.
    fileprivate func randomEdit(_ name: String, _ random: inout SeededGenerator) throws {
        let rows = try store.snapshot.sections.flatMap { $0.rows.map { $0.id } }
        guard let id = rows.randomElement(using: &random), let other = rows.randomElement(using: &random) else {
            return _ = try add(name)
        }
        switch random.below(rows.count > 40 ? 8 : 6) {
        case 0: try add(name)
        case 1: try setChecked(random.below(2) == 0, for: id)
        case 2: try rename(id, to: name)
        case 3: try move(id, to: random.below(2) == 0 ? .before(other) : .after(other))
        case 4:
            // A row that moves and changes at once.
            try store.edit("Both", durability: .deferred) { list in
                try list.update(Todo(id: id, title: name))
                if id != other { try list.move(id, to: .before(other)) }
            }
        case 5:
            try store.edit("Insert several", durability: .deferred) { list in
                try list.insert((0..<random.below(4)).map { Todo(title: "\(name) \($0)") }, at: .after(id))
            }
        default: try store.edit("Delete several", durability: .deferred) { try $0.delete(.items([id, other])) }
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func title() -> String {
        ["Milk", "Tea", "Bread", "Rice", "Salt", "Jam", "Oil", "Xylitol"].randomElement(using: &self)!
            + " \(below(100))"
    }
}
