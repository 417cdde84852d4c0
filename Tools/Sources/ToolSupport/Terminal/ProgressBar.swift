// A progress bar for long commands.
//
// Always holds: it is drawn only on a terminal, not for a command that ends at once, and is removed before the command prints
// something.

import Foundation

/// Shows progress on standard error.
public struct ProgressBar {
    private let title: String
    private var isOn = Standard.error.isTerminal
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var lastDrawn: ContinuousClock.Instant?

    private static let width = 40
    private static let delay = Duration.milliseconds(20)
    private static let interval = Duration.milliseconds(100)

    /// A bar that is not drawn yet.
    ///
    /// - Parameter output: where results are written meanwhile. If that is a terminal, nothing is drawn.
    public init(_ title: String, beside output: Standard? = nil) {
        self.title = title
        if let output, output.isTerminal { isOn = false }
        start = clock.now
    }

    /// Shows that a share, 0 to 1, is done.
    public mutating func update(_ share: Double) {
        guard isOn else { return }
        let now = clock.now
        let isDue = lastDrawn.map { now - $0 > ProgressBar.interval } ?? true
        guard isDue && now - start > ProgressBar.delay else { return }
        lastDrawn = now
        Standard.error.tryWrite("\r" + ProgressBar.line(title, share))
    }

    /// Removes the bar for good.
    public mutating func finish() {
        isOn = false
        if lastDrawn != nil { Standard.error.tryWrite("\r\u{1B}[K") }
        lastDrawn = nil
    }

    /// The bar as text.
    static func line(_ title: String, _ share: Double) -> String {
        let share = min(max(share, 0), 1)
        let full = Int(share * Double(width))
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
        return "\(title) \(bar) \(Int(share * 100)) %"
    }
}
