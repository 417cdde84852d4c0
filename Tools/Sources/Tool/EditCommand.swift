// `listory edit`. Always holds: what a key does is one commit, and is durable when the command ends.

import ArgumentParser
import TerminalKit
import ToolSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct EditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Edit the list in the terminal.",
        discussion: """
            Keys check, add, change, indent, move and delete rows and sections, undo and redo, look at older versions, and find \
            words; ? lists them. Each edit is a commit and an undo step, and the window follows the edits of an app. A \
            content can be changed if it is a text or an object with a title; a new row gets a content like that of its \
            neighbour. It needs a terminal; without one the exit code is 1.

            Example:
              listory edit todo.listory
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var json: JSONOption

    func run() throws {
        do {
            let editor = try TerminalWindow.run { size in
                try ListEditor(
                    store.file.open(isReadOnly: false, isSession: true),
                    title: URL(fileURLWithPath: store.path).deletingPathExtension().lastPathComponent, size: size)
            }
            try editor.close()
        } catch let error as TerminalWindow.Failure {
            throw ToolError(.refused, "edit: \(error)")
        }
    }
}
