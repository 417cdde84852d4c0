// Declarations of SwiftUI that only macOS has. It comes with AppKit there.

@_exported import AppKit
