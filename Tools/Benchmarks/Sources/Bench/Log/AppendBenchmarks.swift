// Measures appending commits to the log, compared with LMDB used directly from C.
//
// Always holds: both write the same records in the same order, in groups of the same size, each with one full sync. The
// library's time includes making the commits; the peer gets the records ready-made.

import BenchSupport

/// Measures single-edit commits through a store on a file.
struct AppendBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames

    func run() throws {
        for (batch, commitCount) in scale.appends {
            let name = "append/batch-of-\(NumberText.count(batch))"
            guard runner.wants(name) else { continue }
            let records = try files.withNewFile { try AppendRun(commitCount, batch).records(path: $0) }
            let peerName = "LMDB from C: the same records, batches and sync"
            let peer = Runner.Peer(name: peerName, ratioKind: .cost) {
                let time = try files.withNewFile { try RawLog.seconds(records, batch: batch, path: $0) }
                return time / Double(commitCount) * 1e9
            }
            var transactionCount: Int?
            try runner.measure(
                name, unit: "ns/commit", target: .ratio(atMost: batch >= 10_000 ? 4 : 1.2), peer: peer,
                note: {
                    "\(commitCount) commits: \(commitCount / batch) batches asked for"
                        + (transactionCount.map { ", \($0) transactions of LMDB" } ?? "")
                }
            ) {
                let result = try files.withNewFile { try AppendRun(commitCount, batch).measure(path: $0, runner.sink) }
                transactionCount = result.transactionCount
                return result.seconds / Double(commitCount) * 1e9
            }
        }
    }
}
