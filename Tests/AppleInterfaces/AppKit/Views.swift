// Declarations of AppKit: plain views, pasteboards, drags, animations. See README.md in the folder above.

@MainActor open class NSResponder: NSObject {
    open var undoManager: UndoManager? { nil }
}

@MainActor open class NSWindow: NSResponder {}

@MainActor @objc public protocol NSWindowDelegate: NSObjectProtocol {
    @objc optional func windowWillReturnUndoManager(_ window: NSWindow) -> UndoManager?
}

@MainActor open class NSView: NSResponder {
    public init(frame frameRect: NSRect) { super.init() }
    public required init?(coder: NSCoder) { super.init() }
    public convenience override init() { self.init(frame: .zero) }
    open var visibleRect: NSRect { .zero }
    open var window: NSWindow? { nil }
    open var isHidden: Bool = false
    open var identifier: NSUserInterfaceItemIdentifier?
    open func registerForDraggedTypes(_ newTypes: [NSPasteboard.PasteboardType]) {}
}

@MainActor open class NSScrollView: NSView {
    open var documentView: NSView?
    open var hasVerticalScroller: Bool = false
}

@MainActor open class NSApplication: NSResponder {
    // Functions of Objective-C are imported so that their results may be discarded.
    @discardableResult
    open func sendAction(_ action: Selector, to target: Any?, from sender: Any?) -> Bool { false }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
@MainActor public let NSApp: NSApplication! = NSApplication()

@MainActor open class NSControl: NSView {
    open var stringValue: String = ""
}

@MainActor open class NSTextField: NSControl {}

public struct NSUserInterfaceItemIdentifier: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }
}

@objc public protocol NSPasteboardWriting: NSObjectProtocol {}

open class NSPasteboard: NSObject {
    public struct PasteboardType: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(_ rawValue: String) { self.rawValue = rawValue }
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

open class NSPasteboardItem: NSObject, NSPasteboardWriting {
    @discardableResult
    open func setString(_ string: String, forType type: NSPasteboard.PasteboardType) -> Bool { false }
}

public struct NSDragOperation: OptionSet, Sendable, _ObjectiveCBridgeable {
    public typealias _ObjectiveCType = CStructure
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var move: NSDragOperation { NSDragOperation(rawValue: 16) }
}

@MainActor open class NSDraggingSession: NSObject {}

@MainActor @objc public protocol NSDraggingInfo: NSObjectProtocol {}

open class NSAnimationContext: NSObject {
    open class func runAnimationGroup(
        _ changes: (NSAnimationContext) -> Void, completionHandler: (@Sendable () -> Void)? = nil
    ) {}
}
