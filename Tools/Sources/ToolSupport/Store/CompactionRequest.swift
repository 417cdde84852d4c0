// The options of a compaction on a command line.
//
// Always holds: dates can have the form in which `log` prints them, to the microsecond.

import Foundation
import ListModel
import Listory

/// Which part of a store to keep, and how.
public struct CompactionRequest: Sendable {
    /// The compaction that the library makes.
    public var compaction: Compaction

    /// A request to keep the commits within one of the bounds; without a bound, all of them.
    ///
    /// - Parameter since: a date that ``time(_:)`` reads.
    public init(from version: Version? = nil, since date: String? = nil, recordBytes: Int? = nil) {
        if let version {
            compaction = Compaction(keeping: .from(version))
        } else if let time = date.flatMap(CompactionRequest.time) {
            compaction = Compaction(keeping: .since(time))
        } else if let recordBytes {
            compaction = Compaction(keeping: .recordBytes(recordBytes))
        } else {
            compaction = Compaction()
        }
    }

    /// The time of an ISO 8601 date, in UTC unless it says something else, with as much of the time of day as wanted; nil
    /// if the text is not one.
    public static func time(_ text: String) -> Timestamp? {
        let shape = /(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?:(:\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?/
        guard let parts = text.wholeMatch(of: shape)?.output,
            let date = try? Date(
                "\(parts.1)T\(parts.2 ?? "00:00")\(parts.3 ?? ":00")\(parts.5 ?? "Z")", strategy: .iso8601),
            // Parsed separately, because a `Date` is not precise enough.
            let fraction = Int64("\(parts.4 ?? "")000000".prefix(6))
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
            try UntypedStore.compact(at: path, request.compaction, options: options, progress: progress)
        }
    }
}
