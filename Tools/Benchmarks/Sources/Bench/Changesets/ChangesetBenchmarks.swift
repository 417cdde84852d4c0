// Measures a changeset after one edit and after many, compared with the standard library's difference of two arrays of
// ids.
//
// Always holds: the peer gets its arrays ready-made and compares ids only; the library also finds updated rows.

import BenchSupport
import ListModel

/// Measures the changeset of two versions of a list.
struct ChangesetBenchmarks {
    let runner: Runner
    let scale: Scale

    /// The calls of the standard library.
    private enum PeerKind: String, CaseIterable {
        case plain = "difference"
        case moves = "inferring-moves"

        var name: String {
            switch self {
            case .plain: "[Int64].difference(from:)"
            case .moves: "[Int64].difference(from:).inferringMoves()"
            }
        }
    }

    func run() throws {
        for rowCount in scale.rowCounts {
            let list = Lazy { try BenchList(rowCount: rowCount) }
            // Only kinds of edits that the peer detects; three of each.
            let single = Lazy { try VersionPair.oneEditApart(list.value) }
            try measure("changeset/1-edit/\(NumberText.count(rowCount))", single, rowCount, editCount: 1)
            let editCount = rowCount / 100
            let many = Lazy { try [VersionPair(list.value, editCount: editCount)] }
            try measure("changeset/1-percent/\(NumberText.count(rowCount))", many, rowCount, editCount: editCount)
        }
    }

    private func measure(_ name: String, _ pairs: Lazy<[VersionPair]>, _ rowCount: Int, editCount: Int) throws {
        let isTarget = editCount == 1 && Scale.isTargetSize(rowCount)
        for kind in PeerKind.allCases {
            let name = "\(name)/vs-\(kind.rawValue)"
            guard runner.wants(name) else { continue }
            let prediction = try predictedPeerSeconds(rowCount, editCount: editCount)
            let isSkipped = prediction > scale.longestPeerSample
            let peer = isSkipped ? nil : makePeer(kind, try pairs.value)
            try runner.measure(
                name, unit: "µs", target: isTarget ? .ratio(atLeast: 1_000) : nil, peer: peer,
                note: { isSkipped ? "\(kind.name) left out: about \(NumberText.text(prediction)) s" : nil }
            ) { try sample(pairs.value) }
        }
    }

    /// Microseconds per changeset.
    private func sample(_ pairs: [VersionPair]) throws -> Double {
        // One edit takes microseconds, so it is repeated to exceed the resolution of the clock.
        let repetitions = pairs.count > 1 ? 200 : 1
        return VersionPair.changesetSeconds(pairs, repetitions: repetitions, runner.sink) * 1e6
    }

    private func makePeer(_ kind: PeerKind, _ pairs: [VersionPair]) -> Runner.Peer {
        let arrays = pairs.prefix(3).map(\.ids)
        return Runner.Peer(name: kind.name, ratioKind: .speedUp) {
            VersionPair.differenceSeconds(arrays, runner.sink) {
                kind == .plain ? $0.count : $0.inferringMoves().count
            } * 1e6
        }
    }

    /// The expected time of the peer, which grows with rows times edits, from measurements on small lists.
    private func predictedPeerSeconds(_ rowCount: Int, editCount: Int) throws -> Double {
        let smallCount = 10_000
        guard editCount > 1, rowCount > smallCount else { return 0 }
        let list = try BenchList(rowCount: smallCount)
        let (old, new) = try VersionPair(list, editCount: smallCount / 100).ids
        let time = seconds { runner.sink.take(new.difference(from: old).count) }
        return time * Double(rowCount * editCount) / Double(smallCount * smallCount / 100)
    }
}
