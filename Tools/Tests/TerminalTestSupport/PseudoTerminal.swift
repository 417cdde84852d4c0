// The program in a pseudo-terminal, whose other end is the test.
//
// Always holds: no wait is longer than a minute; the program ends with the object.

import CPseudoTerminal
import Foundation

import TerminalKit

/// A failure of the tests' own means, or of the program.
public struct Trouble: Error, CustomStringConvertible {
    public let description: String

    /// A failure.
    public init(description: String) { self.description = description }
}

/// A terminal in which the program runs.
public final class PseudoTerminal {
    /// What the program shows.
    public private(set) var screen: Emulator
    /// Our end.
    private let end: Int32
    /// The program's end, kept open so that the settings can be read when the program has ended.
    private let programEnd: Int32
    private let process: pid_t
    private var status: Int32?
    /// Bytes of a character that is not complete.
    private var rest: [UInt8] = []

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: its path and its arguments.
    ///   - text: what its window shows. It is waited for, because before that, keys are shown by the terminal itself.
    ///   - isBlocking: whether the program's reads and writes wait.
    public init(
        _ words: [String], size: Size = Size(columns: 60, rows: 14), waitingFor text: String?, isBlocking: Bool = true
    ) throws {
        screen = Emulator(size)
        var programEnd: Int32 = -1
        end = pseudo_terminal_open(Int32(size.columns), Int32(size.rows), &programEnd)
        self.programEnd = programEnd
        if end < 0 { throw Trouble(description: "there is no pseudo-terminal: \(errno)") }
        firstSettings = Self.settings(of: programEnd)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        process = pseudo_terminal_start(end, isBlocking ? 0 : O_NONBLOCK, &arguments)
        if process < 0 { throw Trouble(description: "the program cannot be started: \(errno)") }
        if let text { try wait("the window") { $0.modes.contains(1049) && $0.text.contains(text) } }
    }

    deinit {
        if status == nil { kill(SIGKILL) }
        close(end)
        close(programEnd)
    }

    /// The settings of the terminal, as a text to compare.
    public var settings: String { Self.settings(of: programEnd) }
    /// The settings before the program was started.
    public let firstSettings: String

    private static func settings(of end: Int32) -> String {
        var settings = termios()
        tcgetattr(end, &settings)
        return "\(settings.c_iflag) \(settings.c_oflag) \(settings.c_cflag) \(settings.c_lflag)"
    }

    /// Presses keys.
    public func send(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(end, bytes, bytes.count)
    }

    /// Changes the size, of which the terminal tells the program.
    public func resize(to size: Size) {
        // What was written for the old size is shown there.
        read(milliseconds: 200)
        screen.resize(to: size)
        pseudo_terminal_resize(end, Int32(size.columns), Int32(size.rows))
    }

    /// Sends a signal.
    ///
    /// - Parameter waits: whether to wait for the end of the program.
    public func kill(_ signal: Int32, waits: Bool = true) {
        Foundation.kill(process, signal)
        if waits { _ = try? finish() }
    }

    /// Waits for the end of the program, which has not ended by itself after a minute if this throws.
    ///
    /// - Returns: the status of `waitpid`.
    @discardableResult
    public func finish() throws -> Int32 {
        for _ in 0..<6000 where status == nil {
            read(milliseconds: 10)
            var found: Int32 = 0
            if waitpid(process, &found, WNOHANG) == process { status = found }
        }
        while read(milliseconds: 0) {}
        guard let status else { throw Trouble(description: "the program did not end; it shows\n\(screen.text)") }
        return status
    }

    /// Waits until the screen is as expected.
    public func wait(_ what: String, until isMet: (Emulator) -> Bool) throws {
        for _ in 0..<6000 {
            if isMet(screen) { return }
            read(milliseconds: 10)
        }
        throw Trouble(description: "waited for \(what), and the screen is\n\(screen.text)")
    }

    /// Shows what the program has written, if it has within a time.
    @discardableResult
    public func read(milliseconds: Int32) -> Bool {
        var source = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        guard poll(&source, 1, milliseconds) > 0, source.revents & Int16(POLLIN) != 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = Foundation.read(end, &bytes, bytes.count)
        if count <= 0 { return false }
        rest += bytes[..<count]
        // As much as is whole characters.
        var end = rest.count
        while end > 0, String(validating: rest[..<end], as: UTF8.self) == nil, rest.count - end < 4 { end -= 1 }
        screen.write(String(decoding: rest[..<end], as: UTF8.self))
        rest.removeFirst(end)
        return true
    }
}
