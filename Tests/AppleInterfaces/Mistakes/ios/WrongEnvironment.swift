// expected error: cannot convert value of type
import SwiftUI

/// Replaces the undo manager of SwiftUI's environment, which is read-only.
@MainActor func wrongEnvironment(_ undo: UndoManager?) -> some View {
    Text("").environment(\.undoManager, undo)
}
