// The widgets of one row on the screen. A list view makes as many as fit, and reuses each for other rows.
//
// Always holds: while bound, the widgets show the values of the row object, except for a title that is being typed. A
// gesture is passed to the window, and the row changes only after the store has changed.

import CListRows
import Foundation

/// The requests of a row to the window.
@MainActor
protocol RowActions: AnyObject {
    func setChecked(_ isChecked: Bool, for id: UUID)
    func rename(_ id: UUID, to title: String)
    func move(_ id: UUID, to place: TodoEdits.Place)
    func delete(_ id: UUID)
    /// A row is being dragged: neither the row nor its widgets may disappear meanwhile.
    func setDragging(_ isDragging: Bool)
    func select(_ id: UUID)
}

/// A row on the screen.
@MainActor
public final class RowWidget {
    /// The widget that contains the others.
    public let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10)!
    /// The checkmark.
    public let check = gtk_check_button_new()!
    /// The title, which becomes an entry when it is clicked.
    public let title = gtk_editable_label_new("")!
    /// The handle to drag the row.
    public let handle = gtk_image_new_from_icon_name("list-drag-handle-symbolic")!
    private let bin = gtk_button_new_from_icon_name("user-trash-symbolic")!

    private weak var actions: (any RowActions)?
    /// The row that is shown, if there is one, and the connection to it.
    private(set) var row: OpaquePointer?
    private var connection: gulong = 0
    /// The title when its editing began.
    private var titleBefore: String?
    /// The id of the last shown row, while no row is bound.
    private var idBefore: UUID?

    init(_ actions: any RowActions) {
        self.actions = actions
        // Held until `linger`.
        g_object_ref_sink(box)
        gtk_widget_set_hexpand(title, 1)
        gtk_widget_set_valign(check, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(title, GTK_ALIGN_CENTER)
        for (widget, style) in [(handle, "handle"), (title, "title"), (bin, "flat"), (bin, "bin")] {
            gtk_widget_add_css_class(widget, style)
        }
        gtk_widget_set_tooltip_text(handle, "Drag to reorder")
        gtk_widget_set_tooltip_text(bin, "Delete")
        gtk_widget_set_cursor_from_name(handle, "grab")
        gtk_widget_set_focusable(bin, 0)
        for widget in [handle, check, title, bin] { gtk_box_append(box.as(), widget) }

        onSignal(check, "toggled") { [unowned self] _ in checkToggled() }
        onSignal(title, "notify::editing") { [weak self] _ in self?.editingChanged() }
        onSignal(bin, "clicked") { [unowned self] _ in id.map { self.actions?.delete($0) } }
        let focus = gtk_event_controller_focus_new()!
        onSignal(focus.raw, "enter") { [unowned self] _ in id.map { self.actions?.select($0) } }
        gtk_widget_add_controller(box, focus)
        addDragSource()
        addDropTarget()
    }

    /// The id of the row that is shown.
    public var id: UUID? { row.flatMap { RowModel.id(of: $0) } }
    /// The text of the title.
    public var shownTitle: String { String(cString: gtk_editable_get_text(title.object)) }
    /// Whether the checkmark is set.
    public var isShownChecked: Bool { gtk_check_button_get_active(check.as()) != 0 }
    /// Whether the title is being typed.
    public var isEditing: Bool { gtk_editable_label_get_editing(title.object) != 0 }

    /// Begins to show a row.
    func bind(_ row: OpaquePointer) {
        // GTK 4.8 unbinds and binds a row again whenever its position or its selection changes. A title that is being
        // typed stays, unless the row is another one.
        if isEditing, idBefore != RowModel.id(of: row) {
            titleBefore = nil
            gtk_editable_label_stop_editing(title.object, 0)
        }
        self.row = row
        connection = onSignal(row.raw, "notify") { [unowned self] _ in show() }
        show()
    }

    /// Ends showing the row.
    func unbind() {
        guard let row else { return }
        disconnect(row.raw, connection)
        idBefore = id
        self.row = nil
        setDropPlace(nil)
    }

    /// Keeps the widgets a little longer than the row.
    ///
    /// When an editable label loses the focus, GTK 4.8 sets a timer of a tenth of a second. If it loses the focus
    /// twice, GTK does not cancel the first timer, which then may use a freed label.
    func linger() {
        let release: GSourceFunc = { box in
            g_object_unref(box)
            return 0
        }
        g_timeout_add(1000, release, box)
    }

    /// Shows the values of the row.
    private func show() {
        guard let row else { return }
        let isChecked = listory_row_get_checked(row) != 0
        if isShownChecked != isChecked { gtk_check_button_set_active(check.as(), isChecked.gboolean) }
        if isChecked { gtk_widget_add_css_class(title, "done") } else { gtk_widget_remove_css_class(title, "done") }
        let text = String(cString: listory_row_get_title(row))
        if !isEditing, shownTitle != text { gtk_editable_set_text(title.object, text) }
    }

    private func checkToggled() {
        // Binding also sets the check button, to the value of the row.
        guard let row, let id, isShownChecked != (listory_row_get_checked(row) != 0) else { return }
        actions?.setChecked(isShownChecked, for: id)
    }

    private func editingChanged() {
        if isEditing {
            titleBefore = shownTitle
            return
        }
        let text = shownTitle.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let before = titleBefore, let id else { return }
        titleBefore = nil
        if text.isEmpty || text == before { show() } else { actions?.rename(id, to: text) }
    }
}

