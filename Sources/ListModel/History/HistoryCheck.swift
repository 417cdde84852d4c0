// Checks that the histories in the records of a log follow from its commits.
//
// Always holds: after a fault the check continues with the history in the record, so it reports one fault once.

/// Computes the histories of a log, commit by commit, and compares them with the records.
package struct HistoryCheck: ~Copyable {
    private let marks: Marks
    private let oldest: Version
    private var histories: HistoryTable
    private var writer = HistoryWriter()

    /// The marks of the commits so far, which the check looks up as an editor does in its log. They are kept as the bytes of a
    /// record, because a mark in memory takes five times as much.
    private final class Marks: CommitSource, @unchecked Sendable {
        // @unchecked Sendable: only the check that owns it uses it.
        let oldest: Version
        private var scopes: [HistoryScope] = []
        private var numbers: [HistoryScope: Int] = [:]
        private var chunks: [Chunk] = []
        private var writer = ByteWriter()

        /// Some marks that follow one another.
        private struct Chunk {
            static let size = 4_096
            var bytes: [UInt8] = []
            var starts: [UInt32] = []
        }

        init(oldest: Version) { self.oldest = oldest }

        func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
            preconditionFailure("the history is made of marks alone")
        }

        /// Adds the mark of the next commit.
        func append(_ mark: HistoryMark, at version: Version) {
            writer.truncate(to: 0)
            writer.write(count: mark.scope.map(number) ?? 0)
            if mark.scope != nil {
                let node = if case .node(let node) = mark.entry { node } else { nil as HistoryRevision? }
                writer.write(byte: node == nil ? 0 : node?.continues == true ? 2 : 1)
                writer.write(varint: UInt64(bitPattern: mark.entry.steps))
                mark.entry.forEachWord(at: version) { writer.write(varint: $0) }
            }
            if chunks.last.map({ $0.starts.count == Chunk.size }) ?? true { chunks.append(Chunk()) }
            let last = chunks.count - 1
            chunks[last].starts.append(UInt32(chunks[last].bytes.count))
            writer.withBytes { chunks[last].bytes.append(contentsOf: $0) }
        }

        private func number(of scope: HistoryScope) -> Int {
            if let known = numbers[scope] { return known }
            scopes.append(scope)
            numbers[scope] = scopes.count
            return scopes.count
        }

        func historyMark(of version: Version) throws -> HistoryMark {
            // This wraps if the version is too old; the guard below then fails.
            let index = version.rawValue &- oldest.rawValue &- 1
            let (chunk, place) = (index / UInt64(Chunk.size), Int(index % UInt64(Chunk.size)))
            guard version > oldest, chunk < UInt64(chunks.count), place < chunks[Int(chunk)].starts.count else {
                throw ListError.notInHistory(version)
            }
            return try chunks[Int(chunk)].bytes.withUnsafeBytes { bytes in
                var reader = RecordReader(bytes, version: version, from: Int(chunks[Int(chunk)].starts[place]))
                let number = Int(try reader.readVarint("a scope"))
                if number == 0 { return HistoryMark(scope: nil, entry: .untracked) }
                let kind = try reader.readByte("a kind")
                let steps = Int(truncatingIfNeeded: try reader.readVarint("a number of steps"))
                let shape = HistoryEntry.Shape(isNode: kind > 0, continues: kind == 2, steps: steps)
                let entry = try HistoryEntry(shape, at: version) {
                    try reader.readVarint("a place in the history")
                } fail: { _, _ in
                    ListError.notInHistory(version)
                }
                return HistoryMark(scope: scopes[number - 1], entry: entry)
            }
        }
    }

    /// A check of the commits after a version.
    ///
    /// - Parameter histories: those at that version.
    package init(after oldest: Version, _ histories: HistoryTable) {
        self.oldest = oldest
        self.histories = histories
        marks = Marks(oldest: oldest)
    }

    /// Checks the next commit.
    ///
    /// - Returns: nil if its record is right, otherwise the history that the record should have.
    /// - Throws: ``ListError/notInHistory(_:)``, ``RecordError``: it refers to a commit that is not there.
    package mutating func check(_ commit: Commit) throws -> HistoryEntry? {
        let mark = commit.mark
        defer {
            marks.append(mark, at: commit.version)
            histories.note(mark, at: commit.version)
        }
        guard let scope = mark.scope else { return nil }
        guard let expected = try expected(commit, in: scope), expected != mark.entry else { return nil }
        return expected
    }

    /// Whether the log was compacted, so that earlier commits are gone.
    private var isCut: Bool { oldest > .empty }

    /// The history that the record of a commit should have; nil if it depends on commits that were compacted away.
    private mutating func expected(_ commit: Commit, in scope: HistoryScope) throws -> HistoryEntry? {
        let history = histories[scope]
        let tree = HistoryTree(marks, oldest: oldest)
        if case .node(let found) = commit.entry {
            if !writer.isReady(scope) { try writer.load(scope, history, tree) }
            var node = writer.node(commit.version, history)
            if found.continues && node.branchSwitch == nil && history.undoCount > 0 { node = node.continuing }
            // A jump to a commit that was compacted away was checked before compaction.
            if isCut && found.jump <= oldest && found.jump < node.jump { node = node.jumping(to: found.jump) }
            writer.append(found)
            return .node(node)
        }
        writer.forget(scope)
        switch commit.cause {
        case .undo(let target):
            guard target == history.position, target > .empty else { return .untracked }
            guard let move = try tree.undoing(history) else { return isCut ? nil : .untracked }
            return move.entry
        case .redo(let target):
            guard history.tip != history.position else { return .untracked }
            guard let move = try tree.redoing(history) else { return isCut ? nil : .untracked }
            return move.after.position == target ? move.entry : .untracked
        case .go(let target):
            if isCut && target <= oldest {
                // The target was compacted away later, or is where the log begins now.
                guard target == oldest, commit.history?.position != target else { return nil }
            }
            return try tree.going(to: target, history, in: scope, at: commit.version).entry
        case .edit, .revert, .restore: return .untracked
        }
    }
}
