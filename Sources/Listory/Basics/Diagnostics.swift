// What a store reports about its own work, to the log and to the metrics of the app. `Docs/Design/Diagnostics.md` says how.
//
// Always holds:
// - without a trait of the package, a `Diagnostics` and a `Span` have no bytes, and their functions no instructions;
// - a report has numbers, versions and names of cases: nothing that an app has written into a list, and no path;
// - a handler of the app is called without a lock of the store, on a queue of its own, in the order of the reports.

import LMDB
import ListModel

/// Where a store reports what it does.
struct Diagnostics: Sendable {
    /// Work that takes time.
    enum Work: Sendable {
        case opening, flush, checkpoint, packing, compaction, edit
    }

    /// What happened.
    enum Report: Sendable {
        case opened(Opening)
        case flushed(commits: UInt64, bytes: Int)
        /// Queued commits could not be appended.
        case appendFailed(durable: Version, reason: String)
        /// After failures, queued commits were appended.
        case appendSucceeded(durable: Version)
        /// Commits that could not be appended were given up when the store was closed.
        case discarded(commits: UInt64)
        case checkpointed(Version, nodes: Int, bytes: Int)
        /// A checkpoint in the background failed, so that no caller gets the error.
        case checkpointFailed(reason: String)
        /// Old commits were packed into blocks of so many bytes.
        case packed(commits: UInt64, bytes: Int)
        /// Packing in the background failed; the commits stay as they are.
        case packingFailed(reason: String)
        /// A file without old history could not be written in the background; the commits stay.
        case trimmingFailed(reason: String)
        case compacted(bytesBefore: Int, bytesAfter: Int, dropped: UInt64, packed: UInt64)
        case edited(Commit.Cause?, events: Int)
        case rebased(commits: Int, others: UInt64, conflicting: Int)
    }

    /// How a store was opened.
    struct Opening: Sendable {
        var version: Version
        /// The version of the checkpoint; that of the empty list if there was none.
        var checkpoint: Version
        var replayedCommits: UInt64
        var replayedEvents: UInt64
        /// The commits that only the journal had.
        var journalCommits: UInt64
        /// Whether a checkpoint was unusable.
        var isRebuilt: Bool
        /// The newest version that is lost.
        var lost: Version?

        /// Whether opening found something else than what closing leaves.
        var isRecovery: Bool { journalCommits > 0 || isRebuilt || lost != nil }
    }

    #if Logging || Metrics || Signposts
    private let sinks: DiagnosticSinks?
    #endif

    /// Reports nothing.
    @inline(__always)
    init() {
        #if Logging || Metrics || Signposts
        sinks = nil
        #endif
    }

    /// Reports to the log and the metrics of the process.
    ///
    /// - Parameters:
    ///   - label: what the app calls the store.
    ///   - slowEdit: from which duration on an edit is slow.
    @inline(__always)
    init(_ label: @autoclosure () -> String, slowEdit: @autoclosure () -> Duration) {
        #if Logging || Metrics || Signposts
        sinks = DiagnosticSinks(label(), slowEdit: slowEdit())
        #endif
    }

    /// Begins work. It ends with ``end(_:_:)``, or without a report when the result is released.
    @inline(__always)
    func begin(_ work: Work) -> Span {
        #if Logging || Metrics || Signposts
        Span(start: sinks == nil ? nil : .now, interval: sinks?.interval(work))
        #else
        Span()
        #endif
    }

    /// Reports that work has ended.
    @inline(__always)
    func end(_ span: Span, _ report: @autoclosure () -> Report) {
        #if Logging || Metrics || Signposts
        guard let sinks, let start = span.start else { return }
        let end = ContinuousClock.now
        sinks.take(report(), end - start, waiting: span.made.map { end - $0 })
        span.interval?.end()
        #endif
    }

    /// Reports what takes no time.
    @inline(__always)
    func report(_ report: @autoclosure () -> Report) {
        #if Logging || Metrics || Signposts
        sinks?.take(report(), nil, waiting: nil)
        #endif
    }

    /// Waits until the handler of the log has what was reported. Not called with a lock held.
    @inline(__always)
    func wait() {
        #if Logging || Metrics || Signposts
        sinks?.wait()
        #endif
    }

    /// Work in progress.
    struct Span {
        #if Logging || Metrics || Signposts
        fileprivate let start: ContinuousClock.Instant?
        fileprivate let interval: SignpostInterval?
        fileprivate var made: ContinuousClock.Instant?
        #endif

        /// Notes that an edit is made, and that its caller waits from now on.
        @inline(__always)
        mutating func noteMade() {
            #if Logging || Metrics || Signposts
            if start != nil { made = .now }
            #endif
        }
    }

    /// The kind of an error, without the values that it carries: these may be an app's.
    static func reason(_ error: any Error) -> String {
        switch error {
        case ListError.appendFailed(_, let cause): reason(cause)
        case let error as ListError: error.code
        case let error as LMDBError:
            if case .engine(let code) = error.kind {
                code.description
            } else {
                // The name of the case.
                Mirror(reflecting: error.kind).children.first?.label ?? "\(error.kind)"
            }
        default: "\(type(of: error))"
        }
    }
}
