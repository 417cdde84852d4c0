// Values of an app's own that fold the events of a list. `Docs/Guides/Projections.md` says what they are for.
//
// The protocols are here and not with the store, because a fold is pure: it can be tested with an array of commits. Where
// its state is kept, and who folds when, is the store's affair.

/// What any projection is: a value with a name, made anew if its rules change, that can be stored as bytes.
public protocol ProjectionState: Sendable {
    /// What its state is stored under: 1 to 511 bytes of UTF-8, and of no other projection of the store.
    static var name: String { get }

    /// The version of its rules. A state that was folded by another version is not used: the projection is folded anew.
    static var version: Int { get }

    /// Whether it looks at ``EventContext/rows``; false by itself, because it costs folding the rows once more and keeping a
    /// snapshot of them.
    static var readsRows: Bool { get }

    /// The value before the first event.
    init()

    /// The value that these bytes are the state of.
    init(encoded bytes: UnsafeRawBufferPointer) throws

    /// The state as bytes. A `Codable` projection needs neither this nor its counterpart: it is written as JSON.
    func encoded() throws -> [UInt8]
}

extension ProjectionState {
    public static var readsRows: Bool { false }
}

/// A value that folds the events of a list: a count, an index, an aggregate.
///
/// ```swift
/// struct EditsByOrigin: Projection, Codable {
///     static let name = "edits-by-origin"
///     static let version = 1
///     var counts: [String: Int] = [:]
///
///     mutating func apply(_ event: Event, in context: EventContext) {
///         counts[context.commit.origin, default: 0] += 1
///     }
/// }
/// ```
///
/// It sees every event, in order; those of undos and redos are events like all others. It must depend on nothing else: no
/// clock, no randomness, no I/O.
public protocol Projection: ProjectionState {
    /// The value of a list whose history before a version was dropped.
    ///
    /// By itself it is that of a commit that inserts all sections as they are.
    ///
    /// - Parameters:
    ///   - rows: the rows at that version.
    ///   - context: its commit is one that ``CommitInfo/isSeed`` says is none.
    init(rows: Snapshot, in context: EventContext) throws

    /// Folds an event into the value.
    ///
    /// - Parameters:
    ///   - event: what happened; ``Event/isAncillary`` tells what did not change the rows.
    ///   - context: its commit, the contents that it refers to and the rows before it; for this call only.
    /// - Throws: whatever makes the value useless. It is then not asked again until it is folded anew.
    mutating func apply(_ event: Event, in context: EventContext) throws
}

extension Projection {
    public init(rows: Snapshot, in context: EventContext) throws {
        self.init()
        try context.forEachInsertion(of: rows) { try apply($0, in: context) }
    }
}
