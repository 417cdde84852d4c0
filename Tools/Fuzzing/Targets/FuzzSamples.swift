// Valid logs and checkpoints, from which seeds are made. Always holds: the same seed gives the same bytes.

@testable import ListModel
import TestSupport

enum FuzzSamples {
    static let limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)

    /// A log of random commits of every kind.
    static func log(seed: UInt64, commits: Int) throws -> FuzzLog {
        let log = FuzzLog()
        var editor = UntypedEditor(ListState(NodePool(limits: limits, salt: 7)), source: log)
        try fill(&editor, log, seed: seed, commits: commits)
        return log
    }

    /// Makes random commits.
    static func fill(_ editor: inout UntypedEditor, _ log: FuzzLog, seed: UInt64, commits: Int) throws {
        var edits = RandomEdits(seed: seed, targetCount: 24)
        editor.coalescingPolicy = CoalescingPolicy(interval: .seconds(1_000))
        while log.records.count < commits {
            let time = Timestamp(microseconds: Int64(log.records.count) * 1_000_000)
            let list = try ReferenceList(editor.snapshot(), log)
            var commit: Commit?
            _ = try answer {
                switch Int.random(in: 0..<10, using: &edits.generator) {
                case 0: commit = try editor.undo(time: time, onConflict: .skip).commit
                case 1: commit = try editor.redo(time: time, onConflict: .skip).commit
                case 2:
                    let target = UInt64.random(in: 0...UInt64(log.records.count), using: &edits.generator)
                    commit = try editor.go(to: Version(target), time: time, onConflict: .skip).commit
                default:
                    let draft = CommitDraft(
                        name: "edit", origin: edits.generator.oneIn(3) ? "phone" : "", time: time,
                        tracking: [.shared, .shared, .own, .untracked].randomElement(using: &edits.generator)!,
                        isDiscardable: edits.generator.oneIn(5))
                    commit = try editor.commit(draft) { editor in
                        if edits.generator.oneIn(6) { editor.annotate("note", with: [1, 2, 3]) }
                        for _ in 0..<Int.random(in: 1...3, using: &edits.generator) {
                            _ = try answer { try editor.apply(edits.next(list)) }
                        }
                    }
                }
            }
            if let commit { log.append(commit.record) }
        }
    }
}

extension ListIndexPath {
    init(_ section: Int, _ item: Int) { self.init(section: section, item: item) }
}
