// Tests the program in a pseudo-terminal, with keys, as a user sees it.

import Foundation
import TerminalKit
import TerminalTestSupport
import TestSupport
import Testing

@testable import NoteEditor

@Suite("The program in a terminal", .serialized)
struct ProgramTests {
    private let folder: TemporaryFolder
    private var file: String { folder.file("notes.listory") }

    init() throws { folder = try TemporaryFolder() }

    @Test("What was typed is on the screen, and in the file after a kill")
    func killed() throws {
        var terminal = try PseudoTerminal(file)
        try terminal.wait("an empty window") { $0.text.contains("1 paragraph ") && $0.isCaretShown }
        terminal.send("Grüße\rfrom 日本 😀 and Ann")
        try terminal.wait("the text") { $0.lines[0] == "Grüße" && $0.lines[1] == "from 日本 😀 and Ann" }
        #expect(terminal.screen.caret == .init(column: 20, row: 1))
        try terminal.wait("saving") { $0.text.contains("saved") && !$0.text.contains("saving") }
        terminal.kill(SIGKILL)
        terminal = try PseudoTerminal(file)
        try terminal.wait("the text again") { $0.lines[0] == "Grüße" && $0.lines[1] == "from 日本 😀 and Ann" }
        // Undo too.
        terminal.send("\u{1A}")
        try terminal.wait("the undo") { $0.lines[1] == "" && $0.text.contains("redo") && !$0.text.contains("0 redo") }
        #expect(terminal.screen.unknown == [])
    }

    @Test("Undo tree, slider, search and help are shown and left again")
    func modes() throws {
        let terminal = try PseudoTerminal(file)
        terminal.send("one")
        try terminal.wait("the text") { $0.lines[0] == "one" }
        terminal.send("\r")
        terminal.send("two")
        try terminal.wait("the text") { $0.lines[1] == "two" }
        terminal.send("\u{1A}")
        try terminal.wait("the undo") { $0.lines[1] == "" }
        terminal.send("2")
        try terminal.wait("the text") { $0.lines[1] == "2" }
        terminal.send("\u{14}")
        try terminal.wait("the tree") { $0.text.contains("○─╯") && $0.text.contains("●") }
        terminal.send("\u{1B}[B")
        try terminal.wait("the other branch") { $0.lines[1] == "two" }
        terminal.send("\u{1B}")
        try terminal.wait("the text") { $0.lines[1] == "2" && !$0.text.contains("○") }
        terminal.send("\u{12}")
        try terminal.wait("the slider") { $0.text.contains("━●") }
        terminal.send("\u{1B}[H")
        try terminal.wait("the beginning") { $0.text.contains("the beginning") && $0.lines[0] == "" }
        terminal.send("\u{1B}")
        try terminal.wait("now") { $0.lines[0] == "one" && $0.lines[1] == "2" }
        terminal.send("\u{06}ON")
        try terminal.wait("what was found") { $0.text.contains("1 of 2") && $0.lines[1] == "" }
        terminal.send("\r")
        try terminal.wait("the text") { $0.lines[1] == "2" && $0.caret == .init(column: 0, row: 0) }
        terminal.send("\u{07}")
        try terminal.wait("the keys") { $0.text.contains("Ctrl+T") }
        #expect(terminal.screen.unknown == [])
    }

    @Test("The window follows the size of the terminal")
    func resizing() throws {
        let terminal = try PseudoTerminal(file)
        terminal.send("some words that are wrapped")
        try terminal.wait("the text") { $0.lines[0] == "some words that are wrapped" }
        terminal.resize(to: Size(columns: 12, rows: 5))
        try terminal.wait("the lines") { $0.lines.prefix(3) == ["some words", "that are", "wrapped"] }
        terminal.resize(to: Size(columns: 2, rows: 1))
        try terminal.wait("the end of the word") { ["ed", "d", "e", "pe"].contains($0.lines[0]) }
        terminal.resize(to: Size(columns: 60, rows: 10))
        try terminal.wait("the text") { $0.lines[0] == "some words that are wrapped" }
        #expect(terminal.screen.unknown == [])
    }

