// Edits that do not block a thread of the tasks.
//
// Always holds: a task that is cancelled before its closure is called throws, and nothing has happened; from then on, cancelling
// only ends the waiting.

import Dispatch
import ListModel

extension ListStore {
    /// Makes one commit of the edits that `body` makes, without blocking a thread of the tasks.
    ///
    /// ```swift
    /// let id = try await store.edit("Add Milk") { try $0.insert(Todo(id: 7, title: "Milk"), at: .end(of: "today")).id }
    /// ```
    ///
    /// The edits of tasks are made one after another, on a queue of the store, and share their syncs with all others. If the task is
    /// cancelled before `body` is called, nothing happens. If it is cancelled later, the edit stands, and this function returns
    /// without waiting until it is durable.
    ///
    /// - Parameters:
    ///   - name: the user's action, for a menu: "Add milk".
    ///   - origin: the author of the commit; may be empty.
    ///   - tracking: which history it belongs to; nil for that of ``StoreOptions/undoScope``. `.untracked` leaves it out of undo.
    ///   - isDiscardable: whether no document needs to be saved because of it.
    ///   - durability: what to wait for; nil for the store's default.
    ///   - body: makes the edits, and reads. It must neither use the store itself nor keep the list that it receives.
    /// - Returns: what `body` returns.
    /// - Throws: `CancellationError`; as ``edit(_:origin:tracking:isDiscardable:durability:_:)-1rwu6``.
    @discardableResult
    public func edit<Result: Sendable>(
        _ name: String, origin: String = "", tracking: Tracking? = nil, isDiscardable: Bool = false,
        durability: Durability? = nil, _ body: @escaping @Sendable (ListEdit<SectionID, Item>) throws -> Result
    ) async throws -> Result {
        let edit = QueuedEdit<Result>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard edit.wait(continuation) else { return }
                core.editQueue.async { [self] in
                    edit.run {
                        let (result, version) = try make(
                            name, origin: origin, tracking: tracking, isDiscardable: isDiscardable,
                            durability: .deferred
                        ) { list in
                            // While it waited for its turn.
                            if edit.isGivenUp { throw CancellationError() }
                            return try body(list)
                        }
                        let waits = (durability ?? options.durability) == .immediate
                        return (result, waits ? version : nil)
                    } save: { [core] version in
                        try await core.durable(version)
                    }
                }
            }
        } onCancel: {
            edit.cancel()
        }
    }
}

/// An edit of a task, from the call to the end of the waiting.
private final class QueuedEdit<Result: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Result, any Error>

    private enum State {
        case new
        case queued(Waiter)
        case running(Waiter, isGivenUp: Bool)
        case saving(Waiter, Result)
        case ended
    }

    private let state = Locked(State.new)

    /// Waits in the queue.
    ///
    /// - Returns: false if the task was cancelled before.
    func wait(_ continuation: CheckedContinuation<Result, any Error>) -> Bool {
        let isQueued = state.withLock { state in
            guard case .new = state else { return false }
            state = .queued(continuation)
            return true
        }
        if !isQueued { continuation.resume(throwing: CancellationError()) }
        return isQueued
    }

    /// Whether the task was cancelled since the edit runs.
    var isGivenUp: Bool { state.withLock { if case .running(_, isGivenUp: true) = $0 { true } else { false } } }

    /// Makes the edit, unless it was cancelled, and then waits for its durability in a task.
    ///
    /// - Parameters:
    ///   - make: makes the edit; returns its result, and the version to wait for.
    ///   - save: waits for a version.
    func run(
        _ make: () throws -> (Result, Version?), save: @escaping @Sendable (Version) async throws -> Void
    ) {
        let isGivenUp = state.withLock { state in
            guard case .queued(let continuation) = state else { return true }
            state = .running(continuation, isGivenUp: false)
            return false
        }
        if isGivenUp { return }
        let made: (result: Result, version: Version?)
        do { made = try make() } catch { return end(.failure(error)) }
        let isSaved = state.withLock { state in
            guard case .running(let continuation, isGivenUp: false) = state, made.version != nil else { return true }
            state = .saving(continuation, made.result)
            return false
        }
        if isSaved { return end(.success(made.result)) }
        Task { [version = made.version!, result = made.result] in
            // The edit stands, also if it cannot be saved yet.
            try? await save(version)
            end(.success(result))
        }
    }

    /// Ends the waiting, because the task was cancelled.
    func cancel() {
        let ended = state.withLock { state -> (Waiter, Swift.Result<Result, any Error>)? in
            switch state {
            case .new:
                state = .ended
                return nil
            case .queued(let continuation):
                state = .ended
                return (continuation, .failure(CancellationError()))
            case .running(let continuation, _):
                state = .running(continuation, isGivenUp: true)
                return nil
            case .saving(let continuation, let result):
                state = .ended
                return (continuation, .success(result))
            case .ended: return nil
            }
        }
        if let (continuation, result) = ended { continuation.resume(with: result) }
    }

    private func end(_ result: Swift.Result<Result, any Error>) {
        let waiting = state.withLock { state -> Waiter? in
            defer { state = .ended }
            switch state {
            case .running(let continuation, _), .saving(let continuation, _): return continuation
            case .new, .queued, .ended: return nil
            }
        }
        waiting?.resume(with: result)
    }
}
