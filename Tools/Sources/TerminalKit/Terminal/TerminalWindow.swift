// Connects what is edited to the terminal of the process.
//
// Always holds: the terminal is restored when the window is closed; one thread does everything, and it waits only for keys and
// signals.

import CTerminal

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a window shows, and what keys do to it.
public protocol TerminalContent: AnyObject {
    /// Whether the user has ended it.
    var isFinished: Bool { get }
    /// Whether ``look()`` is to be called soon, without a key.
    var isBusy: Bool { get }
    /// What the window shows.
    func draw() -> Grid
    /// A key was pressed.
    func press(_ key: Key)
    /// The window has another size.
    func resize(to size: Size)
    /// No key was pressed for a while: something else may have changed.
    func look()
}

/// The window of the process: its terminal, in raw mode and on the alternate screen.
public enum TerminalWindow {
    /// Why there is no window.
    public struct Failure: Error, CustomStringConvertible {
        /// What was expected, and what was found.
        public let description: String
    }

    /// Shows what `open` makes until the user ends it.
    ///
    /// - Parameter open: called once the process has a terminal, with its size.
    /// - Throws: ``Failure`` if it has none, or if it cannot be used; what `open` throws.
    public static func run<Content: TerminalContent>(_ open: (Size) throws -> Content) throws -> Content {
        guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
            throw Failure(description: "expected a terminal for input and output, found none")
        }
        let content = try open(size)
        let error = terminal_begin()
        if error != 0 {
            throw Failure(description: "the terminal cannot be used: \(String(cString: strerror(error)))")
        }
        defer { terminal_end() }
        var window = Window(content)
        window.run()
        return content
    }

    /// The size of the terminal.
    fileprivate static var size: Size {
        var (columns, rows) = (Int32(0), Int32(0))
        guard terminal_size(&columns, &rows) == 0, columns > 0, rows > 0 else { return Size(columns: 80, rows: 24) }
        // More than anybody can see is not drawn.
        return Size(columns: min(Int(columns), 1000), rows: min(Int(rows), 1000))
    }
}

/// A content in the terminal.
private struct Window<Content: TerminalContent> {
    let content: Content
    private var reader = KeyReader()
    /// What the terminal shows; nil if that is not known.
    private var shown: Grid?

    init(_ content: Content) { self.content = content }

    mutating func run() {
        while !content.isFinished {
            let grid = content.draw()
            show(grid.commands(from: shown))
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
                for key in reader.finish() { content.press(key) }
                content.look()
            }
        }
    }

    /// How long to wait for a key, in milliseconds. A pasted text may pause for longer than the bytes of a key, and what arrives after
    /// ``KeyReader/finish()`` is taken for keys.
    private var timeout: Int32 { !reader.isPasting && (reader.isWaiting || content.isBusy) ? 50 : 1000 }

    /// - Returns: whether to go on.
    private mutating func readKeys() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0 { return errno == EINTR || errno == EAGAIN }
        // The terminal is gone.
        if count == 0 { return false }
        for key in reader.read(bytes[..<count]) where !content.isFinished { content.press(key) }
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
                content.resize(to: TerminalWindow.size)
            default:
                // What a terminal does with its cells when its size changes is not known.
                shown = nil
                content.resize(to: TerminalWindow.size)
            }
        }
        return true
    }

    private func show(_ text: String) {
        let bytes = Array(text.utf8)
        terminal_write(bytes, bytes.count)
    }
}
