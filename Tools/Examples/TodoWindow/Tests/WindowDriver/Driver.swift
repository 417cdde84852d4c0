// A window over a separate store, with the functions of a test.
//
// Always holds: when `settle` returns, the window shows the newest version and has been drawn.

import CListRows
import CDriver
import Foundation
import ListModel
import Listory
import TodoWindow

/// A failed check.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The values of a row, as the store, the model or a widget has them.
struct ShownRow: Equatable, CustomStringConvertible {
    var title: String
    var isChecked: Bool

    var description: String { (isChecked ? "[x] " : "[ ] ") + title }
}

@MainActor
final class Driver {
    let folder: String
    let store: ListStore<String, Todo>
    /// Edits of the same store by others.
    let elsewhere: TodoEdits
    let window: TodoWindow
    /// Listens to the rows of the list view.
    let mirror: MirrorList
    /// The text of the search.
    var search = ""
    private var drawnFrames = 0

    /// Opens a window, drives it, closes it, and checks that all its objects are freed.
    static func run(in folder: String, _ body: (Driver) throws -> Void) throws {
        let rest = try Rest { () -> Driver in
            let driver = try Driver(folder: folder)
            try body(driver)
            driver.window.close()
            try driver.store.close()
            return driver
        }
        for _ in 0..<100 where rest.isAnythingLeft {
            while g_main_context_iteration(nil, 0) != 0 {}
            usleep(10_000)
        }
        if rest.isAnythingLeft { throw Failure("the window or its model outlives its end") }
    }

    /// The objects that must be freed when a window is closed.
    private struct Rest {
        private weak var window: TodoWindow?
        private weak var model: RowModel?

        @MainActor
        init(_ body: () throws -> Driver) rethrows {
            let driver = try body()
            window = driver.window
            model = driver.window.model
        }

        var isAnythingLeft: Bool { window != nil || model != nil }
    }

    init(folder: String) throws {
        self.folder = folder
        store = try ListStore.open(at: folder + "/todo.listory", createIfMissing: true)
        elsewhere = TodoEdits(store, origin: "elsewhere")
        window = try TodoWindow(store, title: "Groceries")
        mirror = MirrorList(window.model.list)
        window.present()
        onSignal(gdk_surface_get_frame_clock(surface)!.raw, "after-paint") { [unowned self] _ in drawnFrames += 1 }
        try settle()
        // Without a window manager, the window does not get the focus by itself.
        try xdotool("windowfocus", "--sync", "\(windowNumber)")
        try waitUntil("the window is active") { gtk_window_is_active(window.window.gtkWindow) != 0 }
    }

    private var surface: OpaquePointer { gtk_native_get_surface(window.window.object) }

    /// The window's number at the X server.
    var windowNumber: UInt { listory_x_window(window.window) }

    // MARK: Time

    /// Runs GTK's loop until a condition is true.
    ///
    /// - Throws: ``Failure`` after twenty seconds, which is enough even on a busy machine.
    func waitUntil(_ what: @autoclosure () -> String, _ isSo: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while try !isSo() {
            guard ContinuousClock.now < deadline else { throw Failure("waited in vain until \(what())") }
            if g_main_context_iteration(nil, 0) == 0 { usleep(500) }
        }
    }

    /// Runs GTK's loop until the window shows the newest version.
    func settle() throws {
        // The version that is newest now: work that the loop still has to do may make further commits.
        try waitUntil(unsettled) { try window.shownVersion == store.core.version && window.view.search == search }
        // The layout of a frame may request another frame.
        for _ in 0..<3 {
            let frames = drawnFrames
            gtk_widget_queue_draw(window.window)
            try waitUntil("the window is drawn") { drawnFrames > frames && g_main_context_pending(nil) == 0 }
        }
    }

    /// The expected version and search, and the present ones.
    private var unsettled: String {
        let newest = (try? "version \(store.core.version), \(newestName),") ?? "the newest version"
        let status = String(cString: gtk_label_get_text(window.status.object))
        return "\(newest) and the search for \"\(search)\" are shown; shown is version \(window.shownVersion), "
            + "the search for \"\(window.view.search)\", and as status \"\(status)\""
    }

