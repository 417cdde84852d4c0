// Compares the whole model with the reference, over seeded random edits: rows, lookups by id, hashes, changesets, undo,
// replay.

import ListModel
import TestSupport
import Testing

@Suite("Random edits, compared with the reference")
struct RandomEditTests {
    /// Narrow nodes, so that a few rows make a deep tree.
    static let narrow = TreeLimits(leafCapacity: 4, innerCapacity: 4)

    /// Seeds that together make more than 100,000 edits in a normal run.
    static let seeds: [UInt64] = (1...(24 * UInt64(Soak.factor))).map { $0 }

    @Test("Every edit has the result of the reference, or throws the same error", arguments: seeds)
    func everyEdit(seed: UInt64) throws {
        var list = MemoryList(limits: seed % 3 == 0 ? TreeLimits() : Self.narrow)
        var edits = RandomEdits(seed: seed, targetCount: seed % 7 == 0 ? 400 : 60)
        var reference = ReferenceList()
        var before = list.snapshot()
        for step in 0..<5_000 {
            let operation = edits.next(reference)
            var expected = reference
            var expectedError: ListError?
            do { try expected.apply(operation) } catch let error as ListError { expectedError = error }
            var foundError: ListError?
            do { try list.commit { try $0.apply(operation) } } catch let error as ListError { foundError = error }
            try #require(
                foundError?.code == expectedError?.code, "seed \(seed), step \(step): \(operation)")
            let after = list.snapshot()
            try check(
                (before, reference), (after, foundError == nil ? expected : reference), list.log,
                "seed \(seed), step \(step): \(operation)")
            if foundError == nil { reference = expected }
            if step % 100 == 0 { try list.editor.checkInvariants() }
            before = after
        }
        try list.editor.checkInvariants()
    }

    /// Checks that the rows are those of the reference, and that the changeset leads to them.
    ///
    /// - Parameter comment: is only made if the check fails, because describing an operation takes longer than most checks.
    private func check(
        _ old: (list: UntypedSnapshot, reference: ReferenceList),
        _ new: (list: UntypedSnapshot, reference: ReferenceList),
        _ log: MemoryLog, _ comment: @autoclosure () -> Comment
    ) throws {
        try #require(try ReferenceList(new.list, log) == new.reference, comment())
        let changes = Changeset(from: old.list, to: new.list)
        try #require(changes.applied(to: old.reference, giving: new.reference) == new.reference, comment())
        let isSame = old.reference == new.reference
        try #require(changes.isEmpty == isSame, comment())
        try #require((old.list.stateHash == new.list.stateHash) == isSame, comment())
    }

    @Test(
        "Undo and redo restore every version, and a replay gives the same hashes",
        arguments: 1...8 as ClosedRange<UInt64>)
    func undoAndReplay(seed: UInt64) throws {
        var list = MemoryList(limits: Self.narrow)
        var edits = RandomEdits(seed: seed)
        var stack = [try list.contents()]
        var position = 0
        for _ in 0..<1_500 {
            switch Int.random(in: 0..<10, using: &edits.generator) {
            case 0...1 where position > 0:
                try list.undo()
                position -= 1
            case 2 where position < stack.count - 1:
                try list.redo()
                position += 1
            default:
                var next = stack[position]
                let operation = edits.next(next)
                guard (try? next.apply(operation)) != nil else { continue }
                let commit = try list.commit { try $0.apply(operation) }
                guard commit != nil else { continue }
                stack.removeSubrange((position + 1)...)
                stack.append(next)
                position += 1
            }
            try #require(try list.contents() == stack[position], "seed \(seed), version \(list.log.head)")
            #expect(list.editor.state.history.undoCount == position)
            #expect(list.editor.state.history.redoCount == stack.count - 1 - position)
        }
        // Hashes that are updated with each edit equal those that are computed at the end.
        for check in [ReplayCheck.everyHash, .records] {
            var state = ListState(limits: list.editor.state.pool.limits)
            var checksum: UInt64 = 0
            for version in 1...list.log.head.rawValue {
                checksum = try list.log.withRecord(of: Version(version)) {
                    try state.replay($0, previousChecksum: checksum, check: check)
                }
                if version % 100 == 0 { try state.checkInvariants() }
            }
            #expect(state.stateHash() == list.snapshot().stateHash, "seed \(seed), \(check)")
            #expect(state.history == list.editor.state.history)
            try state.checkInvariants()
        }
    }

    @Test("Changesets between any two versions lead from one to the other", arguments: 1...6 as ClosedRange<UInt64>)
    func distantVersions(seed: UInt64) throws {
        var list = MemoryList(limits: seed % 2 == 0 ? TreeLimits() : Self.narrow)
        var edits = RandomEdits(seed: seed, targetCount: 150)
        var reference = ReferenceList()
        var kept: [(snapshot: UntypedSnapshot, rows: ReferenceList)] = []
        for _ in 0..<1_200 {
            let operation = edits.next(reference)
            guard (try? reference.apply(operation)) != nil else { continue }
            try list.commit { try $0.apply(operation) }
            if edits.generator.oneIn(20) { kept.append((list.snapshot(), reference)) }
        }
        for _ in 0..<400 {
            let from = kept.randomElement(using: &edits.generator)!
            let to = kept.randomElement(using: &edits.generator)!
            let changes = Changeset(from: from.snapshot, to: to.snapshot)
            try #require(
                changes.applied(to: from.rows, giving: to.rows) == to.rows,
                "seed \(seed), versions \(from.snapshot.version) and \(to.snapshot.version)")
        }
        for (snapshot, rows) in kept { #expect(try ReferenceList(snapshot, list.log) == rows) }
    }
}
