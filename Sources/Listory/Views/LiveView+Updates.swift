// Telling others what changed in a view.
//
// Always holds: a sequence begins with the snapshot of its creation, and each transition begins where the one before ended.

import ListModel

/// The changes of a view, from the moment when the sequence was made.
///
/// ```swift
/// let updates = try view.updates()
/// show(updates.initial)
/// for await update in updates {
///     switch update {
///     case .success(let transition): play(transition)
///     case .failure(let error): report(error)    // the view shows what it showed, and goes on with the next commit
///     }
/// }
/// ```
///
/// It also has the changes that a search or other stages make. Commits that change nothing in the view are left out.
public struct ViewUpdates: AsyncSequence, Sendable {
    public typealias Element = Result<Transition, ViewError>

    /// The rows before the first update.
    public let initial: Snapshot
    let stream: AsyncStream<Element>

    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }
}

extension LiveView {
    /// What changes in the view from now on.
    ///
    /// Each call makes a sequence of its own, to be read by one reader. It ends when the store is closed or nobody keeps
    /// the view.
    ///
    /// - Throws: ``StoreError/closed``.
    public func updates() throws -> ViewUpdates {
        let (stream, continuation) = AsyncStream.makeStream(of: ViewUpdates.Element.self)
        let (number, initial, isFirst) = withState { state in
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            return (state.nextReader, state.view.snapshot, state.follower == nil)
        }
        continuation.onTermination = { [weak self] _ in self?.removeReader(number) }
        if isFirst {
            do { try startFollowing() } catch {
                continuation.finish()
                throw error
            }
        }
        return ViewUpdates(initial: initial, stream: stream)
    }

    private func startFollowing() throws {
        let updates = try store.updates()
        let follower = Task { [weak self] in
            // What happened before the first update, and after the view was brought up to date last.
            self?.follow(updates.initial)
            for await update in updates {
                guard let self else { return }
                self.follow(update.snapshot)
            }
            self?.finish()
        }
        let isSuperfluous = withState { state in
            if state.follower != nil { return true }
            state.follower = follower
            return false
        }
        if isSuperfluous { follower.cancel() }
    }

    private func follow(_ snapshot: Snapshot) {
        // The readers are told of an error, and the next commit is another attempt.
        withState { state in try? state.follow(snapshot) }
    }

    private func removeReader(_ number: Int) {
        let follower = withState { state in
            state.readers[number] = nil
            guard state.readers.isEmpty else { return nil as Task<Void, Never>? }
            defer { state.follower = nil }
            return state.follower
        }
        follower?.cancel()
    }

    /// Ends all sequences, because the store was closed.
    private func finish() {
        // Ending one takes it off the list, which needs the lock.
        let readers = withState { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
