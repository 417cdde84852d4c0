// Undo and redo of the Edit menu for lists in SwiftUI. `EnvironmentValues.undoManager` is read-only, so the items of the
// menu are replaced, and the list to undo comes from the view that has the focus.

#if canImport(SwiftUI)
import Listory
import SwiftUI
#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
#endif

/// Undo and Redo of the Edit menu and their keys, for the list of the window in front.
///
/// ```swift
/// WindowGroup { TodoList(store) }             // its body ends with .listUndo(todos)
///     .commands { ListUndoCommands() }
/// ```
///
/// A ``ListTable`` that has the focus does not need it. Without a list, macOS undoes as usual, and iOS has nothing to undo.
public struct ListUndoCommands: Commands {
    /// The items of the Edit menu.
    public init() {}

    public var body: some Commands {
        CommandGroup(replacing: .undoRedo) { UndoButtons() }
    }
}

extension View {
    /// Makes a list the one that ``ListUndoCommands`` undo while the scene of this view has the focus.
    public func listUndo<Source: ListSource>(_ list: ObservableList<Source>) -> some View {
        focusedSceneValue(\.undoableList, list)
    }
}

/// The buttons are a view, because SwiftUI observes what the body of a view reads.
private struct UndoButtons: View {
    @FocusedValue(\.undoableList) private var list

    var body: some View {
        Button(list?.undoState.undoTitle() ?? "Undo") { if let list { list.undo() } else { send("undo:") } }
            .keyboardShortcut("z")
            .disabled(isDisabled(list?.undoState.canUndo))
        Button(list?.undoState.redoTitle() ?? "Redo") { if let list { list.redo() } else { send("redo:") } }
            .keyboardShortcut("z", modifiers: [.command, .shift])
            .disabled(isDisabled(list?.undoState.canRedo))
    }

    #if canImport(AppKit) && !targetEnvironment(macCatalyst)
    // Without a list, the first responder says whether there is something to undo.
    private func isDisabled(_ can: Bool?) -> Bool { !(can ?? true) }
    private func send(_ action: String) { NSApp.sendAction(Selector(action), to: nil, from: nil) }
    #else
    private func isDisabled(_ can: Bool?) -> Bool { !(can ?? false) }
    private func send(_ action: String) {}
    #endif
}

/// A list without its types, for the focus.
@MainActor
protocol UndoableList: AnyObject {
    var undoState: UndoState { get }
    @discardableResult func undo() -> Bool
    @discardableResult func redo() -> Bool
}

extension ObservableList: UndoableList {}

/// A key for a value in the focus. The requirement `Value` is its parameter.
private struct FocusKey<Value>: FocusedValueKey {}

extension FocusedValues {
    var undoableList: (any UndoableList)? {
        get { self[FocusKey<any UndoableList>.self] }
        set { self[FocusKey<any UndoableList>.self] = newValue }
    }
}
#endif
