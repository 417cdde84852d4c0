// Contents that take no more space than their hashes: a checkpoint stores them with their rows instead. In a text with a row for each
// character, these are a few dozen contents, and a row takes one byte instead of eight.
//
// Always holds: a content that is returned has the hash and the length of its reference, and is not erased.

import ListModel

/// The short contents that checkpoints have met.
final class ShortContents: Sendable {
    /// The size of a hash, in bytes.
    static let greatestLength = 8

    private let limit: Int
    private let known = Locked([UInt64: [UInt8]]())

    /// - Parameter limit: how many different contents are read. Of more, there is hardly one that many rows have.
    init(limit: Int = 1_024) { self.limit = limit }

    /// The content of a row, if it is short, and known or one of the first.
    ///
    /// - Parameter read: reads it; if it cannot be read, its hash has to do.
    func content(of reference: ContentReference, _ read: (ContentReference) throws -> [UInt8]) -> [UInt8]? {
        guard reference.length <= ShortContents.greatestLength, !reference.isErased else { return nil }
        return known.withLock { known in
            if let content = known[reference.hash] { return content.count == Int(reference.length) ? content : nil }
            guard known.count < limit, let content = try? read(reference) else { return nil }
            known[reference.hash] = content
            return content
        }
    }
}
