// Contents that commits bring back which were made before the log of this replica begins: the shared log has them.
//
// Always holds: commits are received with all contents to which they refer, except those that the shared log has lost.

import ListModel
@_spi(Sync) import Listory
import SharedLog

extension Replica {
    /// Reads the contents from the log to which commits refer that are to be received, unless they are here.
    ///
    /// - Parameters:
    ///   - records: those of the commits.
    ///   - version: the version before them.
    /// - Throws: ``SharedLogError`` if the log cannot be reached; errors of the store.
    func fetchContents(for records: [[UInt8]], after version: Version) async throws {
        let lacked = try store.lackedContents(of: records, after: version)
        var left = lacked.versions[...]
        var found: [Version: [UInt8]] = [:]
        var size = 0
        // An exchange that ends before it has all of them does not begin anew the next time.
        defer { if !found.isEmpty { try? store.add(lacked, from: found) } }
        while let first = left.first {
            try Task.checkCancellation()
            for entry in try await entries(with: left) {
                left = left.drop { $0.rawValue < entry.number }
                guard left.first?.rawValue == entry.number else { continue }
                found[left.removeFirst()] = (try? codec.bytes(entry.payload, number: entry.number)) ?? []
                size += entry.payload.count
            }
            // The log has lost it.
            if left.first == first { found[left.removeFirst()] = [] }
            if size > options.batchBytes || found.count >= Self.mostUnsaved || left.isEmpty {
                try store.add(lacked, from: found)
                (found, size) = ([:], 0)
            }
        }
    }

    /// How many contents are read before they are stored: on a slow line, single ones take long.
    private static var mostUnsaved: Int { 64 }

    /// How far apart entries may be that are read together.
    private static var nearness: UInt64 { 256 }

    /// Some entries from the first of some versions on: as many as usual if the next one is near. None if the first is damaged.
    private func entries(with versions: ArraySlice<Version>) async throws -> [LogEntry] {
        let first = versions.first!.rawValue
        let isNear = versions.dropFirst().first.map { $0.rawValue - first < Self.nearness } ?? false
        // One that is damaged keeps those before it from coming with it.
        for bytes in isNear ? [options.batchBytes, 1] : [1] {
            do { return try await log.entries(after: first - 1, maximumBytes: bytes) } catch SharedLogError.damaged {}
        }
        return []
    }
}
