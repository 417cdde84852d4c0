// Decides which batches a list view rejects, in the order of its checks: deletions, insertions, moves, counts.
//
// If Apple's behaviour could not be confirmed, the stricter interpretation holds.

import ListModel

/// The rules for one batch of a view that shows sections of these sizes before and after it.
struct TableRules {
    let batch: TableBatch
    let before: [Int]
    let after: [Int]

    /// Thrown for the first rule that is broken.
    struct Rejection: Error {
        var message: String
    }

    init(_ batch: TableBatch, before: [Int], after: [Int]) {
        self.batch = batch
        self.before = before
        self.after = after
    }

    var verdict: TableVerdict {
        do throws(Rejection) {
            try checkReconfigures()
            try checkDeletes()
            try checkInserts()
            try checkMoves()
            try checkCounts()
        } catch { return .rejected(error.message) }
        return hazard.map { .hazard($0) } ?? .accepted
    }

    private func reject(_ holds: Bool, _ message: @autoclosure () -> String) throws(Rejection) {
        if holds { throw Rejection(message: message()) }
    }

    private func firstTwice<Position: Hashable>(_ positions: [Position]) -> Position? {
        if positions.count < 2 { return nil }
        var seen = Set<Position>()
        return positions.first { !seen.insert($0).inserted }
    }

    // MARK: Content

    private func checkReconfigures() throws(Rejection) {
        let (sections, items) = (batch.sections, batch.items)
        if sections.reconfigures.isEmpty && items.reconfigures.isEmpty { return }
        try reject(
            sections.hasStructure || items.hasStructure,
            "attempt to reconfigure rows in the batch that changes where they are")
        for index in sections.reconfigures {
            try reject(!before.indices.contains(index), "attempt to reconfigure the header of section \(index)")
        }
        for path in items.reconfigures {
            try reject(
                !before.indices.contains(path.section) || !(0..<before[path.section]).contains(path.item),
                "attempt to reconfigure row \(path) that does not exist")
        }
        if let path = firstTwice(items.reconfigures) { try reject(true, "attempt to reconfigure row \(path) twice") }
        if let index = firstTwice(sections.reconfigures) {
            try reject(true, "attempt to reconfigure the header of section \(index) twice")
        }
    }

    // MARK: Deletions

    private func checkDeletes() throws(Rejection) {
        let (sections, items) = (batch.sections, batch.items)
        if !sections.reloads.isEmpty, let index = Set(sections.deletes).intersection(sections.reloads).min() {
            try reject(true, "attempt to delete and reload the same section \(index)")
        }
        if !items.reloads.isEmpty, let path = Set(items.deletes).intersection(items.reloads).min() {
            try reject(true, "attempt to delete and reload the same index path \(path)")
        }
        if let index = firstTwice(sections.reloads) { try reject(true, "attempt to reload section \(index) twice") }
        if let path = firstTwice(items.reloads) { try reject(true, "attempt to reload row \(path) twice") }
        for index in sections.allDeletes {
            try reject(
                !before.indices.contains(index),
                "attempt to delete section \(index), but there are only \(before.count) sections before the update")
        }
        let goneSections = Set(sections.allDeletes)
        for path in items.allDeletes {
            let count = before.indices.contains(path.section) ? before[path.section] : 0
            try reject(
                !(0..<count).contains(path.item),
                "attempt to delete item \(path.item) from section \(path.section) which only contains \(count) items "
                    + "before the update")
        }
        for path in items.reloads {
            try reject(
                goneSections.contains(path.section),
                "attempt to reload row \(path) of a section that is deleted or reloaded")
        }
    }

    // MARK: Insertions

    private func checkInserts() throws(Rejection) {
        let (sections, items) = (batch.sections, batch.items)
        for index in sections.allInserts {
            try reject(
                !after.indices.contains(index),
                "attempt to insert section \(index), but there are only \(after.count) sections after the update")
        }
        for path in items.allInserts {
            let count = after.indices.contains(path.section) ? after[path.section] : 0
            try reject(
                !(0..<count).contains(path.item),
                "attempt to insert row \(path.item) into section \(path.section), but there are only \(count) rows in "
                    + "section \(path.section) after the update")
        }
        if let index = firstTwice(sections.allInserts) { try reject(true, "attempt to insert section \(index) twice") }
        if let path = firstTwice(items.allInserts) { try reject(true, "attempt to insert row \(path) twice") }
    }

