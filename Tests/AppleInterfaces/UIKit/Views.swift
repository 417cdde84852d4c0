// Declarations of UIKit: plain views, gestures, drags. See README.md in the folder above.

@_exported import Foundation

@MainActor open class UIResponder: NSObject {
    open var undoManager: UndoManager? { nil }
}

@MainActor open class UIViewController: UIResponder {}

@MainActor open class UIWindow: UIView {}

@MainActor open class UIView: UIResponder {
    open var window: UIWindow? { nil }
    open var gestureRecognizers: [UIGestureRecognizer]?
}

@MainActor open class UIScrollView: UIView {}

@MainActor open class UIGestureRecognizer: NSObject {
    public enum State: Int, Sendable { case possible, began, changed, ended, cancelled, failed }
    open var state: State = .possible
    open func location(in view: UIView?) -> CGPoint { .zero }
}

@MainActor open class UILongPressGestureRecognizer: UIGestureRecognizer {}

@MainActor public protocol UIContentConfiguration {}

public struct UIListContentConfiguration: UIContentConfiguration {
    public var text: String?
}

@MainActor public protocol UIScrollViewDelegate: NSObjectProtocol {}

@MainActor public protocol UIDragSession: AnyObject {}

/// On Apple's platforms this is part of Foundation.
open class NSItemProvider: NSObject, @unchecked Sendable {}

@MainActor open class UIDragItem: NSObject {
    public init(itemProvider: NSItemProvider) {}
}

@MainActor open class UIContextualAction: NSObject {
    public enum Style: Int, Sendable { case normal, destructive }
    public typealias Handler = (UIContextualAction, UIView, @escaping (Bool) -> Void) -> Void
    public convenience init(style: Style, title: String?, handler: @escaping Handler) { self.init() }
}

@MainActor open class UISwipeActionsConfiguration: NSObject {
    public convenience init(actions: [UIContextualAction]) { self.init() }
}

extension IndexPath {
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    public var section: Int { self[0] }
    public var row: Int { self[1] }
    public var item: Int { self[1] }
}
