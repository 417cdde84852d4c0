// A bounded queue of updates for one reader.
//
// Always holds: at most a fixed number of elements wait; later ones are merged with the last one. So a slow reader, or
// one that never reads, keeps only a bounded part of the past in memory.

import Dispatch

/// The writing end of a queue.
final class UpdateQueue<Element: Sendable>: Sendable {
    private let waiting = Locked<[Element]>([])
    private let limit: Int
    private let merge: @Sendable (Element, Element) -> Element
    private let wakeUps: AsyncStream<Void>.Continuation

    /// Makes both ends of a queue.
    ///
    /// - Parameters:
    ///   - limit: how many elements may wait; at least 1.
    ///   - merge: combines two successive elements into one.
    static func make(
        limit: Int, merge: @escaping @Sendable (Element, Element) -> Element
    ) -> (UpdateQueue, QueuedUpdates<Element>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let queue = UpdateQueue(limit, merge, continuation)
        return (queue, QueuedUpdates(queue: queue, wakeUps: stream))
    }

    private init(
        _ limit: Int, _ merge: @escaping @Sendable (Element, Element) -> Element,
        _ wakeUps: AsyncStream<Void>.Continuation
    ) {
        (self.limit, self.merge, self.wakeUps) = (max(1, limit), merge, wakeUps)
    }

    /// Adds an element.
    ///
    /// - Returns: whether there is still a reader.
    @discardableResult
    func append(_ element: Element) -> Bool {
        waiting.withLock { waiting in
            if let last = waiting.last, waiting.count >= limit {
                waiting[waiting.count - 1] = merge(last, element)
            } else {
                waiting.append(element)
            }
        }
        if case .terminated = wakeUps.yield() { return false }
        return true
    }

    /// Ends the queue; waiting elements can still be read.
    func finish() { wakeUps.finish() }

    /// Calls a function soon after the queue has ended or its reader was released or cancelled.
    func onTermination(_ body: @escaping @Sendable () -> Void) { wakeUps.onEnd(body) }

    fileprivate func take() -> Element? {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

extension AsyncStream.Continuation {
    /// Calls a function soon after the stream has ended, on another thread, so that it may take locks.
    ///
    /// `onTermination` may not: it runs while the runtime cancels the reading task and holds the lock of that task, and
    /// `yield` waits for that lock. Where a lock is held around `yield`, each would wait for the other.
    func onEnd(_ body: @escaping @Sendable () -> Void) {
        onTermination = { _ in DispatchQueue.global(qos: .utility).async(execute: body) }
    }
}

/// The reading end of a queue, for one reader.
struct QueuedUpdates<Element: Sendable>: AsyncSequence, Sendable {
    fileprivate let queue: UpdateQueue<Element>
    fileprivate let wakeUps: AsyncStream<Void>

    func makeAsyncIterator() -> Iterator { Iterator(queue: queue, wakeUps: wakeUps.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let queue: UpdateQueue<Element>
        fileprivate var wakeUps: AsyncStream<Void>.Iterator

        /// The next element, once there is one; nil at the end, or if the task is cancelled.
        mutating func next() async -> Element? {
            while !Task.isCancelled {
                if let element = queue.take() { return element }
                if await wakeUps.next() == nil { return Task.isCancelled ? nil : queue.take() }
            }
            return nil
        }
    }
}
