// Reads the rows on the screen from the tree of widgets, like an assistive tool.

import CListRows
import TodoWindow

@MainActor
enum WidgetTree {
    /// Compares the rows of the widgets with the expected rows.
    static func check(_ window: TodoWindow, _ expected: [ShownRow], _ when: String) throws {
        let known = Dictionary(uniqueKeysWithValues: window.shownRows.map { ($0.widget.box, $0) })
        var positions: [Int] = []
        for row in children(window.listView) {
            guard let box = children(row).first, let position = known[box]?.position else {
                throw Failure("\(when): a widget in the list view shows no row")
            }
            guard let title = find("GtkEditableLabel", in: row), let check = find("GtkCheckButton", in: row) else {
                throw Failure("\(when): row \(position) has no title or no checkmark")
            }
            let shown = ShownRow(
                title: String(cString: gtk_editable_get_text(title.object)),
                isChecked: gtk_check_button_get_active(check.checkButton) != 0)
            guard position < expected.count, shown == expected[position] else {
                throw Failure("\(when): the widgets of row \(position) show \(shown), the store has \(expected)")
            }
            positions.append(position)
        }
        // Invisible rows need no widgets; the window has space for a dozen.
        guard positions.count >= min(expected.count, 12) else {
            throw Failure("\(when): only the rows \(positions) of \(expected.count) have widgets")
        }
        guard positions == positions.sorted(), Set(positions).count == positions.count else {
            throw Failure("\(when): the widgets are not in order: \(positions)")
        }
    }

    /// The widgets directly inside another, in order.
    static func children(_ widget: Widget) -> [Widget] {
        Array(
            sequence(state: gtk_widget_get_first_child(widget)) { child in
                guard let next = child else { return nil }
                child = gtk_widget_get_next_sibling(next)
                return next
            })
    }

    /// The first widget of a type inside another.
    static func find(_ type: String, in widget: Widget) -> Widget? {
        if String(cString: g_type_name_from_instance(widget.typeInstance)) == type { return widget }
        return children(widget).lazy.compactMap { find(type, in: $0) }.first
    }
}

extension Widget {
    // SAFETY: a GObject begins with the fields of each of its types; the names say which they are.
    var typeInstance: UnsafeMutablePointer<GTypeInstance> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GTypeInstance.self)
    }
    var checkButton: UnsafeMutablePointer<GtkCheckButton> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkCheckButton.self)
    }
    var gtkWindow: UnsafeMutablePointer<GtkWindow> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkWindow.self)
    }
}
