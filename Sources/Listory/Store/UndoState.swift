// The state of undo and redo for menus and tool bars: whether they are possible, and their names.

import ListModel

/// The next undo and redo, for a user interface.
public struct UndoState: Hashable, Sendable {
    /// The step that undo reverts.
    public let undo: Step?
    /// The step that redo repeats.
    public let redo: Step?
    /// How many steps undo can go back.
    public let undoCount: Int
    /// How many steps redo can go forward.
    public let redoCount: Int

    /// There is nothing to undo and nothing to redo.
    public static let nothing = UndoState(undo: nil, redo: nil, undoCount: 0, redoCount: 0)

    /// A step of undo or redo.
    public struct Step: Hashable, Sendable {
        /// The last commit of the step: ``StoreProtocol/commit(_:)`` has its time, its origin and its annotations.
        public let version: Version
        /// The name of the commit: "Move Milk".
        public let name: String
        /// The origin of the commit.
        public let origin: String
        /// Whether all its commits are discardable, so that no document needs to be saved because of them.
        public let isDiscardable: Bool
    }

    /// Whether there is something to undo.
    public var canUndo: Bool { undo != nil }
    /// Whether there is something to redo.
    public var canRedo: Bool { redo != nil }

    /// The title for a menu: "Undo Move Milk", or the word alone.
    ///
    /// - Parameter word: "Undo", in the language of the user.
    public func undoTitle(_ word: String = "Undo") -> String { UndoState.title(word, undo) }

    /// The title for a menu: "Redo Move Milk", or the word alone.
    public func redoTitle(_ word: String = "Redo") -> String { UndoState.title(word, redo) }

    private static func title(_ word: String, _ step: Step?) -> String {
        guard let name = step?.name, !name.isEmpty else { return word }
        return "\(word) \(name)"
    }
}

extension StoreProtocol {
    /// The next undo and redo now.
    ///
    /// - Parameter origin: the origin that undoes; see ``StoreOptions/undoScope``.
    /// - Complexity: O(log n + commits of the two steps) records.
    public func undoState(origin: String = "") throws -> UndoState {
        let scope = core.options.undoScope.history(of: origin)
        return try core.withHead { head in try core.undoState(core.reachable(head, scope)) }
    }

    /// The next undo and redo: now, and after each commit that changes them.
    ///
    /// ```swift
    /// for await state in try store.undoStates() {
    ///     undoButton.isEnabled = state.canUndo
    ///     undoButton.title = state.undoTitle()
    /// }
    /// ```
    ///
    /// A slow reader receives only the newest state. A state that cannot be read is left out. The sequence ends when the store closes, or
    /// is released.
    ///
    /// - Throws: ``ListError/closed``.
    public func undoStates(origin: String = "") throws -> AsyncStream<UndoState> {
        let core = core
        let changes = try core.changes()
        let first = try core.undoState(origin: origin)
        let (stream, continuation) = AsyncStream.makeStream(
            of: UndoState.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(first)
        let task = Task { [weak core] in
            var last = first
            for await _ in changes {
                guard let core else { break }
                let state: UndoState
                do { state = try core.undoState(origin: origin) } catch ListError.closed { break } catch {
                    // The next change may be readable.
                    continue
                }
                if state != last { continuation.yield(state) }
                last = state
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

extension UntypedStore {
    fileprivate func undoState(_ history: ListHistory) throws -> UndoState {
        func step(_ move: HistoryMove?) throws -> UndoState.Step? {
            // Only the last commit is read, unless it is discardable.
            guard let versions = move?.stepVersions, let last = versions.max() else { return nil }
            let end = try group.commit(last)
            return UndoState.Step(
                version: last, name: end.name, origin: end.origin,
                isDiscardable: try end.isDiscardable && versions.allSatisfy { try group.commit($0).isDiscardable })
        }
        return UndoState(
            undo: try history.undoCount > 0 ? step(tree.undoing(history)) : nil,
            redo: try history.redoCount > 0 ? step(tree.redoing(history)) : nil,
            undoCount: history.undoCount, redoCount: history.redoCount)
    }
}

extension UndoState: CustomStringConvertible {
    /// The next steps and how many there are: `undo "Add Milk" (1 of 3), nothing to redo`.
    public var description: String {
        let undo = undo.map { "undo \"\($0.name)\" (1 of \(undoCount))" } ?? "nothing to undo"
        let redo = redo.map { "redo \"\($0.name)\" (1 of \(redoCount))" } ?? "nothing to redo"
        return "\(undo), \(redo)"
    }
}
