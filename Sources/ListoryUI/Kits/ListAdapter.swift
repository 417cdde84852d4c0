// The common part of the adapters for UIKit and AppKit.

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
#elseif canImport(UIKit)
import UIKit
#endif
#if (canImport(UIKit) && !os(watchOS) && !os(tvOS)) || (canImport(AppKit) && !targetEnvironment(macCatalyst))
import ListModel
import Listory

/// A delegate that forwards the messages that it does not implement to the app's own delegate.
///
/// Always holds: no adapter is generic or has subclasses. Objective-C calls a delegate's optional methods by selector,
/// and Swift exposes no selector for a method that a subclass of a generic class adds, so it would never be called.
@MainActor
public class ListAdapter: NSObject {
    /// The app's own delegate. Written only on the main thread; Objective-C may ask for selectors on any thread.
    nonisolated(unsafe) weak var app: (any NSObjectProtocol)?

    public nonisolated override func responds(to aSelector: Selector!) -> Bool {
        super.responds(to: aSelector) || app?.responds(to: aSelector) ?? false
    }

    public nonisolated override func forwardingTarget(for aSelector: Selector!) -> Any? {
        if let app, app.responds(to: aSelector) { return app }
        return super.forwardingTarget(for: aSelector)
    }
}

/// A row for an adapter, which makes and fills its cell, without the types of the app.
@MainActor
struct RowCell<Cell, Kind> {
    let id: UntypedID
    let isChecked: Bool
    /// The reusable cell of the row.
    let kind: Kind
    /// Shows the row in its cell.
    let configure: (Cell) throws -> Void
}
#endif
