// The window: a list of to-dos over a store.
//
// A gesture becomes a commit. The store reports it like any other commit, and only then the rows change. So the window
// shows the rows of the store, whatever code has edited them.
//
// Always holds: when GTK's loop is idle, the list view shows the newest rows that match the search.

import CListRows
import Foundation
import ListModel
import Listory

/// A to-do list on the screen: add, check, rename, reorder, delete, undo, redo, search.
///
/// ```swift
/// let window = try TodoWindow(ListStore.open(at: "todo.listory", createIfMissing: true))
/// window.present()
/// ```
///
/// It belongs to the thread that called `gtk_init`, which has to be the process's first thread. It exists until it is
/// closed.
@MainActor
public final class TodoWindow {
    public let window = gtk_window_new()!
    /// The entry for a new title; Return adds a row.
    public let newEntry = gtk_entry_new()!
    /// The entry for the search.
    public let searchEntry = gtk_search_entry_new()!
    public let undoButton = gtk_button_new_from_icon_name("edit-undo-symbolic")!
    public let redoButton = gtk_button_new_from_icon_name("edit-redo-symbolic")!
    /// The number of rows, or an error.
    public let status = gtk_label_new("")!
    /// The rows on the screen and a few around them.
    public let listView: Widget
    /// Which row is selected, at most one.
    public let selection: OpaquePointer
    let stack = gtk_stack_new()!
    let scrolled = gtk_scrolled_window_new()!
    let emptyLabel = gtk_label_new("")!

    /// The views of the store.
    public let view: TodoView
    /// The rows of the list view.
    public let model: RowModel
    /// The version that was shown last.
    public private(set) var shownVersion: Version
    let edits: TodoEdits
    /// The widgets of rows, by their list item.
    private var widgets: [OpaquePointer: RowWidget] = [:]
    var actions: [String: OpaquePointer] = [:]
    let feed: UpdateFeed
    /// A new row, to scroll to as soon as it is shown.
    var added: UUID?
    /// The closures that wait for the next frame.
    private var waiting: [@MainActor () -> Void] = []
    /// The connection to the frames of the window, once a closure has waited for one.
    private var frames: gulong?
    /// Called when the window was closed.
    public var closed: @MainActor () -> Void = {}

    /// A window over a store, not shown yet.
    ///
    /// - Throws: ``ListError/closed``.
    public init(_ store: ListStore<String, Todo>, title: String = "To-dos") throws {
        edits = TodoEdits(store)
        // The feed begins before the first rows are read, so that no commit is missed.
        feed = try UpdateFeed(store)
        shownVersion = feed.newest.version
        view = try TodoView(of: store)
        model = RowModel(try view.snapshot, store.core.source)
        selection = gtk_single_selection_new(nil)
        gtk_single_selection_set_autoselect(selection, 0)
        gtk_single_selection_set_can_unselect(selection, 1)
        let factory = gtk_signal_list_item_factory_new()
        listView = gtk_list_view_new(selection, factory)

        gtk_window_set_title(window.as(), title)
        gtk_window_set_default_size(window.as(), 460, 640)
        connect(factory!, "setup", "bind", "unbind", "teardown")
        gtk_single_selection_set_model(selection, model.list)
        Style.apply(to: gtk_widget_get_display(window))
        arrange()
        addActions()
        addEntries()
        // GTK owns a window until it is closed. This closure, which is released with it, keeps this object.
        onSignal(window, "destroy") { _ in self.closed() }

        feed.show = { [unowned self] in showNewest() }
        feed.failed = { [unowned self] in report($0) }
        showState()
    }

    /// Closes the window, and releases everything that it held.
    public func close() { gtk_window_destroy(window.as()) }

    /// Shows the window.
    public func present() {
        gtk_window_present(window.as())
        gtk_widget_grab_focus(newEntry)
    }

    /// The widgets of rows that are on the screen or near it, from top to bottom.
    public var shownRows: [(position: Int, widget: RowWidget)] {
        widgets.compactMap { item, widget in
            widget.row == nil ? nil : (Int(gtk_list_item_get_position(item)), widget)
        }.sorted { $0.position < $1.position }
    }

    private func connect(_ factory: OpaquePointer, _ names: String...) {
        for name in names {
            onSignal(factory.raw, name) { [unowned self] arguments in
                let item = OpaquePointer(arguments.object(1))
                switch name {
                case "setup":
                    let widget = RowWidget(self)
                    widgets[item] = widget
                    gtk_list_item_set_child(item, widget.box)
                case "bind": widgets[item]?.bind(OpaquePointer(gtk_list_item_get_item(item)))
                case "unbind": widgets[item]?.unbind()
                default: widgets.removeValue(forKey: item)?.linger()
                }
            }
        }
    }
}

