// A projection of a store, for an app.
//
// It folds when the app asks for the value. While the app waits for values, a task follows every commit.

import ListModel

/// The value of a projection, kept up to date.
///
/// ```swift
/// let counts = try store.projection(SectionCounts.self)
/// try store.edit("Check milk") { try $0.toggle(.item(7)) }
/// show(try counts.value)
/// ```
///
/// The first access folds what is not stored, which may be the whole log: a million events take about a second. Later
/// openings continue from the stored state.
///
/// If the app keeps a value whose type is copy-on-write, such as an array, the next fold copies it.
///
/// - Important: The functions of a projection must use neither the projection nor the store. Of the projection, they and
///   the closures of edits may read only ``name`` and ``failure``; anything else throws ``ListError/usedInside(_:)``.
public final class LiveProjection<Value: Sendable>: Sendable {
    /// The store whose events are folded.
    public let store: UntypedStore
    private let follower: ProjectionFollower<Value>

    init(_ store: UntypedStore, _ follower: ProjectionFollower<Value>) {
        self.store = store
        self.follower = follower
    }

    /// The key of its state.
    public var name: String { follower.rules.name }

    /// The value at the newest version of the store.
    ///
    /// - Throws: ``ListError/failed(cause:)`` with ``ProjectionError/failed(projection:version:event:cause:)``, until
    ///   ``rebuild()``; ``ListError/closed``; an error of the log, after which the next access tries again.
    /// - Complexity: that of folding the events since the last access.
    public var value: Value {
        get throws { try folded.value }
    }

    /// The value at the newest version of the store, and that version.
    ///
    /// - Throws, Complexity: as ``value``.
    public var moment: ProjectedMoment<Value> {
        get throws { try ProjectedMoment(folded) }
    }

    /// The version from which the value knows the history; ``Version/empty`` if it has received every event. Otherwise
    /// it began with the rows of that version, because the store was compacted.
    ///
    /// - Throws, Complexity: as ``value``.
    public var beginning: Version {
        get throws { try folded.beginning }
    }

    private var folded: ProjectionFollower<Value>.Folded {
        get throws { try door { try follower.follow(store) } }
    }

    /// Why there is no value; nil if there is no known error.
    public var failure: ProjectionError? { follower.failure }

    /// Folds the projection again, from the beginning of the log.
    ///
    /// - Throws: as ``value``.
    /// - Complexity: that of folding all events.
    public func rebuild() throws {
        try door {
            try follower.checkIsOutside(store)
            follower.reset()
            _ = try folded
        }
    }

    /// Stores the state now, besides the automatic times: after checkpoints and when the store closes.
    ///
    /// - Throws: as ``value``; ``ListError/readOnly``; an error of the encoder, or of the file.
    /// - Complexity: O(size of the state).
    public func checkpoint() throws { try door { _ = try follower.store(in: store) } }

    /// The values from now on, the present one first.
    ///
    /// Each call returns a new sequence for one reader. A slow reader receives the newest value and skips those in
    /// between. The sequence ends when the store closes, and with an error if the projection fails.
    ///
    /// - Throws: ``ListError/closed``.
    public func values() throws -> ProjectedValues<Value> {
        let changes = try store.changes()
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: ProjectedMoment<Value>.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
        let task = Task { [self] in
            do {
                let first = try folded
                // Not its rows, which would keep the file open.
                var last = first.moment
                continuation.yield(ProjectedMoment(first))
                for await _ in changes {
                    let newest = try folded
                    if newest.moment == last { continue }
                    last = newest.moment
                    continuation.yield(ProjectedMoment(newest))
                }
                continuation.finish()
            } catch ListError.closed {
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return ProjectedValues(stream: stream)
    }
}

/// The values of a projection, as they become known.
///
/// ```swift
/// for try await moment in try counts.values() { show(moment.value) }
/// ```
public struct ProjectedValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = ProjectedMoment<Value>
    public typealias Failure = any Error

    let stream: AsyncThrowingStream<Element, any Error>

    public func makeAsyncIterator() -> AsyncThrowingStream<Element, any Error>.Iterator { stream.makeAsyncIterator() }
}
