// An edit in progress: who has it edits step by step, and readers do not wait for its end.
//
// Always holds: between two steps the list is not locked, and readers see the rows before the edit.

import ListModel

/// The use of the editor by the thread whose turn it is. Each use locks the list.
struct EditTurn: Sendable {
    /// The number of events, or of rows in a step, from which on readers find the rows before the edit ready. Taking back fewer
    /// events takes less than a millisecond.
    private static let longEdit = 64

    private let head: Locked<UntypedStore.Head>
    private let shown: Locked<UntypedSnapshot?>

    init(_ head: Locked<UntypedStore.Head>, _ shown: Locked<UntypedSnapshot?>) {
        (self.head, self.shown) = (head, shown)
    }

    /// Whether the calling thread is inside of a step.
    var isInStep: Bool { head.isHeldByCaller }

    /// Calls `body` with the editor.
    ///
    /// - Parameter rows: about how many rows it changes at once.
    func withEditor<Result>(rows: Int = 1, _ body: (inout UntypedEditor) throws -> Result) throws -> Result {
        try head.withLock { head in
            if max(rows, head.editor.pendingEventCount) >= EditTurn.longEdit { prepareReaders(&head) }
            return try body(&head.editor)
        }
    }

    private func prepareReaders(_ head: inout UntypedStore.Head) {
        if shown.withLock({ $0 != nil }) { return }
        // Rows that cannot be read are an error of the edit.
        guard let rows = try? head.snapshot() else { return }
        shown.withLock { $0 = rows }
    }
}
