// Projections: an app's own values that fold the events of a list. See the guide Projections.
//
// The protocols are in the model because a fold is pure and can be tested with an array of commits. The store keeps the
// state and decides when to fold.

/// The base of all projections: a value with a name and a version, which can be stored as bytes.
public protocol ProjectionState: Sendable {
    /// The key of its state: 1 to 511 bytes of UTF-8, unique in the store.
    static var name: String { get }

    /// The version of its rules. A state of another version is discarded, and the projection folds from the beginning.
    static var version: Int { get }

    /// Whether it reads ``EventContext/rows``. The default is false, because it costs a second replay and a kept
    /// snapshot.
    static var readsRows: Bool { get }

    /// The value before the first event.
    init()

    /// The value of a stored state.
    init(encoded bytes: UnsafeRawBufferPointer) throws

    /// The state as bytes. A `Codable` projection is stored as JSON and need not implement this.
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
///     mutating func apply(_ event: ListEvent, in context: EventContext) {
///         counts[context.commit.origin, default: 0] += 1
///     }
/// }
/// ```
///
/// It receives every event in order, those of undos and redos too. It must depend on nothing else: no clock, no
/// randomness, no I/O.
public protocol Projection: ProjectionState {
    /// The value of a list whose history before a version was dropped.
    ///
    /// The default is the value of a commit that inserts all sections as they are.
    ///
    /// - Parameters:
    ///   - rows: the rows at that version.
    ///   - context: the ``CommitInfo/isSeed`` of its commit is true.
    init(rows: UntypedSnapshot, in context: EventContext) throws

    /// Folds an event into the value.
    ///
    /// - Parameters:
    ///   - event: the event; ``ListEvent/isAncillary`` is true if it did not change rows.
    ///   - context: its commit, its contents and the rows before it; valid during this call only.
    /// - Throws: any error that makes the value useless. The value then stays failed until it is rebuilt.
    mutating func apply(_ event: ListEvent, in context: EventContext) throws
}

extension Projection {
    public init(rows: UntypedSnapshot, in context: EventContext) throws {
        self.init()
        try context.forEachInsertion(of: rows) { try apply($0, in: context) }
    }
}
