// Does the same for many elements, on all cores.
//
// Always holds: the results are in the order of the elements; the error is that of the first element with one.

import Dispatch

extension RandomAccessCollection where Self: Sendable, Element: Sendable, Index == Int {
    /// The results of `transform` for each element.
    ///
    /// - Parameters:
    ///   - partSize: how many elements are worth another thread.
    ///   - transform: called on several threads at once.
    /// - Throws: what `transform` throws.
    func concurrentMap<Result: Sendable>(
        partSize: Int, _ transform: @Sendable (Element) throws -> Result
    ) throws -> [Result] {
        let partCount = (count + partSize - 1) / partSize
        if partCount < 2 { return try map(transform) }
        let parts = Locked([Swift.Result<[Result], any Error>?](repeating: nil, count: partCount))
        DispatchQueue.concurrentPerform(iterations: partCount) { part in
            let start = startIndex + part * partSize
            let result = Swift.Result { try self[start..<Swift.min(endIndex, start + partSize)].map(transform) }
            parts.withLock { $0[part] = result }
        }
        return try parts.withLock { $0 }.flatMap { try $0!.get() }
    }
}
