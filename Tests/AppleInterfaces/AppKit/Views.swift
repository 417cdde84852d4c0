// Declarations of AppKit: plain views, pasteboards, drags, animations. See README.md in the folder above.

@MainActor open class NSResponder: NSObject {
    open var undoManager: UndoManager? { nil }
}

@MainActor open class NSWindow: NSResponder {}

@MainActor @objc public protocol NSWindowDelegate: NSObjectProtocol {
    @objc optional func windowWillReturnUndoManager(_ window: NSWindow) -> UndoManager?
}

@MainActor open class NSView: NSResponder {
    open var window: NSWindow? { nil }
    open var isHidden: Bool = false
    open var identifier: NSUserInterfaceItemIdentifier?
    open func registerForDraggedTypes(_ newTypes: [NSPasteboard.PasteboardType]) {}
}

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