    // MARK: Input

    /// Sends events through the X server, and waits until they are sent.
    func xdotool(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdotool"] + arguments
        try process.run()
        // Otherwise, a program that hangs would keep the test waiting for its output.
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        try waitUntil("xdotool has run") { !process.isRunning }
        guard process.terminationStatus == 0 else { throw Failure("xdotool \(arguments) failed") }
    }

    /// Types a text into the widget with the focus.
    func type(_ text: String) throws { try xdotool("type", "--delay", "1", text) }

    /// Presses a key.
    func press(_ key: String) throws { try xdotool("key", key) }

    /// Puts the mouse over a widget.
    func point(at widget: Widget, height: Double = 0.5) throws {
        var (x, y, dx, dy) = (0.0, 0.0, 0.0, 0.0)
        gtk_native_get_surface_transform(window.window.object, &dx, &dy)
        let (width, full) = (Double(gtk_widget_get_width(widget)), Double(gtk_widget_get_height(widget)))
        guard gtk_widget_translate_coordinates(widget, window.window, width / 2, full * height, &x, &y) != 0 else {
            throw Failure("the widget is not in the window")
        }
        try xdotool("mousemove", "--window", "\(windowNumber)", "\(Int(x + dx))", "\(Int(y + dy))")
    }

    /// Clicks a widget.
    func click(_ widget: Widget) throws {
        try point(at: widget)
        try xdotool("click", "1")
    }

    /// Searches, as typing would.
    func search(for text: String) {
        search = text
        gtk_editable_set_text(window.searchEntry.object, text)
    }

    // MARK: What is shown

    /// The widgets of the row of a title.
    func row(_ title: String) throws -> RowWidget {
        guard let row = window.shownRows.first(where: { $0.widget.shownTitle == title }) else {
            throw Failure("no row on the screen shows \"\(title)\"")
        }
        return row.widget
    }

    /// The rows that the list view has to show, from the store.
    func expectedRows() throws -> [ShownRow] {
        try Driver.rows(of: store).filter { row in
            search.lowercased().split(separator: " ").allSatisfy { row.title.lowercased().contains($0) }
        }
    }

    static func rows(of store: ListStore<String, Todo>) throws -> [ShownRow] {
        try store.snapshot.sections.flatMap { section in
            section.rows.map { ShownRow(title: $0.item!.title, isChecked: $0.isChecked) }
        }
    }

    /// Waits until the newest version is shown, and compares model, listeners and widgets with the store.
    func check(_ when: String) throws {
        print(when)
        try settle()
        let expected = try expectedRows()
        func compare(_ what: String, _ found: [ShownRow]) throws {
            if found != expected { throw Failure("\(when): \(what) shows \(found), the store has \(expected)") }
        }
        try compare("the model", Rows.all(of: window.model.list).map { Rows.shown($0) })
        try mirror.check(when)
        try compare("a listener", mirror.rows)
        try WidgetTree.check(window, expected, when)
        let names = try elsewhere.undoState
        try expect(tooltip(window.undoButton), names.undo.map { "Undo \($0.name)" } ?? "Nothing to undo", when)
        try expect(tooltip(window.redoButton), names.redo.map { "Redo \($0.name)" } ?? "Nothing to redo", when)
        try expect(String(cString: gtk_label_get_text(window.status.object)), expectedStatus(expected), when)
        try expect(gtk_widget_get_sensitive(window.undoButton) != 0, names.undo != nil, when)
    }

    private func expectedStatus(_ found: [ShownRow]) throws -> String {
        let all = try store.snapshot.sections.flatMap { $0.rows.map(\.isChecked) }
        return (search.isEmpty ? "" : "\(found.count) found in ")
            + "\(all.count) to-do\(all.count == 1 ? "" : "s"), \(all.count { $0 }) done"
    }

    private func tooltip(_ widget: Widget) -> String { String(cString: gtk_widget_get_tooltip_text(widget)) }

    /// The name of the newest commit.
    var newestName: String { get throws { try store.core.source.commit(store.core.version).name } }

    func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
        if found != expected { throw Failure("\(what): expected \(expected), found \(found)") }
    }
}
