// Tests the window on a display, with keyboard, mouse and random edits; after each, it is compared with the store.

import Foundation
import TestSupport
import Testing

@Suite("A to-do window", .serialized)
struct WindowTests {
    /// One display for all windows of the tests, which have the keyboard one after another.
    private static let server = Result { try XServer() }

    /// Runs a scenario of the driver.
    @discardableResult
    private func drive(_ scenario: String) throws -> String { try Self.server.get().drive(scenario) }

    @Test("A listener that knows only the signals detects every model with wrong signals, and accepts a right one")
    func controls() throws {
        try drive("controls")
    }

    @Test("Keyboard and mouse add, check, rename, reorder, search, delete, undo and redo")
    func gestures() throws {
        try drive("gestures")
    }

    @Test("Selection and scroll position are kept, and a thousand fast commits are few transitions")
    func place() throws {
        try drive("keeping-its-place")
    }

    @Test(
        "What another device edits is shown, and undone steps reach it, while `listory sync` keeps the stores together",
        .enabled(if: SharedList.isAvailable, "the package Tools/Sync has to be built first, and nats-server installed"))
    func devices() throws {
        try drive("devices")
    }

    @Test("Pictures of the window have more than one colour")
    func picture() throws {
        let output = try drive("picture")
        for name in ["window", "search", "nothing"] { #expect(output.contains("\(name): ")) }
    }
}

/// Without keyboard and mouse, so beside the others. Most of the time goes by until the frames are drawn.
@Suite("A to-do window and random edits")
struct RandomEditTests {
    @Test("After each of hundreds of random edits, widgets and signals show the rows of the store", arguments: [1, 2])
    func random(seed: Int) throws {
        try XServer().drive("random", "\(seed)", XServer.isSoak ? "4000" : "300")
    }
}

extension XServer {
    fileprivate static let isSoak = ProcessInfo.processInfo.environment["LISTORY_SOAK"] == "1"

    /// Runs a scenario of the driver in a folder of its own, and returns what it prints.
    @discardableResult
    fileprivate func drive(_ scenario: String, _ arguments: String...) throws -> String {
        // The pictures are kept if this variable names a folder.
        let kept = ProcessInfo.processInfo.environment["LISTORY_PICTURES"].map { URL(fileURLWithPath: $0) }
        let folder = (kept ?? FileManager.default.temporaryDirectory).appendingPathComponent("todo-window-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { if kept == nil { try? FileManager.default.removeItem(at: folder) } }
        let driver = try Program("WindowDriver", [scenario, folder.path] + arguments, on: display)
        let outcome = driver.finish(within: Self.isSoak ? 3600 : 180)
        #expect(outcome.code == 0, "\(outcome.output.suffix(4000))")
        #expect(!outcome.output.contains("WARNING"), "\(outcome.output.suffix(4000))")
        return outcome.output
    }
}
