// The history of a typed store: what `Store` does, under the same names.
//
// Always holds: nothing here knows anything of its own; see the functions of `Store` for what they do, throw and cost.

import ListModel

extension ListStore {
    /// Where the list is in its history. See ``Store/history``.
    public var history: History {
        get throws { try core.history }
    }

    /// Where the list is in the history that an origin undoes in. See ``Store/history(of:)``.
    public func history(of origin: String) throws -> History { try core.history(of: origin) }

    /// Undoes the newest steps that were not undone yet. See ``Store/undo(_:origin:onConflict:durability:)``.
    @discardableResult
    public func undo(
        _ count: Int = 1, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.undo(count, origin: origin, onConflict: onConflict, durability: durability)
    }

    /// Redoes the next steps on the present branch. See ``Store/redo(_:origin:onConflict:durability:)``.
    @discardableResult
    public func redo(
        _ count: Int = 1, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.redo(count, origin: origin, onConflict: onConflict, durability: durability)
    }

    /// Goes to any commit of the history. See ``Store/go(to:origin:onConflict:durability:)``.
    @discardableResult
    public func go(
        to version: Version, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.go(to: version, origin: origin, onConflict: onConflict, durability: durability)
    }

    /// Goes a number of steps back in the order in which they were made. See
    /// ``Store/earlier(_:origin:onConflict:durability:)-(Int,_,_,_)``.
    @discardableResult
    public func earlier(
        _ count: Int = 1, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.earlier(count, origin: origin, onConflict: onConflict, durability: durability)
    }

    /// Goes a number of steps forward in the order in which they were made. See
    /// ``Store/later(_:origin:onConflict:durability:)-(Int,_,_,_)``.
    @discardableResult
    public func later(
        _ count: Int = 1, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.later(count, origin: origin, onConflict: onConflict, durability: durability)
    }

    /// Goes to what the list showed some time earlier. See
    /// ``Store/earlier(_:origin:onConflict:durability:)-(Duration,_,_,_)``.
    @discardableResult
    public func earlier(
        _ duration: Duration, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.earlier(duration, origin: origin, onConflict: onConflict, durability: durability)
    }

    /// Goes to what the list showed some time later. See
    /// ``Store/later(_:origin:onConflict:durability:)-(Duration,_,_,_)``.
    @discardableResult
    public func later(
        _ duration: Duration, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.later(duration, origin: origin, onConflict: onConflict, durability: durability)
    }

    /// The branches of the history. See ``Store/branches(origin:limit:)``.
    public func branches(origin: String = "", limit: Int = .max) throws -> [Branch] {
        try core.branches(origin: origin, limit: limit)
    }

    /// Takes one commit back. See ``Store/revert(_:name:origin:onConflict:durability:)``.
    @discardableResult
    public func revert(
        _ version: Version, name: String? = nil, origin: String = "", onConflict: ConflictPolicy = .refuse,
        durability: Durability? = nil
    ) throws -> Reversal {
        try core.revert(version, name: name, origin: origin, onConflict: onConflict, durability: durability)
    }

    /// Makes the rows those of a version. See ``Store/restore(_:name:origin:durability:)``.
    @discardableResult
    public func restore(
        _ version: Version, name: String = "Restore", origin: String = "", durability: Durability? = nil
    ) throws -> Commit? {
        try core.restore(version, name: name, origin: origin, durability: durability)
    }

    /// Makes one step of all commits that `body` makes. See ``Store/group(_:origin:_:)``.
    @discardableResult
    public func group<Result>(
        _ name: String? = nil, origin: String = "", _ body: () throws -> Result
    ) throws -> Result {
        try core.group(name, origin: origin, body)
    }

    /// Begins a group. See ``Store/beginGroup(_:origin:)``.
    public func beginGroup(_ name: String? = nil, origin: String = "") throws {
        try core.beginGroup(name, origin: origin)
    }

    /// Ends the innermost group. See ``Store/endGroup(origin:)``.
    public func endGroup(origin: String = "") throws { try core.endGroup(origin: origin) }

    /// Ends the step. See ``Store/breakUndoCoalescing()``.
    public func breakUndoCoalescing() throws { try core.breakUndoCoalescing() }

    /// What undo and redo would do now. See ``Store/undoState(origin:)``.
    public func undoState(origin: String = "") throws -> UndoState { try core.undoState(origin: origin) }

    /// What undo and redo would do: now, and after each commit that changes it. See ``Store/undoStates(origin:)``.
    public func undoStates(origin: String = "") throws -> AsyncStream<UndoState> {
        try core.undoStates(origin: origin)
    }

    /// What an interface selects after an undo, a redo or a go. See ``Store/selection(after:)``.
    public func selection(after reversal: Reversal) throws -> [UInt8]? { try core.selection(after: reversal) }

    /// The newest version that was committed at a time or before. See ``Store/version(at:)``.
    public func version(at time: Timestamp) throws -> Version { try core.version(at: time) }

    /// The rows as they were at a time. See ``Store/snapshot(at:)-(Timestamp)``.
    public func snapshot(at time: Timestamp) throws -> ListSnapshot<SectionID, Item> {
        try snapshot(at: core.version(at: time))
    }
}
