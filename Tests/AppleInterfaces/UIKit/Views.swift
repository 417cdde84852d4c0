// Declarations of UIKit: plain views, gestures, drags. See README.md in the folder above.

@MainActor open class UIResponder: NSObject {
    open var undoManager: UndoManager? { nil }
    open var canBecomeFirstResponder: Bool { false }
    @discardableResult open func becomeFirstResponder() -> Bool { false }
}

@MainActor open class UIViewController: UIResponder {
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }
    public required init?(coder: NSCoder) { super.init() }
    public convenience override init() { self.init(nibName: nil, bundle: nil) }
    open func viewDidAppear(_ animated: Bool) {}
}

@MainActor open class UIWindow: UIView {}

@MainActor open class UIView: UIResponder {
    public init(frame: CGRect) { super.init() }
    public required init?(coder: NSCoder) { super.init() }
    public convenience override init() { self.init(frame: .zero) }
    open func didMoveToWindow() {}
    open var window: UIWindow? { nil }
    open var isHidden: Bool = false
    open func addGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {}
    open func removeGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {}
}

@MainActor open class UIScrollView: UIView {}

@MainActor open class UIGestureRecognizer: NSObject {
    public enum State: Int, Sendable { case possible, began, changed, ended, cancelled, failed }
    public init(target: Any?, action: Selector?) {}
    // Only `UIKit.UIGestureRecognizerSubclass` declares it as settable.
    open var state: State { .possible }
    open weak var delegate: (any UIGestureRecognizerDelegate)?
    open var cancelsTouchesInView: Bool = true
    open var view: UIView? { nil }
    open func location(in view: UIView?) -> CGPoint { .zero }
}

@MainActor open class UITapGestureRecognizer: UIGestureRecognizer {}

@MainActor @objc public protocol UIGestureRecognizerDelegate: NSObjectProtocol {
    @objc optional func gestureRecognizer(
        _ gestureRecognizer: UIGestureRecognizer, shouldReceive touch: UITouch
    ) -> Bool
}

@MainActor open class UITouch: NSObject {
    public enum Phase: Int, Sendable {
        case began, moved, stationary, ended, cancelled, regionEntered, regionMoved, regionExited
    }
    open var phase: Phase { .began }
}

@MainActor public protocol UIContentConfiguration {}

public struct UIListContentConfiguration: UIContentConfiguration {
    public var text: String?
}

@MainActor @objc public protocol UIScrollViewDelegate: NSObjectProtocol {
    @objc optional func scrollViewDidScroll(_ scrollView: UIScrollView)
}

@MainActor @objc public protocol UIDragSession: AnyObject {}

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
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }
    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
