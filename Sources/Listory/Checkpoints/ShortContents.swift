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
    private let state = Locked(State())

    private struct State: Sendable {
        /// Contents by their hashes.
        var known: [UInt64: [UInt8]] = [:]
        /// Where contents were met that are not known.
        var met: [UInt64: ContentReference] = [:]
    }

    /// - Parameter limit: how many different contents are read at most, and a quarter of how many that were met are remembered.
    init(limit: Int = 1_024) { self.limit = limit }

    /// The content of a row, if it is short and known. It is read when a second row has it: most contents have one row.
    ///
    /// - Parameter read: reads it; if it cannot be read, its hash has to do.
    func content(of reference: ContentReference, _ read: (ContentReference) throws -> [UInt8]) -> [UInt8]? {
        guard reference.length <= ShortContents.greatestLength else { return nil }
        if reference.isErased { return nil }
        return state.withLock { state in
            if let content = state.known[reference.hash] {
                return content.count == Int(reference.length) ? content : nil
            }
            if state.known.count == limit { return nil }
            if state.met.count == 4 * limit { state.met.removeAll() }
            guard let other = state.met.updateValue(reference, forKey: reference.hash), other != reference,
                let content = try? read(reference)
            else { return nil }
            state.met[reference.hash] = nil
            state.known[reference.hash] = content
            return content
        }
    }
}
