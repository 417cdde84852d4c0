// Parses the arguments, shows the window, and returns the exit code.
//
// Always holds: the store is closed before the program ends, also after an interrupt.

import CListRows
import Foundation
import Listory

/// A to-do window as a program.
@MainActor
public enum TodoApp {
    static let usage = """
        usage: todo-window [FILE]

        A to-do list in a window, over the store FILE. It is made if it does not exist. Without FILE, the list is
        kept in the user's data folder.

        Keys: Ctrl+N new, Ctrl+F search, Ctrl+Z undo, Ctrl+Shift+Z redo; in the list: Space checks, F2 renames,
        Delete deletes, Alt+Up and Alt+Down move.
        """

    /// Runs the program until its window is closed.
    ///
    /// - Returns: the exit code: 0, 64 for wrong arguments, 69 without a display, 74 if the store could not be used.
    public static func run(_ arguments: [String]) -> Int32 {
        if arguments == ["--help"] || arguments == ["-h"] {
            print(usage)
            return 0
        }
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            complain(usage)
            return 64
        }
        g_set_prgname("todo-window")
        g_set_application_name("To-dos")
        guard gtk_init_check() != 0 else {
            complain("There is no display to show a window on. Set DISPLAY or WAYLAND_DISPLAY.")
            return 69
        }
        do {
            let path = try arguments.first ?? defaultPath()
            let store = try ListStore<String, Todo>.open(at: path, createIfMissing: true)
            try show(store, title: URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent)
            try store.close()
            return 0
        } catch {
            complain("\(arguments.first ?? "The list"): \(error)")
            return 74
        }
    }

    /// Shows a window until it is closed, or a signal asks the program to end.
    private static func show(_ store: ListStore<String, Todo>, title: String) throws {
        let loop = g_main_loop_new(nil, 0)!
        let window = try TodoWindow(store, title: title)
        window.closed = { g_main_loop_quit(loop) }
        var heard = sigset_t()
        sigemptyset(&heard)
        for signal in [SIGINT, SIGTERM] {
            sigaddset(&heard, signal)
            g_unix_signal_add(
                signal,
                { loop in
                    g_main_loop_quit(OpaquePointer(loop))
                    return 1
                }, loop.raw)
        }
        // The program inherits blocked signals, for example from a thread of a pool.
        pthread_sigmask(SIG_UNBLOCK, &heard, nil)
        window.present()
        g_main_loop_run(loop)
        g_main_loop_unref(loop)
    }

    /// The default path of the store.
    private static func defaultPath() throws -> String {
        let folder = String(cString: g_get_user_data_dir()) + "/listory"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder + "/todo.listory"
    }

    private static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
