// A to-do list for iOS and macOS: sections, search, undo, and a slider of all versions.
//
// To run it, make an app project in Xcode with these four files and the package, and bring LMDB (Docs/Platforms.md).
// On Linux, Tools/check-apple type-checks it for both platforms.

import Foundation
import Listory
import ListoryUI
import SwiftUI

@main
struct TodoApp: App {
    @State private var store = Result { try TodoApp.openStore() }

    var body: some Scene {
        WindowGroup {
            switch store {
            case .success(let store): TodoList(store)
            case .failure(let error): Text(String(describing: error))
            }
        }
        .commands { ListUndoCommands() }
    }

    /// Opens the store, and gives a new one its sections.
    static func openStore() throws -> ListStore<String, Todo> {
        let folder = try FileManager.default.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        let file = folder.appendingPathComponent("todo.listory")
        let store = try ListStore<String, Todo>.open(at: file, createIfMissing: true)
        if try store.snapshot.sections.isEmpty {
            try store.edit("Start", tracking: .untracked) { list in
                try list.insertSection("today", title: "Today")
                try list.insertSection("later", title: "Later")
            }
        }
        return store
    }
}
