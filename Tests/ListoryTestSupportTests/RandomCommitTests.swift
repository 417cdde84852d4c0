// Plays random commits through every list view, also transitions between any two versions, and undo.

import ListModel
import ListoryTestSupport
import TestSupport
import Testing

@Suite("Random commits through every list view")
struct RandomCommitTests {
    /// How large a list is, and how many commits are made in it.
    struct Size: Sendable, CustomTestStringConvertible {
        var rows: Int
        var sections: Int
        var edits: Int
        var commits: Int

        var testDescription: String { "\(rows) rows in \(sections) sections, \(commits) commits" }
    }

    /// 50,000 commits together; a soak makes twenty times as many.
    static let sizes = [
        Size(rows: 6, sections: 3, edits: 4, commits: 30_000), Size(rows: 14, sections: 5, edits: 6, commits: 15_000),
        Size(rows: 40, sections: 12, edits: 8, commits: 4_000), Size(rows: 150, sections: 40, edits: 12, commits: 900),
        Size(rows: 2_000, sections: 40, edits: 20, commits: 100),
    ]
    private static let rounds = Soak.isEnabled ? 20 : 1

    @Test("No view rejects a commit or is corrupted by it, and each shows the rows afterwards", arguments: sizes)
    func everyCommit(size: Size) throws {
        #expect(Self.sizes.map(\.commits).reduce(0, +) == 50_000)
        for seed in 1...UInt64(10 * Self.rounds) {
            let limits = seed % 3 == 0 ? TreeLimits() : TreeLimits(leafCapacity: 4, innerCapacity: 4)
            var list = MemoryList(limits: limits)
            var random = RandomEditor(seed: seed, rowLimit: size.rows, sectionLimit: size.sections)
            if seed % 2 == 0 || size.rows > 1_000 { try list.fill(&random) }
            var versions = [list.snapshot()]
            for step in 0..<size.commits / 10 {
                let comment: Comment = "seed \(seed), step \(step) of \(size)"
                try list.commit(upTo: size.edits, &random)
                let new = list.snapshot()
                try check(ListTransition(from: versions.last!, to: new), comment)
                if random.generator.oneIn(10), list.editor.state.history.undoCount > 0 {
                    try list.undo()
                    try check(ListTransition(from: new, to: list.snapshot()), comment)
                }
                versions.append(list.snapshot())
                if random.generator.oneIn(5) {
                    let pair = (0..<2).map { _ in versions.randomElement(using: &random.generator)! }
                    try check(ListTransition(from: pair[0], to: pair[1]), comment)
                }
                if versions.count > 100 { versions.removeFirst(50) }
            }
        }
    }

    private func check(_ transition: ListTransition, _ comment: Comment) throws {
        do {
            try transition.checkConsumers()
        } catch {
            Issue.record(error, comment)
            throw error
        }
    }
}
