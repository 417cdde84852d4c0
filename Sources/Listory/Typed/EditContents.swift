// The contents of rows that are read inside an edit: also of those that the edit has just inserted, which no log has yet.
//
// Always holds: the editor is only used by the thread of the edit, and only before its closure has returned.

import LMDB
import ListModel

/// The commits of a store, and the contents that an edit in progress has written.
///
/// Rows that were read inside an edit are values, and may be kept or sent to another thread. A content that the edit has
/// written can be read inside the closure; afterwards from the log, if the edit was made.
///
/// `@unchecked Sendable`: the pointer does not change, and is only followed by the thread that set it, with `state` open.
final class EditContents: CommitSource, @unchecked Sendable {
    private enum State { case open, made, dropped }

    private let store: any CommitSource
    private let editor: UnsafeMutablePointer<ListEditor>
    /// The version that the edit makes.
    private let version: Version
    private let thread = Platform.currentThread
    private let state = Locked(State.open)

    init(_ editor: UnsafeMutablePointer<ListEditor>, _ store: any CommitSource) {
        (self.editor, self.store) = (editor, store)
        version = editor.pointee.state.version.next
    }

    /// Ends the use of the editor when the closure has returned.
    func end() { state.withLock { $0 = .dropped } }

    /// Leads further reads to the log, because the edit was made.
    func leadToLog() { state.withLock { $0 = .made } }

    func readContent(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard reference.version == version else { return try store.readContent(of: reference, body) }
        switch state.withLock({ $0 }) {
        case .open where thread == Platform.currentThread:
            // SAFETY: this thread is inside the closure, which the editor outlives.
            try editor.pointee.withContent(of: reference, body)
        case .made: try store.readContent(of: reference, body)
        case .open, .dropped: throw StoreError.editEnded
        }
    }

    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try store.readRecord(of: version, body)
    }

    func historyMark(of version: Version) throws -> HistoryMark { try store.historyMark(of: version) }

    func snapshot(at version: Version) throws -> Snapshot { try store.snapshot(at: version) }
}
