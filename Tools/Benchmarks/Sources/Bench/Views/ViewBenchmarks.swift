// Measures a derived view after one edit, compared with arrays: filtering, sorting or grouping all rows again, and the
// difference of the ids.
//
// Always holds: the measured time includes both the changeset of the list and that of the view. The peer gets the ids and
// checkmarks of all rows as a ready-made array. The query's functions use nothing else; decoding contents would make the
// peers slower, not the view.

import BenchSupport
import ListModel
import ProbeSupport

/// Measures views of a list.
struct ViewBenchmarks {
    let runner: Runner
    let scale: Scale

    /// Versions of a list, one edit apart, and a view that follows them.
    private final class Followed {
        let versions: [UntypedSnapshot]
        var view: DerivedView

        init(_ versions: [UntypedSnapshot], _ stages: [QueryStage]) throws {
            self.versions = versions
            view = try DerivedView(stages, of: versions[0])
        }

        /// Microseconds to follow one edit, over all versions and back.
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

    /// The kinds of views.
    private enum Kind: String, CaseIterable {
        case filter
        case sort
        case group
        case sortFirst50 = "sort-first-50"

        var stages: [QueryStage] {
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
                                group: QueryGroup(id: .integer(number), title: "group", order: .integer(number)))
                        })
                ]
            }
        }

        /// The calls of the standard library.
        var peerName: String {
            let derived =
                switch self {
                case .filter: "filter"
                case .sort: "sort"
                case .sortFirst50: "sort, prefix(50)"
                case .group: "sort by group"
                }
            return "\(derived), [Int64].difference(from:)"
        }

        /// The ids of the rows that the view shows, in order. As in the view, rows with equal keys keep the order of
        /// the list, because `sort` is stable.
        func ids(of rows: [PlainRow]) -> [Int64] {
            switch self {
            case .filter: return rows.filter { ($0.id % 2 == 0) != $0.isChecked }.map(\.id)
            case .sort, .sortFirst50:
                let sorted = rows.map(\.id).sorted { ViewBenchmarks.key($0) < ViewBenchmarks.key($1) }
                return self == .sort ? sorted : Array(sorted.prefix(50))
            case .group: return rows.map(\.id).sorted { $0 % 100 < $1 % 100 }
            }
        }
    }

    /// A row in an array of the peer.
    private struct PlainRow {
        let id: Int64
        let isChecked: Bool

        static func all(of snapshot: UntypedSnapshot) -> [PlainRow] {
            snapshot.sections[0].items.map { PlainRow(id: number($0), isChecked: $0.isChecked) }
        }
    }

    private static let sorting = Arrangement { RowPlacement(key: .integer(key(number($0)))) }

    private static func key(_ number: Int64) -> Int64 { number &* 7_919 % 100_003 }

    private static func number(_ item: UntypedRow) -> Int64 {
        if case .integer(let number) = item.id { number } else { 0 }
    }

    /// True for half of the rows; an edit may change it.
    private static func isShown(_ item: UntypedRow) -> Bool { (number(item) % 2 == 0) != item.isChecked }

    func run() throws {
        for rowCount in scale.rowCounts {
            let list = Lazy { try BenchList(rowCount: rowCount) }
            let versions = Lazy { try VersionPair.versionsOneEditApart(list.value, editCount: 10) }
            for kind in Kind.allCases {
                let followed = Lazy { try Followed(versions.value, kind.stages) }
                let name = "view/\(kind.rawValue)/1-edit/\(NumberText.count(rowCount))"
                try measure(name, followed, rowCount) { difference(kind, try versions.value) }
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

    /// Derives the ids of a version with the standard library, and compares them with those before.
    private func difference(_ kind: Kind, _ versions: [UntypedSnapshot]) -> Runner.Peer {
        let old = kind.ids(of: PlainRow.all(of: versions[0]))
        let rows = PlainRow.all(of: versions[1])
        return Runner.Peer(name: kind.peerName, ratioKind: .speedUp) {
            seconds { runner.sink.take(kind.ids(of: rows).difference(from: old).count) } * 1e6
        }
    }

    /// Measures milliseconds for another predicate.
    private func measureReplacing(_ versions: Lazy<[UntypedSnapshot]>, _ rowCount: Int) throws {
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

    /// Measures the bytes of a view for each row of the list, half of which it shows.
    private func measureMemory(_ versions: Lazy<[UntypedSnapshot]>, _ rowCount: Int) throws {
        for kind in [Kind.filter, .sort] {
            try runner.measure("view/memory/\(kind.rawValue)/\(NumberText.count(rowCount))", unit: "bytes/row") {
                let source = try versions.value[0]
                let before = ProcessMemory.afterTrimming()
                let view = try DerivedView(kind.stages, of: source)
                let after = ProcessMemory.afterTrimming()
                guard let before, let after else { throw WrongResult(what: "no /proc/self/status") }
                runner.sink.take(view.snapshot.itemCount)
                // A small view may fit into memory that was freed before.
                return Double(max(0, after.privateBytes - before.privateBytes)) / Double(rowCount)
            }
        }
    }
}