// MARK: - Reordering with the mouse

extension RowWidget {
    private func addDragSource() {
        let source = gtk_drag_source_new()!
        gtk_drag_source_set_actions(source, GDK_ACTION_MOVE)
        onSignal(source.raw, "prepare") { [unowned self] arguments in
            guard let row else { return arguments.answer(giving: nil) }
            var value = GValue()
            g_value_init(&value, listory_row_get_type())
            g_value_set_object(&value, row.raw)
            arguments.answer(giving: gdk_content_provider_new_for_value(&value).map { UnsafeMutableRawPointer($0) })
            g_value_unset(&value)
        }
        onSignal(source.raw, "drag-begin") { [unowned self] _ in
            let picture = gtk_widget_paintable_new(box)
            gtk_drag_source_set_icon(source, picture, 12, 12)
            g_object_unref(picture?.raw)
            actions?.setDragging(true)
        }
        onSignal(source.raw, "drag-end") { [unowned self] _ in actions?.setDragging(false) }
        gtk_widget_add_controller(handle, source)
    }

    private func addDropTarget() {
        let target = gtk_drop_target_new(listory_row_get_type(), GDK_ACTION_MOVE)!
        onSignal(target.raw, "drop") { [unowned self] arguments in
            setDropPlace(nil)
            guard let dropped = arguments.boxedObject(1).flatMap({ RowModel.id(of: OpaquePointer($0)) }),
                let place = place(at: arguments.double(3))
            else { return arguments.answer(false) }
            actions?.move(dropped, to: place)
            arguments.answer(true)
        }
        onSignal(target.raw, "motion") { [unowned self] arguments in
            setDropPlace(place(at: arguments.double(2)))
            if let result = arguments.result { g_value_set_flags(result, GDK_ACTION_MOVE.rawValue) }
        }
        onSignal(target.raw, "leave") { [unowned self] _ in setDropPlace(nil) }
        gtk_widget_add_controller(box, target)
    }

    /// The place of a drop at a height: before this row above its middle, after it below.
    private func place(at y: Double) -> TodoEdits.Place? {
        id.map { y < Double(gtk_widget_get_height(box)) / 2 ? .before($0) : .after($0) }
    }

    /// Draws a line where a drop would go.
    private func setDropPlace(_ place: TodoEdits.Place?) {
        gtk_widget_remove_css_class(box, "drop-before")
        gtk_widget_remove_css_class(box, "drop-after")
        switch place {
        case .before: gtk_widget_add_css_class(box, "drop-before")
        case .after: gtk_widget_add_css_class(box, "drop-after")
        case nil: break
        }
    }
}
