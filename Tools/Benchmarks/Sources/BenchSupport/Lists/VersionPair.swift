// Two versions of a list, for measurements of comparisons.
//
// Always holds: after a pair is made, the list has its old rows again; the snapshots do not change.

import ListModel
import TestSupport

/// Two versions of a list.
public struct VersionPair: Sendable {
    public let old: UntypedSnapshot
    public let new: UntypedSnapshot

    private init(old: UntypedSnapshot, new: UntypedSnapshot) {
        self.old = old
        self.new = new
    }

    /// Two versions that are this many mixed edits apart, made as one commit.
    public init(_ list: BenchList, editCount: Int) throws {
        let edits = list.planner.mixedEdits(editCount)
        self = try list.restoring {
            let old = list.snapshot()
            try list.commit(edits)
            return VersionPair(old: old, new: list.snapshot())
        }
    }

    /// Versions that are one edit apart: three insertions, deletions and moves each, which a difference of ids detects.
    public static func oneEditApart(_ list: BenchList) throws -> [VersionPair] {
        let edits = list.planner.mixedEdits(9, [.insert, .delete, .move])
        return try list.restoring {
            try edits.map { edit in
                let old = list.snapshot()
                try list.commit([edit])
                return VersionPair(old: old, new: list.snapshot())
            }
        }
    }

    /// A list of one section, and the same rows in a random order: a reload.
    public static func shuffled(rowCount: Int) throws -> VersionPair {
        var generator = SeededGenerator(seed: UInt64(rowCount))
        var rows = (0..<rowCount).map { NewRow(id: .integer(Int64($0)), content: [1]) }
        let log = MemoryLog()
        var editor = UntypedEditor(ListState(), source: log)
        let draft = CommitDraft(name: "Fill", time: Timestamp(microseconds: 0))
        try editor.begin(draft)
        try editor.insertSection(NewSection(id: 0, title: "All", items: rows))
        if let commit = try editor.finish() { log.append(commit) }
        let old = editor.snapshot()
        rows.shuffle(using: &generator)
        try editor.begin(draft)
        try editor.reload([NewSection(id: 0, title: "All", items: rows)])
        if let commit = try editor.finish() { log.append(commit) }
        return VersionPair(old: old, new: editor.snapshot())
    }

    /// Versions each of which is one edit from the one before, of all kinds in turn.
    public static func versionsOneEditApart(_ list: BenchList, editCount: Int) throws -> [UntypedSnapshot] {
        let edits = list.planner.mixedEdits(editCount)
        return try list.restoring {
            var result = [list.snapshot()]
            for edit in edits {
                try list.commit([edit])
                result.append(list.snapshot())
            }
            return result
        }
    }

    /// The ids of both versions, as plain arrays.
    public var ids: (old: [Int64], new: [Int64]) { (VersionPair.ids(old), VersionPair.ids(new)) }

    /// The seconds that a changeset takes, on average.
    public static func changesetSeconds(_ pairs: [VersionPair], repetitions: Int, _ sink: Sink) -> Double {
        let time = seconds {
            for _ in 0..<repetitions {
                for pair in pairs {
                    let changes = Changeset(from: pair.old, to: pair.new)
                    sink.take(changes.items.inserted.count &+ changes.items.moved.count)
                }
            }
        }
        return time / Double(repetitions * pairs.count)
    }

    /// The seconds that the standard library takes to compare the same ids, on average. As for the changeset, they are
    /// compared once before the clock starts, and often enough to exceed the resolution of the clock.
    ///
    /// - Parameter count: computes a number from the difference, so that the compiler cannot leave it out.
    public static func differenceSeconds(
        _ arrays: [(old: [Int64], new: [Int64])], _ sink: Sink,
        count: (CollectionDifference<Int64>) -> Int = { $0.count }
    ) -> Double {
        func once() -> Double {
            seconds { for (old, new) in arrays { sink.take(count(new.difference(from: old))) } }
        }
        var total = 0.0
        var repetitions = 0
        _ = once()
        repeat {
            total += once()
            repetitions += 1
        } while total < 0.02
        return total / Double(repetitions * arrays.count)
    }

    private static func ids(_ snapshot: UntypedSnapshot) -> [Int64] {
        snapshot.sections.flatMap { section in
            section.items.map { item in
                guard case .integer(let id) = item.id else { return -1 }
                return id
            }
        }
    }
}
