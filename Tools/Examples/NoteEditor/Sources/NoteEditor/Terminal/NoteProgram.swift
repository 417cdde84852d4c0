// Parses the arguments, connects the editor to the terminal, and returns the exit code.
//
// Always holds: the terminal is restored, and the file is closed, before the program ends; one thread does everything, and
// it waits only for keys and signals.

import CTerminal
import Foundation
import Listory

/// Notes in a terminal as a program.
public enum NoteProgram {
    static let usage = """
        usage: note-editor [FILE]

        Edits notes in the terminal. They are kept in FILE, which is made if it does not exist, or else in the user's
        data folder. Everything is saved as it is typed, with all its history. Ctrl+G shows the keys.
        """

    /// Runs the program until the user quits it.
    ///
    /// - Returns: the exit code: 0, 64 for wrong arguments, 69 without a terminal, 74 if the store could not be used.
    public static func run(_ arguments: [String]) -> Int32 {
        if arguments == ["--help"] || arguments == ["-h"] {
            print(usage)
            return 0
        }
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            complain(usage)
            return 64
        }
        guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
            complain("Notes are edited in a terminal, and this is none.")
            return 69
        }
        do {
            let path = try arguments.first ?? defaultPath()
            let notes = try Notes(path)
            let title = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            let error = terminal_begin()
            if error != 0 {
                complain("The terminal cannot be used: \(String(cString: strerror(error)))")
                return 69
            }
            defer { terminal_end() }
            var window = Window(Editor(notes, title: title, size: size))
            window.run()
            // Before the terminal is restored, because it may take a moment.
            try notes.close()
            return 0
        } catch {
            terminal_end()
            complain("\(arguments.first ?? "The notes"): \(error)")
            return 74
        }
    }

    /// The size of the terminal.
    fileprivate static var size: Size {
        var (columns, rows) = (Int32(0), Int32(0))
        guard terminal_size(&columns, &rows) == 0, columns > 0, rows > 0 else { return Size(columns: 80, rows: 24) }
        // More than anybody can see is not drawn.
        return Size(columns: min(Int(columns), 1000), rows: min(Int(rows), 1000))
    }

    /// The default path of the store.
    private static func defaultPath() throws -> String {
        let folder = try FileManager.default
            .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            .appendingPathComponent("listory")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent("notes.listory").path
    }

    private static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}

/// The editor in the terminal.
private struct Window {
    let editor: Editor
    private var reader = KeyReader()
    /// What the terminal shows; nil if that is not known.
    private var shown: Grid?

    init(_ editor: Editor) { self.editor = editor }

    mutating func run() {
        while !editor.isFinished {
            let grid = editor.draw()
            write(grid.commands(from: shown))
            shown = grid
            var sources = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: terminal_events(), events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&sources, 2, timeout)
            if ready < 0 && errno != EINTR { return }
            if sources[1].revents != 0, !handleEvents() { return }
            if sources[0].revents != 0, !readKeys() { return }
            if ready == 0 {
                for key in reader.finish() { editor.press(key) }
                editor.look()
            }
        }
    }

    /// How long to wait for a key, in milliseconds: for what belongs to an escape, until everything is saved, and for the
    /// edits of other programs.
    private var timeout: Int32 { reader.isWaiting || editor.notes.saveState == .saving ? 50 : 1000 }

    /// - Returns: whether to go on.
    private mutating func readKeys() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0 { return errno == EINTR || errno == EAGAIN }
        // The terminal is gone.
        if count == 0 { return false }
        for key in reader.read(bytes[..<count]) where !editor.isFinished { editor.press(key) }
        return true
    }

    private mutating func handleEvents() -> Bool {
        var events = [UInt8](repeating: 0, count: 64)
        let count = max(0, read(terminal_events(), &events, events.count))
        for event in events[..<count] {
            switch Int(event) {
            case Int(terminal_ended): return false
            case Int(terminal_suspended):
                terminal_end()
                terminal_stop()
                if terminal_begin() != 0 { return false }
                shown = nil
                editor.resize(to: NoteProgram.size)
            default:
                // What a terminal does with its cells when its size changes is not known.
                shown = nil
                editor.resize(to: NoteProgram.size)
            }
        }
        return true
    }

    private func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}
