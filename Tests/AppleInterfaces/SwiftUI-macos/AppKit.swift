// Declarations of SwiftUI that only macOS has. It comes with AppKit there.

@_exported import AppKit

@MainActor open class NSHostingView<Content: View>: NSView {
    public required init(rootView: Content) {
        self.rootView = rootView
        super.init(frame: .zero)
    }
    public required init?(coder aDecoder: NSCoder) { fatalError("never") }
    open var rootView: Content
}

@MainActor @preconcurrency public protocol NSViewRepresentable: View where Body == Never {
    associatedtype NSViewType: NSView
    associatedtype Coordinator = Void
    typealias Context = NSViewRepresentableContext<Self>
    @MainActor @preconcurrency func makeNSView(context: Context) -> NSViewType
    @MainActor @preconcurrency func updateNSView(_ nsView: NSViewType, context: Context)
    @MainActor @preconcurrency func makeCoordinator() -> Coordinator
}

extension NSViewRepresentable {
    public var body: Never { fatalError("never") }
}

@MainActor @preconcurrency public struct NSViewRepresentableContext<View: NSViewRepresentable> {
    public let coordinator: View.Coordinator
    public var environment: EnvironmentValues { fatalError("never") }
}
