// Lending the editor to the closure of a commit, which may make edits but neither begin nor end a commit.
//
// Always holds: a lent editor has a commit in progress; what begins or ends one throws, and a commit that is cancelled goes on
// without its edits. The editor that is taken back is the one that was lent.

extension UntypedEditor {
    /// Makes one commit of the edits in `body`. If `body` throws, the commit is cancelled.
    ///
    /// - Returns: the commit, or nil if there were no events.
    /// - Throws: errors of `body`, and those of ``begin(_:)`` and ``finish()``. In `body`, functions that begin or end
    ///   a commit throw ``ListError/insideCommit``.
    public mutating func commit(_ draft: CommitDraft, _ body: (inout UntypedEditor) throws -> Void) throws -> Commit? {
        try lend(for: draft)
        do { try body(&self) } catch {
            cancelLoan()
            throw error
        }
        return try finishLoan()
    }

    /// Begins a commit and lends the editor to a closure, which may make edits but neither begin nor end a commit.
    ///
    /// - Throws: as ``begin(_:)``.
    package mutating func lend(for draft: CommitDraft) throws {
        try begin(draft)
        isLent = true
    }

    /// Takes the editor back and finishes the commit, as ``finish()`` does.
    package mutating func finishLoan() throws -> Commit? {
        takeBack()
        return try finish()
    }

    /// Takes the editor back and cancels the commit.
    package mutating func cancelLoan() {
        takeBack()
        cancel()
    }

    private mutating func takeBack() {
        precondition(isLent, "the editor that a closure was given was replaced by another one")
        isLent = false
    }

    /// Checks that the editor is not lent to the closure of a commit.
    ///
    /// - Throws: ``ListError/insideCommit``.
    func checkNotLent() throws {
        if isLent { throw ListError.insideCommit }
    }
}
