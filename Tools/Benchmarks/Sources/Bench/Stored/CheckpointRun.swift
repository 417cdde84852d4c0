// One run of the checkpoint benchmark: changes every row, and takes a checkpoint while another thread edits.
//
// Always holds: all changes are in the log before the checkpoint begins, so only the checkpoint is measured. The writer
// pauses between two edits; the time of an edit includes its wait for the checkpoint.

import BenchSupport
import Foundation
import ListModel
import Listory
import ProbeSupport
import Synchronization
import TestSupport

/// The measurements of a checkpoint after a change of every row.
struct CheckpointRun {
    /// The seconds that the checkpoint took.
    let duration: Double
    /// The longest that an edit took meanwhile, in seconds.
    let worstEdit: Double
    /// How many edits were made meanwhile.
    let editCount: Int
    /// By how much the private memory of the process grew at most; nil if the kernel does not report it.
    let growth: Int?

    /// The results of both threads.
    private final class Outcome: Sendable {
        struct Values: Sendable {
            var duration: Double?
            var worstEdit = 0.0
            var editCount = 0
            var failure: (any Error)?
        }
        let values = Mutex(Values())
        let isDone = Atomic(false)
    }

    /// Changes every row, and takes a checkpoint.
    init(_ store: UntypedStore) throws {
        try CheckpointRun.toggleAll(store)
        let outcome = Outcome()
        let threads = DispatchGroup()
        let before = ProcessMemory.afterTrimming()
        var peak = before
        CheckpointRun.start(threads, outcome) { try CheckpointRun.edit(store, outcome) }
        CheckpointRun.start(threads, outcome) {
            defer { outcome.isDone.store(true, ordering: .releasing) }
            let time = try seconds { try store.checkpoint() }
            outcome.values.withLock { $0.duration = time }
        }
        while threads.wait(timeout: .now() + .milliseconds(2)) == .timedOut {
            if let now = ProcessMemory.current(), now.privateBytes > peak?.privateBytes ?? 0 { peak = now }
        }
        let values = outcome.values.withLock { $0 }
        if let failure = values.failure { throw failure }
        guard let duration = values.duration else { throw WrongResult(what: "the checkpoint") }
        self.duration = duration
        worstEdit = values.worstEdit
        editCount = values.editCount
        growth = peak.flatMap { peak in before.map { peak.privateBytes - $0.privateBytes } }
    }

    private static func start(
        _ threads: DispatchGroup, _ outcome: Outcome, _ body: @escaping @Sendable () throws -> Void
    ) {
        threads.enter()
        Thread {
            do { try body() } catch { outcome.values.withLock { $0.failure = error } }
            threads.leave()
        }.start()
    }

    private static func toggleAll(_ store: UntypedStore) throws {
        let count = try store.snapshot.itemCount
        for first in stride(from: 0, to: count, by: 1_000) {
            let run = ItemSelection.run(ListIndexPath(section: 0, item: first), count: min(1_000, count - first))
            try store.edit("Check", durability: .deferred) { try $0.toggle(run) }
        }
        try store.waitUntilDurable()
    }

    /// Toggles single rows until the checkpoint is complete.
    private static func edit(_ store: UntypedStore, _ outcome: Outcome) throws {
        let count = try store.snapshot.itemCount
        var generator = SeededGenerator(seed: 5)
        var worst = 0.0
        var editCount = 0
        while !outcome.isDone.load(ordering: .acquiring) {
            let path = ListIndexPath(section: 0, item: generator.below(count))
            let time = try seconds {
                try store.edit("Check", durability: .deferred) { try $0.toggle(.at(path)) }
            }
            worst = max(worst, time)
            editCount += 1
            Thread.sleep(forTimeInterval: 0.000_1)
        }
        outcome.values.withLock { [worst, editCount] in
            $0.worstEdit = worst
            $0.editCount = editCount
        }
    }
}