// MARK: - What is shown

extension TodoWindow {
    /// Shows the newest rows that match the search. The selected row stays selected and the focused row focused,
    /// wherever they have moved.
    func showNewest() {
        let selected = selectedRow
        let focused = focusedRow
        shownVersion = feed.newest.version
        do { model.show(try view.snapshot) } catch { return report(error) }
        restore(selected, focused)
        if let row = added, let position = position(of: row) {
            added = nil
            gtk_single_selection_set_selected(selection, guint(position))
            whenLaidOut { [weak self] in self?.scroll(to: position) }
        }
        showState()
    }

    /// Shows the number of rows, and the next undo and redo.
    func showState() {
        do {
            let state = try edits.undoState
            g_simple_action_set_enabled(actions["undo"], state.canUndo.gboolean)
            g_simple_action_set_enabled(actions["redo"], state.canRedo.gboolean)
            gtk_widget_set_tooltip_text(undoButton, state.canUndo ? state.undoTitle() : "Nothing to undo")
            gtk_widget_set_tooltip_text(redoButton, state.canRedo ? state.redoTitle() : "Nothing to redo")
            showCounts(all: feed.newest.itemCount, done: try view.doneCount)
        } catch { report(error) }
    }

    private func showCounts(all count: Int, done: Int) {
        let isEmpty = model.count == 0
        gtk_stack_set_visible_child_name(stack.object, isEmpty ? "empty" : "list")
        gtk_label_set_text(emptyLabel.object, count == 0 ? "Nothing to do." : "Nothing found.")
        gtk_widget_remove_css_class(status, "error")
        let counts = count == 1 ? "1 to-do" : "\(count) to-dos"
        let found = view.search.isEmpty ? "" : "\(model.count) found in "
        gtk_label_set_text(status.object, "\(found)\(counts), \(done) done")
    }

    /// Shows an error.
    func report(_ error: any Error) {
        gtk_widget_add_css_class(status, "error")
        gtk_label_set_text(status.object, "\(error)")
    }

    /// Scrolls until a row is visible. All rows have the same height, unless a title is very large.
    public func scroll(to position: Int) {
        let adjustment = gtk_scrolled_window_get_vadjustment(scrolled.object)
        let height = gtk_adjustment_get_upper(adjustment) / Double(max(model.count, 1))
        let top = height * Double(position)
        gtk_adjustment_clamp_page(adjustment, top, top + height)
    }

    private func restore(_ selected: UUID?, _ focused: UUID?) {
        guard let selected, selectedRow != selected, let position = position(of: selected) else { return }
        gtk_single_selection_set_selected(selection, guint(position))
        guard focused == selected else { return }
        // The row has another widget now, which exists only after the next layout of the list view.
        whenLaidOut { [weak self] in
            self?.scroll(to: position)
            self?.focus(on: selected)
        }
    }

    /// Calls `body` when the list view has a place for each row that it has now: after the next frame.
    private func whenLaidOut(_ body: @escaping @MainActor () -> Void) {
        guard let clock = gtk_widget_get_frame_clock(listView) else { return body() }
        waiting.append(body)
        if frames == nil {
            frames = onSignal(clock.raw, "after-paint") { [weak self] _ in self?.wasLaidOut() }
        }
        gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_AFTER_PAINT)
    }

    private func wasLaidOut() {
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }

    /// Gives the focus to a row of the list.
    private func focus(on id: UUID) {
        guard let widget = shownRows.first(where: { $0.widget.id == id })?.widget else { return }
        gtk_widget_grab_focus(gtk_widget_get_parent(widget.box))
    }
}

// MARK: - Which row is meant

extension TodoWindow {
    /// The id of the selected row.
    public var selectedRow: UUID? {
        gtk_single_selection_get_selected_item(selection).flatMap { RowModel.id(of: OpaquePointer($0)) }
    }

    /// The position of a row in the list view, or nil if it is not shown.
    ///
    /// - Complexity: O(rows with widgets) for one of those, else O(n).
    func position(of id: UUID) -> Int? {
        shownRows.first { $0.widget.id == id }?.position ?? model.offset(of: id)
    }

    /// The id of the row with the focus.
    var focusedRow: UUID? {
        guard let focus = gtk_window_get_focus(window.as()) else { return nil }
        return shownRows.first { row in
            let item = gtk_widget_get_parent(row.widget.box)
            return focus == item || gtk_widget_is_ancestor(focus, item) != 0
        }?.widget.id
    }
}
