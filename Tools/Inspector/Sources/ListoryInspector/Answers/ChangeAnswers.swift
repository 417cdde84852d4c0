// What changed between two versions: as a changeset, as a table view would play it, row by row.
//
// Always holds: the second version may be the older one; rows that cannot be read may count as changed.

import ListModel
import Listory
import ListoryTestSupport
import ToolSupport

extension InspectedStore {
    /// Of more changes only the number is told, because no page can play them.
    private static let changeCount = 2_000

    /// In a list of more rows, a view only judges the operations: to compare the rows that it shows then, all would be read.
    private static let comparedCount = 50_000

    private func ends(_ query: Query) throws -> (UntypedSnapshot, UntypedSnapshot) {
        (try snapshot(query.requiredVersion("from")), try snapshot(query.requiredVersion("to")))
    }

    /// Calls `body`, which shows rows of both snapshots.
    private func showing<Result>(
        _ old: UntypedSnapshot, _ new: UntypedSnapshot, _ body: () throws -> Result
    ) throws -> Result {
        try old.showing { try new.showing(body) }
    }

    /// `/api/changes`.
    func changes(_ query: Query, _ writer: inout JSONWriter) throws {
        let (old, new) = try ends(query)
        let changeset = try showing(old, new) { Changeset(from: old, to: new) }
        writer.writeEnds(old, new)
        writer.member("count", changeset.count)
        writer.key("changeset")
        if changeset.count <= Self.changeCount { writer.write(changeset) } else { writer.writeNull() }
    }

    /// `/api/batches`.
    func batches(_ query: Query, _ writer: inout JSONWriter) throws {
        let (old, new) = try ends(query)
        try showing(old, new) { try writeBatches(old, new, &writer) }
    }

    private func writeBatches(_ old: UntypedSnapshot, _ new: UntypedSnapshot, _ writer: inout JSONWriter) throws {
        writer.writeEnds(old, new)
        let transition = ListTransition(from: old, to: new)
        guard transition.changeset.count <= Self.changeCount else {
            writer.member("accepted", false)
            writer.member("verdict", "more than \(Self.changeCount) changes: a view would reload")
            writer.key("batches")
            return writer.writeNull()
        }
        let batches = transition.batches()
        let (verdicts, isEndRight, remark) = try verdicts(on: batches, old, new)
        let verdict = verdicts.first { !$0.isAccepted } ?? (isEndRight ? .accepted : .wrongRows("at the end"))
        writer.writeVerdict(verdict, remark)
        writer.key("batches")
        writer.array { writer in
            for (batch, verdict) in zip(batches, verdicts) {
                writer.object { writer in
                    writer.member("reload", batch.isReload)
                    writer.member("rows", batch.snapshot.itemCount)
                    writer.writeVerdict(verdict)
                    writer.key("operations")
                    writer.write(.array(batch.operations.map { .string($0.description) }))
                }
            }
        }
    }

    /// The verdicts of a strict view on batches, whether it shows the right rows at the end, and why it did not compare them, if so.
    private func verdicts(
        on batches: [UpdateBatch], _ old: UntypedSnapshot, _ new: UntypedSnapshot
    ) throws -> (each: [TableVerdict], isEndRight: Bool, remark: String) {
        var reason = "they are so many"
        if max(old.itemCount, new.itemCount) <= Self.comparedCount {
            let compared = try sound {
                try old.reading {
                    try new.reading {
                        var table = TableSimulator(showing: old)
                        return (batches.map { table.play($0) }, table.shows(new))
                    }
                }
            }
            if let (verdicts, isEndRight) = compared.value { return (verdicts, isEndRight, "") }
            reason = "some cannot be read"
        }
        var before = old.sections.map(\.items.count)
        let verdicts = batches.map { batch in
            let after = batch.snapshot.sections.map(\.items.count)
            defer { before = after }
            return TableSimulator.verdict(of: batch.operations, before: before, after: after)
        }
        return (verdicts, true, "; its rows were not compared, because \(reason)")
    }

    /// `/api/diff`.
    func diff(_ query: Query, _ writer: inout JSONWriter) throws {
        let (old, new) = try ends(query)
        let skip = try query.number("skip", 0...Int.max, default: 0)
        let limit = try query.number("limit", 1...500, default: 100)
        try showing(old, new) {
            let changes = ChangedPlaces(Changeset(from: old, to: new))
            writer.writeEnds(old, new)
            writer.member("count", changes.all.count)
            writer.key("changes")
            try writer.array { writer in
                for change in changes.all.dropFirst(skip).prefix(limit) {
                    try writer.object { try write(change, old, new, &$0) }
                }
            }
        }
    }

    private func write(
        _ change: ChangedPlaces.Change, _ old: UntypedSnapshot, _ new: UntypedSnapshot, _ writer: inout JSONWriter
    ) throws {
        writer.member("kind", change.kind)
        switch change.subject {
        case .section(let from, let to):
            for (name, index, snapshot) in [("old", from, old), ("new", to, new)] {
                guard let index else { continue }
                writer.key(name)
                writer.object { writer in
                    writer.member("section", index)
                    writer.writeMembers(of: snapshot.sections[index])
                }
            }
        case .row(let from, let to):
            for (name, path, snapshot) in [("old", from, old), ("new", to, new)] {
                guard let path, let row = snapshot.item(at: path) else { continue }
                writer.key(name)
                try writer.object { writer in
                    writer.key("at")
                    writer.write(path)
                    try writer.writeMembers(of: row, source)
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func writeEnds(_ old: UntypedSnapshot, _ new: UntypedSnapshot) {
        member("from", old.version.rawValue)
        member("to", new.version.rawValue)
    }

    fileprivate mutating func writeVerdict(_ verdict: TableVerdict, _ remark: String = "") {
        member("accepted", verdict.isAccepted)
        member("verdict", verdict.description + remark)
    }
}
