// Projections that use an app's own items.
//
// Always holds: items are decoded by the coder of the store, so old content is converted as everywhere else.

import ListModel

/// A value that folds the events of a list of `Item`s.
///
/// ```swift
/// struct Words: ItemProjection, Codable {
///     static let name = "words"
///     static let version = 1
///     var ids: [String: Set<Int>] = [:]
///
///     mutating func apply(_ event: ListEvent, in context: ItemEventContext<Todo>) throws {
///         guard case .itemsInserted(_, let rows) = event else { return }
///         for row in rows {
///             let todo = try context.item(row)
///             for word in todo.title.split(separator: " ") { ids[String(word), default: []].insert(todo.id) }
///         }
///     }
/// }
/// ```
///
/// The rules of ``Projection`` apply.
public protocol ItemProjection<Item>: ProjectionState {
    /// The type of the items.
    associatedtype Item: Codable & Identifiable & Sendable

    /// The value of a list whose history before a version was dropped. See ``Projection/init(rows:in:)``.
    init(rows: UntypedSnapshot, in context: ItemEventContext<Item>) throws

    /// Folds an event into the value. See ``Projection/apply(_:in:)``.
    mutating func apply(_ event: ListEvent, in context: ItemEventContext<Item>) throws
}

extension ItemProjection {
    public init(rows: UntypedSnapshot, in context: ItemEventContext<Item>) throws {
        self.init()
        try context.core.forEachInsertion(of: rows) { try apply($0, in: context) }
    }
}

/// The context of an event for a projection of items. It is valid only during the call.
public struct ItemEventContext<Item: Codable & Identifiable & Sendable> {
    /// The context without items.
    public let core: EventContext
    private let coder: ContentCoder<Item>

    init(_ core: EventContext, _ coder: ContentCoder<Item>) {
        self.core = core
        self.coder = coder
    }

    /// The commit of the event.
    public var commit: CommitInfo { core.commit }

    /// The rows as they were just before the event; only if ``ProjectionState/readsRows`` is true.
    public var rows: EventContext.Rows { core.rows }

    /// The item of a row of the event, new or old.
    ///
    /// - Throws: an error of the log, or of the decoder.
    public func item(_ row: UntypedRow) throws -> Item { try item(row.content, of: row.id) }

    /// The item that a row had or has: `old` or `new` of ``ListEvent/itemUpdated(at:_:old:new:)``.
    ///
    /// - Throws: an error of the log, or of the decoder.
    public func item(_ content: ContentReference, of id: UntypedID) throws -> Item {
        try core.withContent(of: content) { try coder.item($0, of: id) }
    }
}
