// Declarations of AppKit: plain views, pasteboards, drags, animations. See README.md in the folder above.

@_exported import Foundation

@MainActor open class NSResponder: NSObject {
    open var undoManager: UndoManager? { nil }
}

@MainActor open class NSWindow: NSResponder {}

@MainActor public protocol NSWindowDelegate: NSObjectProtocol {
    func windowWillReturnUndoManager(_ window: NSWindow) -> UndoManager?
}

@MainActor open class NSView: NSResponder {
    open var window: NSWindow? { nil }
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

public protocol NSPasteboardWriting: NSObjectProtocol {}

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

public struct NSDragOperation: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var move: NSDragOperation { NSDragOperation(rawValue: 16) }
}

@MainActor open class NSDraggingSession: NSObject {}

@MainActor public protocol NSDraggingInfo: NSObjectProtocol {}

open class NSAnimationContext: NSObject {
    open class func runAnimationGroup(
        _ changes: (NSAnimationContext) -> Void, completionHandler: (@Sendable () -> Void)? = nil
    ) {}
}
