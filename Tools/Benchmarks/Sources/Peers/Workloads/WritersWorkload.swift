// Lets threads commit to one store of the library; each waits for every one of its commits.

import BenchSupport

/// Commits from several threads at once.
struct WritersWorkload {
    let order: MeasureOrder

    /// `order.size` is how many threads there are, `order.count` how many commits they make together.
    func measure(_ sink: Sink) throws -> Values {
        let writers = WaitingWriters(kind: .threads, count: order.size, commitCount: max(1, order.count / order.size))
        let result = try writers.run(path: order.path, sink)
        return [
            .rate: result.rate,
            .typical: Statistics.percentile(0.5, of: result.latencies),
            .slow: Statistics.percentile(0.99, of: result.latencies),
        ]
    }
}
