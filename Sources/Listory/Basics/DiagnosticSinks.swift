// The receivers of reports, one for each trait of the package. Without a trait there is nothing in this file.

#if Logging || Metrics || Signposts
/// The log, the metrics and the signposts of a store, as far as the traits have them.
final class DiagnosticSinks: Sendable {
    private let slowEdit: Duration
    #if Logging
    private let log: DiagnosticLog
    #endif
    #if Metrics
    private let metrics: DiagnosticMetrics
    #endif
    private let signposts: DiagnosticSignposts

    init(_ label: String, slowEdit: Duration) {
        self.slowEdit = slowEdit
        #if Logging
        log = DiagnosticLog(label)
        #endif
        #if Metrics
        metrics = DiagnosticMetrics(label)
        #endif
        signposts = DiagnosticSignposts(label)
    }

    /// Takes a report.
    ///
    /// - Parameters:
    ///   - duration: how long the work took, if it took time.
    ///   - waiting: the part of it, after an edit was made, in which its caller waited.
    func take(_ report: Diagnostics.Report, _ duration: Duration?, waiting: Duration?) {
        let isSlow = if case .edited = report, let duration { duration >= slowEdit } else { false }
        #if Metrics
        metrics.take(report, duration, isSlow: isSlow)
        #endif
        #if Logging
        if case .edited = report, !isSlow { return }
        log.take(report, duration, waiting: waiting)
        #endif
    }

    func interval(_ work: Diagnostics.Work) -> SignpostInterval? { signposts.begin(work.name) }

    func wait() {
        #if Logging
        log.wait()
        #endif
    }
}

extension Diagnostics.Work {
    /// The name of its interval in Instruments.
    fileprivate var name: StaticString {
        switch self {
        case .opening: "open"
        case .flush: "flush"
        case .checkpoint: "checkpoint"
        case .packing: "packing"
        case .compaction: "compaction"
        case .edit: "edit"
        }
    }
}
#endif
