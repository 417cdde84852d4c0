// A short list with a log of a given length, in memory. Always holds: the log has all commits.

import BenchSupport
import ListModel

/// A complete log in memory.
final class LoggedEditor: LoggedList {
    private var editor: UntypedEditor
    private let log = MemoryLog()
    private let draft = CommitDraft(name: "Edit", time: Timestamp(microseconds: 1))

    init(eventCount: Int) throws {
        editor = UntypedEditor(ListState(), source: log)
        try ListRecipe(rowCount: LoggedEdits.rowCount).forEachCommit { body in
            if let commit = try editor.commit(draft, body) { log.append(commit) }
        }
        try LoggedEdits.forEach(eventCount) { edit in
            if let commit = try editor.commit(draft, { try edit.apply(to: &$0) }) { log.append(commit) }
        }
    }

    func timeUndo(_ count: Int) throws -> Double {
        try seconds {
            for _ in 0..<count { log.append(try editor.undo(time: draft.time).commit!) }
        }
    }

    func timeRedo(_ count: Int) throws -> Double {
        try seconds {
            for _ in 0..<count { log.append(try editor.redo(time: draft.time).commit!) }
        }
    }
}
