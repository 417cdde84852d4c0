// A slider of all versions: it shows the past, commits nothing, and can restore what it shows.

import Listory
import ListoryUI
import SwiftUI

struct TimeTravel: View {
    let todos: TodoRows

    var body: some View {
        // A slider needs two versions.
        if todos.oldestVersion < todos.newestVersion {
            HStack {
                Slider(
                    value: position,
                    in: Double(todos.oldestVersion.rawValue)...Double(todos.newestVersion.rawValue), step: 1)
                if todos.isPastShown {
                    Button("Restore") { todos.restoreShownVersion() }
                    Button("Now") { todos.shownVersion = todos.newestVersion }
                }
            }
            .padding()
        }
    }

    private var position: Binding<Double> {
        Binding(
            get: { @MainActor in Double(todos.shownVersion.rawValue) },
            set: { @MainActor position in todos.shownVersion = Version(UInt64(position)) })
    }
}
