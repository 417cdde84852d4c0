// Compares the whole history with its model, over seeded random commits: undo, redo, go, branches, groups, typing.

@testable import ListModel
import TestSupport
import Testing

@Suite("The history, compared with a model of the whole tree")
struct HistoryModelTests {
    static let seeds: [UInt64] = (1...20).map { $0 }
    /// 100,000 commits in all in a soak.
    static let commitCount = Soak.isEnabled ? 5_000 : 150
    static let branchInterval = Soak.isEnabled ? 50 : 1

    private func run(_ trial: inout HistoryTrial, commits: Int) throws {
        while trial.list.log.head < Version(UInt64(commits)) { try trial.step() }
        try trial.endGroups()
        try trial.checkLog()
    }

    @Test("In the shared history every checkout is exact", arguments: seeds)
    func shared(seed: UInt64) throws {
        var trial = HistoryTrial(seed: seed, branchInterval: Self.branchInterval)
        try run(&trial, commits: Self.commitCount)
        #expect(trial.counts["refused"] == nil && trial.counts["skipped"] == nil)
        #expect(trial.counts["exact"] == trial.counts["moves"])
        #expect(trial.counts["branched", default: 0] > 0 && trial.counts["switched", default: 0] > 0)
    }

    @Test("The trials include every kind of commit")
    func coverage() throws {
        var counts: [String: Int] = [:]
        for seed in 1...3 as ClosedRange<UInt64> {
            var single = HistoryTrial(seed: 300 + seed)
            try run(&single, commits: 100)
            var mixed = HistoryTrial(seed: 300 + seed, scopes: [nil, "a", "b"], isMixed: true)
            try run(&mixed, commits: 100)
            for (kind, count) in single.counts { counts[kind, default: 0] += count }
            for (kind, count) in mixed.counts { counts[kind, default: 0] += count }
        }
        let kinds = [
            "continued", "branched", "switched", "moves", "exact", "reverted", "restored", "refused", "skipped",
            "merged",
        ]
        for kind in kinds { #expect(counts[kind, default: 0] >= 3, "\(kind)") }
    }

    @Test("The own history of a single origin behaves like the shared one", arguments: seeds.prefix(4))
    func own(seed: UInt64) throws {
        var trial = HistoryTrial(seed: 100 + seed, scopes: ["a"], branchInterval: Self.branchInterval)
        try run(&trial, commits: Self.commitCount)
        #expect(trial.counts["exact"] == trial.counts["moves"])
    }

    @Test("Histories of several scopes are independent, also with untracked commits", arguments: seeds)
    func scopes(seed: UInt64) throws {
        var trial = HistoryTrial(
            seed: 200 + seed, scopes: [nil, "a", "b", "c"], isMixed: true, branchInterval: Self.branchInterval)
        try run(&trial, commits: Self.commitCount / 2)
        #expect(trial.counts["moves", default: 0] > 0)
    }
}
