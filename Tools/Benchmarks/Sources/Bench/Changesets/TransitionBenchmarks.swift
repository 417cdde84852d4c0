// Measures the batches of a transition, including its changeset, compared with the standard library's difference of two
// arrays of ids.
//
// Always holds: the peer gets its arrays ready-made, compares only ids, and gives neither moves nor batches. If a
// sample of it would take too long, it is left out, and the note has the expected time; with a patient runner it is
// measured once.

import BenchSupport
import ListModel

/// Measures a changeset and its batches.
struct TransitionBenchmarks {
    let runner: Runner
    let scale: Scale

    private static let peerName = "[Int64].difference(from:)"

    func run() throws {
        for rowCount in scale.transitionRowCounts {
            let list = Lazy { try BenchList(rowCount: rowCount) }
            let size = NumberText.count(rowCount)
            let single = Lazy { try VersionPair.oneEditApart(list.value) }
            try measure("transition/1-edit/\(size)", single, rowCount, editCount: 1)
            let editCount = rowCount / 100
            let many = Lazy { try [VersionPair(list.value, editCount: editCount)] }
            try measure("transition/1-percent/\(size)", many, rowCount, editCount: editCount)
            for (name, pairs) in [("1-edit", single), ("1-percent", many)] {
                try measureSequences("transition/\(name)", size, pairs)
            }
        }
        for rowCount in scale.shuffledRowCounts {
            let pairs = Lazy { try [VersionPair.shuffled(rowCount: rowCount)] }
            try measure("transition/shuffle/\(NumberText.count(rowCount))", pairs, rowCount, editCount: 2 * rowCount)
        }
    }

    private func measure(_ name: String, _ pairs: Lazy<[VersionPair]>, _ rowCount: Int, editCount: Int) throws {
        guard runner.wants(name) else { return }
        let prediction = try predictedPeerSeconds(rowCount, editCount: editCount)
        let patience = runner.patience(prediction, longest: scale.longestPeerSample)
        let isSkipped = patience == .never
        let arrays = isSkipped ? [] : try pairs.value.prefix(3).map(\.ids)
        let peer = Runner.Peer(name: Self.peerName, ratioKind: .speedUp, isSampledOnce: patience == .once) {
            // Minutes are not repeated.
            if patience == .once, let (old, new) = arrays.first {
                return seconds { runner.sink.take(new.difference(from: old).count) } * 1e6
            }
            return VersionPair.differenceSeconds(arrays, runner.sink) * 1e6
        }
        try runner.measure(
            name, unit: "µs", peer: isSkipped ? nil : peer,
            note: { isSkipped ? "\(Self.peerName) left out: about \(NumberText.text(prediction)) s" : nil }
        ) {
            sample(try pairs.value) { $0.batches().reduce(0) { $0 &+ $1.changes.items.moved.count } }
        }
    }

    /// Measures the operations and splices for views without sections. The changeset is made again each time, as for
    /// the batches.
    private func measureSequences(_ name: String, _ size: String, _ pairs: Lazy<[VersionPair]>) throws {
        for layout in [RowLayout.rows, .rowsWithHeaders] {
            let suffix = layout == .rows ? size : "headers/\(size)"
            if runner.wants("\(name)/steps/\(suffix)") {
                try runner.measure("\(name)/steps/\(suffix)", unit: "µs") {
                    sample(try pairs.value) { $0.operations(layout: layout).operations.count }
                }
            }
            if runner.wants("\(name)/splices/\(suffix)") {
                try runner.measure("\(name)/splices/\(suffix)", unit: "µs") {
                    sample(try pairs.value) { $0.splices(layout: layout).splices.count }
                }
            }
        }
    }

    /// Microseconds for a changeset and the batches, operations or splices.
    private func sample(_ pairs: [VersionPair], _ stages: (ListTransition) -> Int) -> Double {
        // One edit takes microseconds, so it is repeated to exceed the resolution of the clock.
        let repetitions = pairs.count > 1 ? 200 : 1
        let time = seconds {
            for _ in 0..<repetitions {
                for pair in pairs {
                    runner.sink.take(stages(ListTransition(from: pair.old, to: pair.new)))
                }
            }
        }
        return time / Double(repetitions * pairs.count) * 1e6
    }

    /// The expected time of the peer, which grows with rows times edits, and for a shuffle with the square of the rows,
    /// from measurements on small lists.
    private func predictedPeerSeconds(_ rowCount: Int, editCount: Int) throws -> Double {
        let smallCount = 2_000
        guard editCount > 1, rowCount > smallCount else { return 0 }
        if editCount > rowCount {
            let (old, new) = try VersionPair.shuffled(rowCount: smallCount).ids
            let time = seconds { runner.sink.take(new.difference(from: old).count) }
            return time * Double(rowCount * rowCount) / Double(smallCount * smallCount)
        }
        let list = try BenchList(rowCount: smallCount)
        let (old, new) = try VersionPair(list, editCount: smallCount / 100).ids
        let time = seconds { runner.sink.take(new.difference(from: old).count) }
        return time * Double(rowCount * editCount) / Double(smallCount * smallCount / 100)
    }
}
