// A progress bar for long commands.
//
// Always holds: it is drawn only on a terminal, not for a command that ends at once, and is removed before the command prints
// something. It appears even if the command cannot tell how much of it is done.

import Dispatch
import Synchronization

/// Shows progress on standard error.
public final class ProgressBar: Sendable {
    private let title: String
    private let state: Mutex<State>

    private struct State {
        var isOn: Bool
        var lastDrawn: ContinuousClock.Instant?
    }

    private static let width = 40
    private static let delay = DispatchTimeInterval.milliseconds(15)
    private static let interval = Duration.milliseconds(100)

    /// A bar that is drawn if it is not finished soon.
    ///
    /// - Parameter output: where results are written meanwhile. If that is a terminal, nothing is drawn.
    public init(_ title: String, beside output: Standard? = nil) {
        self.title = title
        let isOn = Standard.error.isTerminal && output?.isTerminal != true
        state = Mutex(State(isOn: isOn))
        if isOn { DispatchQueue.global().asyncAfter(deadline: .now() + ProgressBar.delay) { self.begin() } }
    }

    /// Shows that a share, 0 to 1, is done.
    public func update(_ share: Double) {
        state.withLock { state in
            // The first time, it is drawn after a delay.
            guard state.isOn, let lastDrawn = state.lastDrawn, .now - lastDrawn > ProgressBar.interval else { return }
            draw(share, &state)
        }
    }

    /// Removes the bar for good.
    public func finish() {
        state.withLock { state in
            if state.lastDrawn != nil { Standard.error.tryWrite("\r\u{1B}[K") }
            state = State(isOn: false)
        }
    }

    private func begin() { state.withLock { if $0.isOn { draw(nil, &$0) } } }

    private func draw(_ share: Double?, _ state: inout State) {
        state.lastDrawn = .now
        Standard.error.tryWrite("\r" + ProgressBar.line(title, share))
    }

    /// The bar as text, or what is going on if the share is not known.
    static func line(_ title: String, _ share: Double?) -> String {
        guard let share = share.map({ min(max($0, 0), 1) }) else { return "\(title) …" }
        let full = Int(share * Double(width))
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
        return "\(title) \(bar) \(Int(share * 100)) %"
    }
}
