// What a derived view costs after one edit, beside deriving the rows anew and finding out what changed.
//
// Always holds: the view finds out itself what changed in the list and says what changed in the view; both are on the
// clock. The functions look at ids and checkmarks only: decoding contents would make the peers slower, not the view.

import BenchSupport
import ListModel
import ProbeSupport

/// Measures views of a list.
struct ViewBenchmarks {
    let runner: Runner
    let scale: Scale

    /// Versions of a list, each one edit from the next, and a view that follows them.
    private final class Followed {
        let versions: [Snapshot]
        var view: DerivedView

        init(_ versions: [Snapshot], _ stages: [ViewStage]) throws {
            self.versions = versions
            view = try DerivedView(stages, of: versions[0])
        }

        /// Microseconds to follow one edit, on the way through all versions and back.
        func sample(_ runner: Runner) throws -> Double {
            let rounds = 20
            let way = versions.dropFirst() + versions.dropLast().reversed()
            let time = try seconds {
                for _ in 0..<rounds {
                    for version in way {
                        let changes = try view.advance(to: version).changeset
                        runner.sink.take(changes.items.inserted.count &+ changes.items.moved.count)
                    }
                }
            }
            return time / Double(rounds * way.count) * 1e6
        }
    }

    /// What a view does.
    private enum Kind: String, CaseIterable {
        case filter
        case sort
        case group
        case sortFirst50 = "sort-first-50"

        var stages: [ViewStage] {
            switch self {
            case .filter: [.arrange(Arrangement { ViewBenchmarks.isShown($0) ? RowPlacement() : nil })]
            case .sort: [.arrange(ViewBenchmarks.sorting)]
            case .sortFirst50: [.arrange(ViewBenchmarks.sorting), .first(50)]
            case .group:
                [
                    .arrange(
                        Arrangement(sections: .groups) { item in
                            let number = ViewBenchmarks.number(item) % 100
                            return RowPlacement(
                                group: ViewGroup(id: .integer(number), title: "group", order: .integer(number)))
                        })
                ]
            }
        }
    }

    private static let sorting = Arrangement { RowPlacement(key: .integer(number($0) &* 7_919 % 100_003)) }

    private static func number(_ item: ListItem) -> Int64 {
        if case .integer(let number) = item.id { number } else { 0 }
    }

    /// Half of the rows, which an edit may change.
    private static func isShown(_ item: ListItem) -> Bool { (number(item) % 2 == 0) != item.isChecked }

    func run() throws {
        for rowCount in scale.rowCounts {
            let list = Lazy { try BenchList(rowCount: rowCount) }
            let versions = Lazy { try VersionPair.versionsOneEditApart(list.value, editCount: 10) }
            for kind in Kind.allCases {
                let followed = Lazy { try Followed(versions.value, kind.stages) }
                let name = "view/\(kind.rawValue)/1-edit/\(NumberText.count(rowCount))"
                try measure("\(name)/vs-anew", followed, rowCount) { try anew(kind, versions.value) }
                guard kind == .filter else { continue }
                try measure("\(name)/vs-difference", followed, rowCount) { difference(try versions.value) }
            }
            try measureReplacing(versions, rowCount)
            try measureMemory(versions, rowCount)
        }
    }

    private func measure(
        _ name: String, _ followed: Lazy<Followed>, _ rowCount: Int, _ peer: @escaping () throws -> Runner.Peer
    ) throws {
        guard runner.wants(name) else { return }
        let target = rowCount == 100_000 ? Target.ratio(atLeast: 100) : nil
        try runner.measure(name, unit: "µs", target: target, peer: try peer()) { try followed.value.sample(runner) }
    }

    /// Deriving the rows of a version anew, and comparing them with those before.
    private func anew(_ kind: Kind, _ versions: [Snapshot]) throws -> Runner.Peer {
        let old = try DerivedView(kind.stages, of: versions[0]).snapshot
        return Runner.Peer(name: "a new view, Changeset", ratioKind: .speedUp) {
            try seconds {
                let new = try DerivedView(kind.stages, of: versions[1]).snapshot
                runner.sink.take(Changeset(from: old, to: new).items.inserted.count)
            } * 1e6
        }
    }

    /// Filtering a version anew, and comparing the ids with those before, as somebody does who has only arrays.
    private func difference(_ versions: [Snapshot]) -> Runner.Peer {
        let filtered = { (snapshot: Snapshot) in
            snapshot.sections[0].items.filter(ViewBenchmarks.isShown).map(ViewBenchmarks.number)
        }
        let old = filtered(versions[0])
        return Runner.Peer(name: "filter, [Int64].difference(from:)", ratioKind: .speedUp) {
            seconds { runner.sink.take(filtered(versions[1]).difference(from: old).count) } * 1e6
        }
    }

    /// Milliseconds for another predicate.
    private func measureReplacing(_ versions: Lazy<[Snapshot]>, _ rowCount: Int) throws {
        let everything = Arrangement { _ in RowPlacement() }
        let changes: [(name: String, from: Arrangement, to: Arrangement)] = [
            ("half-differs", everything, Arrangement { ViewBenchmarks.isShown($0) ? RowPlacement() : nil }),
            (
                "thousandth-differs", everything,
                Arrangement { ViewBenchmarks.number($0) % 1_000 == 0 ? nil : RowPlacement() }
            ),
        ]
        for change in changes {
            let view = Lazy { try DerivedView([.arrange(change.from)], of: versions.value[0]) }
            try runner.measure("view/predicate/\(change.name)/\(NumberText.count(rowCount))", unit: "ms") {
                var copy = try view.value
                return try seconds {
                    let changes = try copy.replaceStage(at: 0, with: .arrange(change.to)).changeset
                    runner.sink.take(changes.items.deleted.count)
                } * 1e3
            }
        }
    }

    /// Bytes that a view takes for each row of the list, half of which it shows.
    private func measureMemory(_ versions: Lazy<[Snapshot]>, _ rowCount: Int) throws {
        for kind in [Kind.filter, .sort] {
            try runner.measure("view/memory/\(kind.rawValue)/\(NumberText.count(rowCount))", unit: "bytes/row") {
                let source = try versions.value[0]
                let before = ProcessMemory.afterTrimming()
                let view = try DerivedView(kind.stages, of: source)
                let after = ProcessMemory.afterTrimming()
                guard let before, let after else { throw WrongResult(what: "no /proc/self/status") }
                runner.sink.take(view.snapshot.itemCount)
                // A small view fits into what was freed before.
                return Double(max(0, after.privateBytes - before.privateBytes)) / Double(rowCount)
            }
        }
    }
}
