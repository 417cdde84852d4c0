// What a command line asks of a compaction.
//
// Always holds: dates are read as `log` prints them, to the microsecond.

import Foundation
import ListModel
import Listory

/// What is to be kept of a store, and how.
public struct CompactionRequest: Sendable {
    /// What the library is asked to do.
    public var compaction: Compaction

    /// A request to keep what one of the bounds says; without any, everything.
    ///
    /// - Parameter since: a date that ``time(_:)`` reads.
    public init(from version: UInt64? = nil, since date: String? = nil, recordBytes: Int? = nil) {
        if let version {
            compaction = Compaction(keeping: .from(Version(version)))
        } else if let time = date.flatMap(CompactionRequest.time) {
            compaction = Compaction(keeping: .since(time))
        } else if let recordBytes {
            compaction = Compaction(keeping: .recordBytes(recordBytes))
        } else {
            compaction = Compaction()
        }
    }

    /// The moment of a date as ISO 8601 writes it, with or without a time of day; nil if it is none.
    public static func time(_ text: String) -> Timestamp? {
        let shape = /(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d))?/
        guard let parts = text.wholeMatch(of: shape)?.output,
            let date = try? Date("\(parts.1)\(parts.2 ?? "T00:00:00")\(parts.4 ?? "Z")", strategy: .iso8601),
            // Counted apart, because a `Date` is too coarse for it.
            let fraction = Int64("\(parts.3 ?? "")000000".prefix(6))
        else { return nil }
        return Timestamp(microseconds: Int64(date.timeIntervalSince1970.rounded()) * 1_000_000 + fraction)
    }
}

extension StoreFile {
    /// Compacts the store. All of its pages are checked first.
    public func compact(
        _ request: CompactionRequest, progress: (Double) -> Void = { _ in }
    ) throws -> CompactionReport {
        try requireFile()
        var options = StoreOptions()
        options.gate = .full
        return try explaining {
            try Store.compact(at: path, request.compaction, options: options, progress: progress)
        }
    }
}
