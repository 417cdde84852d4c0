// Tests the program as a user starts it.

import Foundation
import Testing

@Suite("The to-do program", .serialized)
struct ProgramTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-\(UUID())")

    @Test("Without a display it ends with an error")
    func withoutDisplay() throws {
        let outcome = try Program("todo-window", [], on: nil).finish()
        #expect(outcome.code == 69)
        #expect(outcome.output.contains("There is no display to show a window on."))
    }

    @Test("A file that is no store is an error with its name, and is not changed")
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

    @Test("After a signal it closes its store, even if it has inherited blocked signals")
    func nextTime() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("list.listory").path
        let server = try XServer()
        for blocked in [[], [SIGTERM, SIGINT]] {
            let program = try Program("todo-window", [path], on: server.display, blocking: blocked)
            let search = ["search", "--sync", "--onlyvisible", "--name", "^list$"]
            #expect(try Program("xdotool", search, on: server.display).finish().code == 0)
            program.interrupt()
            let outcome = program.finish()
            #expect(outcome.code == 0, "\(outcome.output)")
            #expect(!outcome.output.contains("WARNING"), "\(outcome.output)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count > 0)
        }
    }
}
