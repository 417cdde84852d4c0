// The contents of rows that are read inside an edit: also of those that the edit has just inserted, which no log has yet.
//
// Always holds: the editor is only used during the turn of the edit.

import ListModel

/// The commits of a store, and the contents that an edit in progress has written.
///
/// Rows that were read inside an edit are values, and may be kept or sent to another thread. A content that the edit has
/// written can be read until the closure returns; afterwards from the log, if the edit was made.
final class EditContents: CommitSource {
    private enum State { case open, made, dropped }

    private let store: any CommitSource
    /// The version that the edit makes.
    private let version: Version
    private let turn: EditTurn
    private let state = Locked(State.open)

    init(_ turn: EditTurn, _ store: any CommitSource, makes version: Version) {
        (self.turn, self.store, self.version) = (turn, store, version)
    }

    /// Ends the use of the editor, because the closure has returned.
    func end() { state.withLock { $0 = .dropped } }

    /// Leads further reads to the log, because the edit was made.
    func leadToLog() { state.withLock { $0 = .made } }

    func readContent(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard reference.version == version else { return try store.readContent(of: reference, body) }
        if turn.isInStep { throw ListError.usedInside("a coder") }
        // A copy, because `body` decodes, and may read other rows. The lock is held, so that the turn does not end meanwhile.
        let content: [UInt8]? = try state.withLock { state in
            switch state {
            case .open: try turn.withEditor { try $0.withContent(of: reference) { Array($0) } }
            case .made: nil
            case .dropped: throw ListError.editEnded
            }
        }
        if let content { try content.withUnsafeBytes(body) } else { try store.readContent(of: reference, body) }
    }

    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try store.readRecord(of: version, body)
    }

    func historyMark(of version: Version) throws -> HistoryMark { try store.historyMark(of: version) }

    func snapshot(at version: Version) throws -> UntypedSnapshot { try store.snapshot(at: version) }
}
