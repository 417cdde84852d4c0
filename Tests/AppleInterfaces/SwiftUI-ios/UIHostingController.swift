// Declarations of SwiftUI that only iOS has. It comes with UIKit there.

@_exported import UIKit

@MainActor open class UIHostingController<Content: View>: UIViewController {
    public init(rootView: Content) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder aDecoder: NSCoder) { super.init(coder: aDecoder) }
}
