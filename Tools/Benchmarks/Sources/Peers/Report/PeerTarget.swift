// The targets, as ratios of the library to its peers.
//
// Always holds: every target is listed, whether it is met, missed or was not measured.

import BenchSupport

/// A target.
struct PeerTarget {
    let name: String
    let target: Target
    /// The ratio, if both sides of it were measured.
    let ratio: Double?

    /// All of them.
    static func all(_ results: Results, _ scale: PeerScale) -> [PeerTarget] {
        let rows = scale.targetRowCount
        let largest = scale.isQuick ? rows : 1_000_000
        let keys = scale.keyCount
        /// Ours divided by the peer's.
        func cost(
            _ workload: Workload, _ quantity: Quantity, _ size: Int, of peer: Contender, for us: Contender = .listory
        ) -> Double? {
            results.ratio(workload, us, to: peer, size, quantity)
        }
        /// The peer's divided by ours.
        func speedUp(_ workload: Workload, _ quantity: Quantity, _ size: Int, over peer: Contender) -> Double? {
            results.ratio(workload, peer, to: .listory, size, quantity)
        }
        let size = NumberText.count(rows)
        return [
            PeerTarget(
                name: "a move in \(size) rows, times as fast as a fractional position in SQLite, with its undo log",
                target: .ratio(atLeast: 1), ratio: speedUp(.rows, .move, rows, over: .sqliteFractional)),
            PeerTarget(
                name:
                    "the recording, applied and durable, in the time of Loro's List from Python, each in one commit",
                target: .ratio(atMost: 0.5), ratio: cost(.trace, .net, keys, of: .loroList, for: .listoryAtOnce)),
            PeerTarget(
                name: "the recording with a commit a key, in the time of Loro's List with one commit, from Python",
                target: .ratio(atMost: 0.5), ratio: cost(.trace, .net, keys, of: .loroList)),
            PeerTarget(
                name: "an undo after it, logged, in the time of pycrdt's in memory, from Python",
                target: .ratio(atMost: 1), ratio: cost(.undo, .undo, keys, of: .pycrdtArray)),
            PeerTarget(
                name: "checkout of the middle of it, times as fast as Loro's MovableList, from Python",
                target: .ratio(atLeast: 10), ratio: speedUp(.trace, .checkout, keys, over: .loroMovableList)),
            PeerTarget(
                name:
                    "changeset from the middle to the end, times as fast as Loro's MovableList, from Python",
                target: .ratio(atLeast: 10), ratio: speedUp(.trace, .difference, keys, over: .loroMovableList)),
            PeerTarget(
                name: "changeset of one edit in \(NumberText.count(largest)) rows, times as fast as difference(from:)",
                target: .ratio(atLeast: 1_000), ratio: speedUp(.oneEdit, .seconds, largest, over: .difference)),
        ]
    }

    /// The targets as a table.
    ///
    /// - Parameter isJudged: whether the sizes are those of the targets.
    static func lines(_ targets: [PeerTarget], isJudged: Bool) -> [String] {
        var table = MarkdownTable(["target", "wanted", "measured", ""])
        for target in targets {
            let limit = (target.target.isUpperLimit ? "≤ " : "≥ ") + NumberText.text(target.target.limit) + " ×"
            let verdict = target.ratio.map { ratio in
                isJudged ? (target.target.isMet(by: ratio) ? "met" : "**missed**") : "too small to tell"
            }
            table.add([
                target.name, limit, target.ratio.map { NumberText.text($0) + " ×" } ?? "–", verdict ?? "not measured",
            ])
        }
        return table.lines
    }
}
