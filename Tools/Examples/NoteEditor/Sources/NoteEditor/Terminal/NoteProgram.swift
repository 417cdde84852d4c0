// Parses the arguments, connects the editor to the terminal, and returns the exit code.
//
// Always holds: the terminal is restored, and the file is closed, before the program ends.

import Foundation
import Listory
import TerminalKit

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
        do {
            let path = try arguments.first ?? defaultPath()
            let title = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            let editor = try TerminalWindow.run { Editor(try Notes(path), title: title, size: $0) }
            try editor.notes.close()
            return 0
        } catch let error as TerminalWindow.Failure {
            complain("Notes are edited in a terminal: \(error)")
            return 69
        } catch {
            complain("\(arguments.first ?? "The notes"): \(error)")
            return 74
        }
    }

    /// The default path of the store.
    private static func defaultPath() throws -> String {
        let folder = try FileManager.default
            .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            .appendingPathComponent("listory")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent("notes.listory").path
    }

    private static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}

extension Editor: TerminalContent {
    /// Until everything is saved, the window is drawn again soon.
    var isBusy: Bool { notes.saveState == .saving }
}
