// The options of a compaction on a command line.
//
// Always holds: at most one bound is used.

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
}

extension StoreFile {
    /// Compacts the store. All of its pages are checked first.
    public func compact(
        _ request: CompactionRequest, progress: (Double) -> Void = { _ in }
    ) throws -> CompactionReport {
        try requireFile()
        return try explaining {
            try UntypedStore.compact(
                at: path, request.compaction, options: StoreFile.rewritingOptions, progress: progress)
        }
    }

    /// Erases contents of rows, and of origins: of every row whose id is printed so. All pages of the store are checked first.
    public func erase(
        _ rows: [IdentifierText], origins: [String], isDryRun: Bool, progress: (Double) -> Void = { _ in }
    ) throws -> ErasureReport {
        try requireFile()
        var erasure = Erasure(rows: Set(rows.flatMap(\.ids)), origins: Set(origins))
        erasure.isDryRun = isDryRun
        return try explaining {
            try UntypedStore.erase(erasure, at: path, options: StoreFile.rewritingOptions, progress: progress)
        }
    }

    /// The options for what writes the whole file again.
    private static var rewritingOptions: StoreOptions {
        var options = StoreOptions()
        (options.gate, options.unloadsPages, options.memoryBudget) = (.full, true, StoreFile.memoryBudget)
        return options
    }
}
