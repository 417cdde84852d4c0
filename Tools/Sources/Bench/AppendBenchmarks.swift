// What it costs to get commits into the log, beside LMDB used directly from C.
//
// Always holds: both write the same record bytes in the same order, in batches of the same size, each batch with one
// full sync. The library's time includes making the commits; the peer gets them ready-made.

import BenchSupport
import RawLMDB

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
                try files.withNewFile { try rawSeconds(records, batch: batch, path: $0) } / Double(commitCount) * 1e9
            }
            var transactionCount = 0
            try runner.measure(
                name, unit: "ns/commit", target: .ratio(atMost: batch >= 10_000 ? 4 : 1.2), peer: peer,
                note: {
                    "\(commitCount) commits: \(commitCount / batch) batches asked for, \(transactionCount) written"
                }
            ) {
                let result = try files.withNewFile { try AppendRun(commitCount, batch).measure(path: $0, runner.sink) }
                transactionCount = result.transactionCount
                return result.seconds / Double(commitCount) * 1e9
            }
        }
    }

    /// LMDB refused what the peer asked for.
    struct PeerFailed: Error {
        let code: Int
    }

    /// The seconds that the peer takes.
    private func rawSeconds(_ records: [[UInt8]], batch: Int, path: String) throws -> Double {
        let bytes = records.flatMap { $0 }
        return try bytes.withUnsafeBytes { bytes in
            var offset = 0
            let parts = records.map { record in
                defer { offset += record.count }
                return raw_record(bytes: bytes.baseAddress! + offset, count: record.count)
            }
            // SAFETY: the parts point into `bytes`, which lives until the closure returns.
            let seconds = raw_lmdb_append(path, parts, parts.count, batch)
            guard seconds >= 0 else { throw PeerFailed(code: Int(seconds)) }
            return seconds
        }
    }
}
