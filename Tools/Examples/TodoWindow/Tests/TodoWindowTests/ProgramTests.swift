// The program as a user starts it.

import Foundation
import Testing

@Suite("The to-do program", .serialized)
struct ProgramTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-\(UUID())")

    @Test("Without a display it says so")
    func withoutDisplay() throws {
        let outcome = try Program("todo-window", [], on: nil).finish()
        #expect(outcome.code == 69)
        #expect(outcome.output.contains("There is no display to show a window on."))
    }

    @Test("A file that is no store is an error that names it, and is left as it was")
    func foreignFile() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("notes.txt")
        try Data("milk\n".utf8).write(to: file)
        let server = try XServer()
        let outcome = try Program("todo-window", [file.path], on: server.display).finish()
        #expect(outcome.code == 74)
        #expect(outcome.output.contains("notes.txt"))
        #expect(try Data(contentsOf: file) == Data("milk\n".utf8))
    }

    @Test("What was typed is there the next time, though the program was told to end at once")
    func nextTime() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("list.listory").path
        let server = try XServer()
        let program = try Program("todo-window", [path], on: server.display)
        let search = ["search", "--sync", "--onlyvisible", "--name", "^list$"]
        // Two programs: one that has searched would send the keys to what it found, and GTK believes only the keyboard.
        for arguments in [search + ["windowfocus", "--sync"], ["type", "--delay", "20", "Milk\n"]] {
            let outcome = try Program("xdotool", arguments, on: server.display).finish()
            #expect(outcome.code == 0, "\(outcome.output)")
        }
        // The title is in the file as soon as the commit is.
        let deadline = ContinuousClock.now + .seconds(20)
        while try !Data(contentsOf: URL(fileURLWithPath: path)).contains("Milk"), ContinuousClock.now < deadline {
            Thread.sleep(forTimeInterval: 0.02)
        }
        program.interrupt()
        let first = program.finish()
        #expect(first.code == 0, "\(first.output)")
        #expect(!first.output.contains("WARNING"), "\(first.output)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).contains("Add Milk"))

        // It opens again; and it ends when it is told to, though whoever started it blocks the signals that say so.
        let again = try Program("todo-window", [path], on: server.display, blocking: [SIGTERM, SIGINT])
        #expect(try Program("xdotool", search, on: server.display).finish().code == 0)
        again.interrupt()
        let second = again.finish()
        #expect(second.code == 0, "\(second.output)")
    }
}

extension Data {
    /// Whether a text is somewhere in the bytes.
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
