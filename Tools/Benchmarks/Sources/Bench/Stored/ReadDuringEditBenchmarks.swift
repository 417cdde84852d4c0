// Measures how long a reader waits for the newest rows while another thread is inside an edit.
//
// Always holds: the edit has changed rows before the first read, and goes on until after the last one; each read gets the
// rows from before it.

import BenchSupport
import Foundation
import ListModel
import Listory

/// Measures reading while somebody edits.
struct ReadDuringEditBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames

    private struct Line: Codable, Identifiable, Sendable {
        var id: Int
    }

    /// How many rows the edit changes before it rests, and how many reads there are then.
    private static let (changedCount, readCount) = (1_000, 1_000)

    func run() throws {
        let names = ["read/during-edit", "read/slowest-during-edit"]
        guard names.contains(where: runner.wants) else { return }
        let rowCount = scale.rowCounts.last!
        var results: [[Double]] = []
        try runner.repeatedly { counts in
            let result = try files.withNewFile { try measure($0, rowCount) }
            if counts { results.append(result) }
        }
        let note =
            "\(NumberText.count(rowCount)) rows; \(Self.readCount) reads of the newest snapshot in a run, one every ms, "
            + "while an edit that has changed \(Self.changedCount) rows goes on"
        runner.add(
            Figure(
                name: names[0], unit: "µs", samples: results.map { Statistics.median($0) * 1e6 }, peer: nil,
                target: .median(atMost: 1_000), note: note))
        runner.add(
            Figure(
                name: names[1], unit: "µs", samples: results.map { ($0.max() ?? 0) * 1e6 }, peer: nil,
                target: .median(atMost: 1_000), note: nil))
    }

    /// The time of each read, in seconds.
    private func measure(_ path: String, _ rowCount: Int) throws -> [Double] {
        let store = try ListStore<String, Line>.open(at: path, createIfMissing: true)
        let items = try store.encoded((0..<rowCount).map { Line(id: $0) })
        try store.edit("Import") { try $0.insertSection("rows", items: items) }
        let version = try store.version
        let (isInside, isRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isMade = DispatchSemaphore(value: 0)
        Thread {
            try? store.edit("Long", durability: .deferred) { list in
                for id in 0..<Self.changedCount { try list.toggle(id) }
                isInside.signal()
                isRead.wait()
            }
            isMade.signal()
        }.start()
        isInside.wait()
        var times: [Double] = []
        for _ in 0..<Self.readCount {
            var snapshot: ListSnapshot<String, Line>?
            times.append(try seconds { snapshot = try store.snapshot })
            precondition(
                snapshot?.version == version && snapshot?.itemCount == rowCount, "not the rows before the edit")
            Thread.sleep(forTimeInterval: 0.001)
        }
        isRead.signal()
        isMade.wait()
        let after = try store.version
        precondition(after == version.next, "the edit was not made")
        try store.close()
        return times
    }
}
