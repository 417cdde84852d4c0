// Measures commits that are waited for: the time of one, compared with LMDB alone, and the rate of many writers.
//
// Always holds: the samples of the figures are taken in turn, so a ratio compares samples from the same time.

import BenchSupport
import ListModel
import Listory

/// Measures throughput and latency of writers that wait for every commit.
struct GroupCommitBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames

    private static let prefix = "group-commit"

    func run() throws {
        try runOneWriter()
        try runOneWriterAndFile()
        for kind in [WaitingWriters.Kind.threads, .tasks] { try runWriters(kind) }
    }

    /// Measures one writer, compared with the same records in LMDB, each in a synced transaction.
    private func runOneWriter() throws {
        let name = "\(GroupCommitBenchmarks.prefix)/one-writer"
        guard runner.wants(name), let count = scale.groupCommits.first?.commitCount else { return }
        let records = try files.withNewFile { try AppendRun(count, 1).records(path: $0) }
        let peer = Runner.Peer(name: "LMDB from C: a synced transaction for each record", ratioKind: .cost) {
            try files.withNewFile { try RawLog.seconds(records, batch: 1, path: $0) } / Double(count) * 1e6
        }
        try runner.measure(name, unit: "µs/commit", target: .ratio(atMost: 1.1), peer: peer) {
            try files.withNewFile { try AppendRun(count, 1).measure(path: $0, runner.sink).seconds }
                / Double(count) * 1e6
        }
    }

    /// Measures one writer, compared with the same records in a plain file, each written and synced.
    private func runOneWriterAndFile() throws {
        let name = "\(GroupCommitBenchmarks.prefix)/one-writer/vs-file"
        guard runner.wants(name), let count = scale.groupCommits.first?.commitCount else { return }
        let records = try files.withNewFile { try AppendRun(count, 1).records(path: $0) }
        let peer = Runner.Peer(name: "pwrite and fdatasync of each record", ratioKind: .cost) {
            try files.withNewFile { try PlainFile.seconds(records, path: $0) } / Double(count) * 1e6
        }
        try runner.measure(name, unit: "µs/commit", target: .ratio(atMost: 1.15), peer: peer) {
            try files.withNewFile { try AppendRun(count, 1).measure(path: $0, runner.sink).seconds }
                / Double(count) * 1e6
        }
    }

    /// Compares many writers with one: threads with a thread, tasks with a task.
    private func runWriters(_ kind: WaitingWriters.Kind) throws {
        let all = scale.groupCommits.map {
            WaitingWriters(kind: kind, count: $0.writerCount, commitCount: $0.commitCount)
        }
        guard all.contains(where: { runner.wants(name($0)) }) else { return }
        // The first is a single writer, with which the others are compared.
        let writers = [all[0]] + all.dropFirst().filter { runner.wants(name($0)) }
        var results: [[WaitingWriters.Result]] = writers.map { _ in [] }
        try runner.repeatedly { counts in
            for (index, writers) in writers.enumerated() {
                let result = try files.withNewFile { try writers.run(path: $0, runner.sink) }
                if counts { results[index].append(result) }
            }
        }
        let one = Figure.Peer(name: "one of its kind", samples: results[0].map(\.rate), ratioKind: .cost)
        for (index, writers) in writers.enumerated() { add(writers, results[index], index == 0 ? nil : one) }
    }

    private func name(_ writers: WaitingWriters) -> String {
        "\(GroupCommitBenchmarks.prefix)/\(writers.count)-\(writers.kind.rawValue)"
    }

    private func add(_ writers: WaitingWriters, _ results: [WaitingWriters.Result], _ one: Figure.Peer?) {
        let name = name(writers)
        let perTransaction = results.compactMap(\.commitsPerTransaction)
        runner.add(
            Figure(
                name: name, unit: "commits/s", samples: results.map(\.rate), peer: one,
                target: writers.count == 64 ? .ratio(atLeast: 20) : nil,
                note: perTransaction.isEmpty
                    ? nil : "\(NumberText.text(Statistics.median(perTransaction))) commits shared a transaction of LMDB"
            ))
        for (suffix, share) in [("p50", 0.5), ("p99", 0.99)] {
            runner.add(
                Figure(
                    name: "\(name)/\(suffix)", unit: "µs",
                    samples: results.map { Statistics.percentile(share, of: $0.latencies) * 1e6 }, peer: nil,
                    target: nil, note: nil))
        }
    }
}
