// Between a driver, which is made first, and the observable list, which shows its failures.

/// Tells an observable list of failures, of which its driver knows before the list exists.
@MainActor
final class FailureReporter {
    var onFailure: ((ListFailure) -> Void)?

    func report(_ failure: ListFailure) { onFailure?(failure) }
}
