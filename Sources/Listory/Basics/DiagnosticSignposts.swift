// Intervals in Instruments, with the trait Signposts on Apple's systems. `Tools/check-apple` type-checks this file.

#if Signposts && canImport(os)
import os

/// The signposts of a store.
struct DiagnosticSignposts: Sendable {
    private let signposter: OSSignposter

    init(_ label: String) {
        signposter = OSSignposter(subsystem: "listory", category: label.isEmpty ? "store" : label)
    }

    func begin(_ name: StaticString) -> SignpostInterval? {
        guard signposter.isEnabled else { return nil }
        // Intervals of several threads overlap.
        let state = signposter.beginInterval(name, id: signposter.makeSignpostID())
        return SignpostInterval(signposter, name, state)
    }
}

/// An interval that ends once: when it is told to, or when it is released.
///
/// `@unchecked Sendable`: one thread uses it, from its beginning to its end.
final class SignpostInterval: @unchecked Sendable {
    private let signposter: OSSignposter
    private let name: StaticString
    private var state: OSSignpostIntervalState?

    fileprivate init(_ signposter: OSSignposter, _ name: StaticString, _ state: OSSignpostIntervalState) {
        (self.signposter, self.name, self.state) = (signposter, name, state)
    }

    deinit { end() }

    func end() {
        guard let state else { return }
        self.state = nil
        signposter.endInterval(name, state)
    }
}
#elseif Logging || Metrics || Signposts
/// No signposts.
struct DiagnosticSignposts: Sendable {
    init(_ label: String) {}

    func begin(_ name: StaticString) -> SignpostInterval? { nil }
}

/// There is none.
enum SignpostInterval: Sendable {
    func end() {}
}
#endif
