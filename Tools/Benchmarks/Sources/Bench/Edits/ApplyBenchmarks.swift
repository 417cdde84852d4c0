// Measures one edit in memory as a commit: resolving, checking, applying, encoding, hashing and the checksum.

import BenchSupport
import ListModel

/// Measures edits of lists of several sizes, with and without snapshots that share the nodes.
struct ApplyBenchmarks {
    let runner: Runner
    let scale: Scale

    /// The edits of a sample.
    private enum Work {
        case typing
        case edits(EditKind, EditAddress)

        static let all =
            [.typing]
            + EditKind.allCases.flatMap { kind in
                EditAddress.allCases.map { Work.edits(kind, $0) }
            }

        var name: String {
            switch self {
            case .typing: "typing"
            case .edits(let kind, let address): "\(kind.rawValue)/\(address.rawValue)"
            }
        }

        func plan(_ count: Int, _ planner: inout EditPlanner) -> [PlannedEdit] {
            switch self {
            case .typing: planner.typing(count)
            case .edits(let kind, let address): planner.edits(count, kind, by: address)
            }
        }
    }

    func run() throws {
        for rowCount in scale.rowCounts {
            let list = Lazy { try BenchList(rowCount: rowCount) }
            for work in Work.all {
                for use in BenchList.SnapshotUse.allCases {
                    let name = "apply/\(work.name)/\(NumberText.count(rowCount))/\(use.rawValue)"
                    try runner.measure(name, unit: "ns/edit", target: target(rowCount, use)) {
                        try sample(list.value, work, use)
                    }
                }
            }
        }
    }

    private func target(_ rowCount: Int, _ use: BenchList.SnapshotUse) -> Target? {
        Scale.isTargetSize(rowCount) ? .median(atMost: use == .none ? 2_000 : 8_000) : nil
    }

    /// Nanoseconds per edit. The edits of a sample are few compared with the rows, so the size of the list hardly
    /// changes.
    private func sample(_ list: BenchList, _ work: Work, _ use: BenchList.SnapshotUse) throws -> Double {
        let blockSize = min(scale.editCount, list.rowCount / 4)
        let blockCount = scale.editCount / blockSize
        var total = 0.0
        for _ in 0..<blockCount {
            let edits = work.plan(blockSize, &list.planner)
            total += try list.restoring { try list.time(edits, use, runner.sink) }
        }
        return total / Double(blockSize * blockCount) * 1e9
    }
}
