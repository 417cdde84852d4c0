// Declarations of Foundation that it lacks on Linux; part of both kits. See README.md in the folder above.

@MainActor open class UndoManager: NSObject {
    public override init() {}
    open var groupingLevel: Int { 0 }
    open var groupsByEvent: Bool = true
    open func beginUndoGrouping() {}
    open func endUndoGrouping() {}
    open var canUndo: Bool { false }
    open var canRedo: Bool { false }
    open var isUndoing: Bool { false }
    open var isRedoing: Bool { false }
    open func undo() {}
    open func redo() {}
    open func undoNestedGroup() {}
    open func removeAllActions() {}
    open func removeAllActions(withTarget target: Any) {}
    open var undoActionName: String { "" }
    open var redoActionName: String { "" }
    open var undoMenuItemTitle: String { "" }
    open var redoMenuItemTitle: String { "" }
    open func undoMenuTitle(forUndoActionName actionName: String) -> String { "" }
    open func redoMenuTitle(forUndoActionName actionName: String) -> String { "" }
    open var undoActionIsDiscardable: Bool { false }
    open var redoActionIsDiscardable: Bool { false }
}

extension UndoManager {
    public func registerUndo<TargetType>(
        withTarget target: TargetType, handler: @escaping @MainActor @Sendable (TargetType) -> Void
    ) where TargetType: AnyObject {}
}

// swift-format-ignore: AlwaysUseLowerCamelCase
// They are Foundation's names.
extension NSNotification.Name {
    public static let NSUndoManagerCheckpoint = NSNotification.Name("NSUndoManagerCheckpointNotification")
    public static let NSUndoManagerWillUndoChange = NSNotification.Name("NSUndoManagerWillUndoChangeNotification")
    public static let NSUndoManagerDidUndoChange = NSNotification.Name("NSUndoManagerDidUndoChangeNotification")
    public static let NSUndoManagerWillRedoChange = NSNotification.Name("NSUndoManagerWillRedoChangeNotification")
    public static let NSUndoManagerDidRedoChange = NSNotification.Name("NSUndoManagerDidRedoChangeNotification")
}