    @Test(
        "However it ends, the terminal is as it was before, and the text is in the file",
        arguments: [0, SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGABRT, SIGBUS])
    func restoring(signal: Int32) throws {
        var terminal = try PseudoTerminal(file)
        let before = terminal.firstSettings
        try terminal.wait("the window") { $0.text.contains("paragraph") && $0.modes.isSuperset(of: [1049, 2004]) }
        #expect(terminal.settings != before)
        terminal.send("text")
        try terminal.wait("saving") { $0.lines[0] == "text" && $0.text.contains("saved") }
        if signal == 0 { terminal.send("\u{11}") } else { terminal.kill(signal) }
        let status = try terminal.finish()
        // By a signal, or by itself with 0.
        #expect([SIGSEGV, SIGABRT, SIGBUS].contains(signal) ? status & 0x7F == signal : status == 0)
        #expect(terminal.settings == before)
        #expect(terminal.screen.modes == [7, 25])
        #expect(terminal.screen.unknown == [])
        terminal = try PseudoTerminal(file)
        try terminal.wait("the text") { $0.lines[0] == "text" }
    }

    @Test("It stops when it is asked to, and goes on with its window when it is continued")
    func stopping() throws {
        let terminal = try PseudoTerminal(file)
        terminal.send("text")
        try terminal.wait("the text") { $0.lines[0] == "text" }
        terminal.kill(SIGTSTP, waits: false)
        try terminal.wait("the terminal of before") { $0.modes == [7, 25] }
        // It may not have stopped yet, so it is continued until it goes on.
        for _ in 0..<6000 where !terminal.screen.modes.contains(1049) {
            terminal.kill(SIGCONT, waits: false)
            terminal.read(milliseconds: 10)
        }
        try terminal.wait("the window") { $0.lines[0] == "text" && $0.modes.contains(1049) }
    }

    @Test("An edit that another program makes is shown")
    func others() throws {
        let terminal = try PseudoTerminal(file)
        terminal.send("mine")
        try terminal.wait("saving") { $0.lines[0] == "mine" && $0.text.contains("saved") }
        let store = try NoteStore.open(at: file)
        try store.edit("Other") { try $0.insert(Paragraph("theirs"), at: .start(of: "notes")) }
        try terminal.wait("both") { $0.lines.prefix(2) == ["theirs", "mine"] }
        terminal.send("!")
        try terminal.wait("the key") {
            $0.text.contains("mine!") || $0.text.contains("theirs!") || $0.text.contains("!")
        }
        try store.close()
    }

    @Test("What a stored text would tell the terminal to do is not done")
    func foreignText() throws {
        let store = try NoteStore.open(at: file, createIfMissing: true)
        try store.edit("Other") {
            try $0.insert(Paragraph("\u{1B}[2J\u{1B}]0;title\u{7}\u{9B}31m\r\nend"), at: .end(of: "notes"))
        }
        try store.close()
        let terminal = try PseudoTerminal(file)
        try terminal.wait("the text") { $0.lines[0].contains("end") }
        #expect(terminal.screen.unknown == [])
    }

    @Test("Without a terminal, with wrong arguments and for a file that is no store, it ends with an error")
    func errors() throws {
        func run(_ arguments: [String]) throws -> (Int32, String) {
            let process = Process()
            let errors = Pipe()
            process.executableURL = PseudoTerminal.program
            process.arguments = arguments
            (process.standardInput, process.standardError) = (FileHandle.nullDevice, errors)
            try process.run()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text)
        }
        #expect(try run([file]).0 == 69)
        #expect(try run(["--quickly"]).0 == 64)
        let path = try folder.write("milk\n", to: "notes.txt")
        let terminal = try PseudoTerminal(path, size: Size(columns: 300, rows: 10), waits: false)
        #expect(try terminal.finish() >> 8 == 74)
        #expect(terminal.screen.text.contains("notes.txt"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "milk\n")
    }
}

extension PseudoTerminal {
    /// The program.
    static var program: URL {
        #if os(macOS)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
        return bundle.deletingLastPathComponent().appendingPathComponent("note-editor")
        #else
        return Bundle.main.bundleURL.appendingPathComponent("note-editor")
        #endif
    }

    /// Starts the program with a file.
    convenience init(_ file: String, size: Size = Size(columns: 60, rows: 14), waits: Bool = true) throws {
        try self.init([Self.program.path, file], size: size, waitingFor: waits ? "paragraph" : nil)
    }
}
