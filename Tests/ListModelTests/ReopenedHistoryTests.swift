// Tests undo and redo on every branch with an editor that is reopened before each step: the history is only in the
// records.

@testable import ListModel
import TestSupport
import Testing

@Suite("Undo and redo by an editor that is reopened")
struct ReopenedHistoryTests {
    /// How the editor is made before each step.
    enum Opening: CaseIterable {
        /// The editor that made the commits.
        case same
        /// An editor that replayed the records.
        case replayed
        /// An editor whose rows were rebuilt in nodes of another width, as when a checkpoint is opened.
        case rebuilt
    }

    private func open(_ list: inout KeptList, _ opening: Opening) throws {
        switch opening {
        case .same: return
        case .replayed: list.editor = try list.replayed()
        case .rebuilt:
            let store = NodePool(limits: TreeLimits(leafCapacity: 6, innerCapacity: 5))
            let state = try ListState(
                rebuilding: list.editor.snapshot(), histories: list.editor.state.histories, store)
            list.editor = UntypedEditor(state, checksum: try list.log.commit(list.log.head).checksum, source: list.log)
        }
        try list.editor.checkInvariants()
    }

    @Test(
        "n undos and then n redos restore every hash, on every branch",
        arguments: Opening.allCases, Array(1...(3 * UInt64(Soak.factor))))
    func thereAndBack(opening: Opening, seed: UInt64) throws {
        var trial = HistoryTrial(seed: 400 + seed)
        while trial.list.log.head < Version(40) || trial.model.leaves(.shared).count < 3 { try trial.step() }
        try trial.endGroups()
        var list = trial.list
        let tree = HistoryTree(list.log, oldest: .empty)
        let branches = try tree.branches(list.editor.state.history, limit: 4)
        #expect(branches.count > 1)
        for branch in branches {
            try list.go(to: branch.tip)
            let comment: Comment = "seed \(seed), branch \(branch.tip)"
            let hash = try list.log.commit(branch.tip).stateHash
            try #require(list.editor.snapshot().stateHash == hash, comment)
            var hashes = [hash]
            while list.editor.state.history.undoCount > 0 {
                try open(&list, opening)
                hashes.append(try #require(try list.undo().commit).stateHash)
            }
            #expect(hashes.count == branch.stepCount + 1 && hashes.last == UntypedSnapshot.empty.stateHash, comment)
            #expect(list.editor.state.history.redoCount == branch.stepCount, comment)
            for hash in hashes.dropLast().reversed() {
                try open(&list, opening)
                let commit = try #require(try list.redo().commit)
                try #require(commit.stateHash == hash && list.editor.snapshot().stateHash == hash, comment)
            }
            #expect(list.editor.state.history.position == branch.tip, comment)
            #expect(list.editor.state.history.tip == branch.tip && list.editor.state.history.redoCount == 0, comment)
        }
        // The log is the same with every editor, and a last replay agrees with it.
        var other = try list.replayed()
        #expect(other.snapshot().stateHash == list.editor.snapshot().stateHash)
        #expect(other.state.histories == list.editor.state.histories)
    }

    @Test("Editors that are reopened before each step write the same records as one that never is")
    func sameRecords() throws {
        func records(_ opening: Opening) throws -> [[UInt8]] {
            var list = KeptList()
            try list.commit { try $0.insertSection(NewSection(0, Array(1...6))) }
            var generator = SeededGenerator(seed: 7)
            for number in 0..<120 {
                try open(&list, opening)
                let history = list.editor.state.history
                switch Int.random(in: 0..<6, using: &generator) {
                case 0...1 where history.undoCount > 0: try list.undo(onConflict: .skip)
                case 2 where history.redoCount > 0: try list.redo(onConflict: .skip)
                case 3 where number % 4 == 0:
                    let branches = try HistoryTree(list.log, oldest: .empty).branches(history, limit: .max)
                    try list.go(to: branches.randomElement(using: &generator)?.tip ?? .empty, onConflict: .skip)
                default:
                    try list.commit(by: number % 7 == 0 ? "a" : nil) { editor in
                        if editor.state.sectionCount == 0 { try editor.insertSection(NewSection(1)) }
                        try editor.insert(NewRow(100 + number), at: .at(ListIndexPath(0, 0)))
                    }
                }
            }
            return try (1...list.log.head.rawValue).map { try list.log.commit(Version($0)).record }
        }
        let expected = try records(.same)
        #expect(try records(.replayed) == expected)
        #expect(try records(.rebuilt) == expected)
    }
}
