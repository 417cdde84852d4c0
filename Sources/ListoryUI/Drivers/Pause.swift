// Waiting on the main actor: a little while, or until the present call has returned.

/// Calls something later on the main actor. Tests put a queue of their own in its place.
struct Pause: Sendable {
    /// Calls a closure after a time; with zero, as soon as whoever is calling now has returned.
    let after: @MainActor @Sendable (Duration, @escaping @MainActor () -> Void) -> Void

    /// The system's clock.
    static let system = Pause { duration, body in
        Task { @MainActor in
            if duration > .zero { try? await Task.sleep(for: duration) }
            body()
        }
    }
}
