// The workloads. Each runs in a separate process, so that they share neither memory nor caches.

import BenchSupport
import Foundation

/// A workload.
enum Workload: String, Sendable {
    /// Rows are imported, and then edited one at a time.
    case rows
    /// Rows are imported for the workloads below, which leave the file as it is.
    case build
    /// The first rows are read.
    case open
    /// All rows are loaded.
    case memory
    /// Threads commit at the same time.
    case writers
    /// A changeset is made.
    case oneEdit = "one-edit"
    case onePercent = "one-percent"
    /// A recording is replayed, and its middle looked at.
    case trace
    /// A recording is replayed, and its end undone.
    case undo

    /// Runs the workload.
    func measure(_ order: MeasureOrder) throws -> Values {
        let sink = Sink()
        defer { withExtendedLifetime(sink) {} }
        switch self {
        case .rows: return try RowsWorkload(order: order).measure()
        case .build:
            try RowsWorkload(order: order).build()
            return [:]
        case .open: return try OpenWorkload(order: order).measure()
        case .memory: return try MemoryWorkload(order: order).measure(sink)
        case .writers: return try WritersWorkload(order: order).measure(sink)
        case .oneEdit, .onePercent:
            return try ChangesetWorkload(order: order, isSingle: self == .oneEdit).measure(sink)
        case .trace: return try TraceWorkload(order: order).measurePast(sink)
        case .undo: return try TraceWorkload(order: order).measureUndo()
        }
    }
}

/// The size on the disk of a file and of all files beside it whose names begin with its name: blocks, not lengths,
/// because LMDB's files have holes.
func bytesOnDisk(_ path: String) throws -> Double {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    var total = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasPrefix(url.lastPathComponent) {
        var status = stat()
        if stat(folder + "/" + name, &status) == 0 { total += Int(status.st_blocks) * 512 }
    }
    return Double(total)
}