    // MARK: Moves

    private func checkMoves() throws(Rejection) {
        let (sections, items) = (batch.sections, batch.items)
        try checkMoves(
            sections, "section", { before.indices.contains($0) }, { after.indices.contains($0) })
        try checkMoves(
            items, "index path",
            { before.indices.contains($0.section) && (0..<before[$0.section]).contains($0.item) },
            { after.indices.contains($0.section) && (0..<after[$0.section]).contains($0.item) })
        let goneSections = Set(sections.allDeletes)
        let newSections = Set(sections.allInserts)
        for move in items.moves {
            try reject(
                goneSections.contains(move.from.section),
                "cannot move an item from a deleted section: \(move.from) to \(move.to)")
            try reject(
                newSections.contains(move.to.section),
                "cannot move a row into a newly inserted section: \(move.from) to \(move.to)")
        }
    }

    private func checkMoves<Position>(
        _ calls: TableBatch.Calls<Position>, _ name: String, _ isBefore: (Position) -> Bool,
        _ isAfter: (Position) -> Bool
    ) throws(Rejection) {
        if calls.moves.isEmpty { return }
        let deletes = Set(calls.allDeletes)
        let inserts = Set(calls.allInserts)
        var targets: [Position: Position] = [:]
        var sources: [Position: Position] = [:]
        for move in calls.moves {
            let (from, to) = (move.from, move.to)
            try reject(!isBefore(from), "attempt to move \(name) \(from) that does not exist")
            try reject(!isAfter(to), "attempt to move \(name) \(from) to \(to) that does not exist")
            try reject(deletes.contains(from), "attempt to perform a delete and a move from the same \(name) \(from)")
            try reject(inserts.contains(to), "attempt to perform an insert and a move to the same \(name) \(to)")
            if let other = targets.updateValue(to, forKey: from) {
                try reject(true, "attempt to move \(name) \(from) to both \(other) and \(to)")
            }
            if let other = sources.updateValue(from, forKey: to) {
                try reject(true, "attempt to move both \(other) and \(from) to \(name) \(to)")
            }
            try reject(from == to, "attempt to move \(name) \(from) to itself")
        }
    }

    // MARK: Counts

    private func checkCounts() throws(Rejection) {
        let (sections, items) = (batch.sections, batch.items)
        let deleted = Set(sections.allDeletes)
        let inserted = Set(sections.allInserts)
        try reject(
            after.count != before.count + inserted.count - deleted.count,
            "invalid update: invalid number of sections: \(after.count) after the update, \(before.count) before it, plus "
                + "\(inserted.count) inserted, minus \(deleted.count) deleted")
        var incoming = [Int](repeating: 0, count: after.count)
        var outgoing = [Int](repeating: 0, count: before.count)
        for path in Set(items.allInserts) { incoming[path.section] += 1 }
        for path in Set(items.allDeletes) { outgoing[path.section] += 1 }
        for move in items.moves {
            outgoing[move.from.section] += 1
            incoming[move.to.section] += 1
        }
        for (old, new) in keptSections(batch.sections, before.count, after.count) {
            try reject(
                after[new] != before[old] + incoming[new] - outgoing[old],
                "invalid update: invalid number of rows in section \(new): \(after[new]) after the update, \(before[old]) "
                    + "before it, plus \(incoming[new]) inserted or moved in, minus \(outgoing[old]) deleted or moved out"
            )
        }
    }
}

/// The sections that exist before and after the batch, as a view computes them: moved ones at their targets, the others
/// in order.
func keptSections(_ sections: TableBatch.Calls<Int>, _ oldCount: Int, _ newCount: Int) -> [(old: Int, new: Int)] {
    if !sections.hasStructure { return (0..<min(oldCount, newCount)).map { (old: $0, new: $0) } }
    let gone = Set(sections.allDeletes + sections.moves.map(\.from))
    let come = Set(sections.allInserts + sections.moves.map(\.to))
    let staying = zip((0..<oldCount).filter { !gone.contains($0) }, (0..<newCount).filter { !come.contains($0) })
    return (staying.map { (old: $0, new: $1) } + sections.moves.map { (old: $0.from, new: $0.to) })
        .sorted { $0.new < $1.new }
}
