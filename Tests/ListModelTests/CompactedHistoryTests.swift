// Tests histories whose first commits are missing, because the log was compacted.

@testable import ListModel
import TestSupport
import Testing

@Suite("Histories of compacted logs")
struct CompactedHistoryTests {
    /// Versions 1 to 3 on one branch, 5 on another that begins at 1, and the position at a given one.
    private func list(goingTo target: Version) throws -> KeptList {
        var list = KeptList()
        for number in 0..<3 { try list.commit { try $0.insertSection(NewSection(number)) } }
        try list.go(to: Version(1))
        try list.commit { try $0.insertSection(NewSection(9)) }
        try list.go(to: target)
        return list
    }

    @Test("Verification accepts a checkout of the commit with which the log now begins")
    func wentToTheBeginning() throws {
        let list = try list(goingTo: Version(3))
        var check = HistoryCheck(of: list.log, after: Version(3), try HistoryTable(list.log, at: Version(3)))
        for version in 4...6 as ClosedRange<UInt64> {
            let expected = try check.check(list.log.commit(Version(version)))
            #expect(expected == nil, "record \(version)")
        }
    }

    @Test("A remaining branch is listed even if the current one is not")
    func presentBranchIsGone() throws {
        let list = try list(goingTo: Version(3))
        let history = list.editor.state.history
        #expect(history.tip == Version(3))
        let tree = HistoryTree(list.log, oldest: Version(3))
        let branches = try tree.branches(history, limit: .max)
        #expect(branches.map(\.tip) == [Version(5)])
        #expect(branches.map(\.isCurrent) == [false] && branches.map(\.fork) == [Version(3)])
        #expect(try tree.branches(history, limit: 0).isEmpty)
        // If no commit is missing, both are listed.
        let all = try HistoryTree(list.log, oldest: .empty).branches(history, limit: .max)
        #expect(all.map(\.tip) == [Version(3), Version(5)] && all.map(\.fork) == [Version(3), Version(1)])
    }
}

extension HistoryTable {
    /// The histories in the records of a log at a version.
    fileprivate init(_ log: KeptLog, at version: Version) throws {
        self.init()
        for number in 1...version.rawValue { note(try log.commit(Version(number)).mark, at: Version(number)) }
    }
}
