// The context of an event: a projection receives it together with the event.
//
// Always holds: between two events, `before` is the list after the events so far, if the projection reads rows. The
// class is not sendable, because the context is valid only during the call.

/// The context of an event for a projection.
public final class EventContext {
    /// The commit of the event.
    public private(set) var commit: CommitInfo
    private let source: any CommitSource
    private let before: Before?

    /// The rows after the events so far. A class, because a noncopyable state cannot be taken out of an optional.
    fileprivate final class Before {
        var state: ListState

        init(_ rows: UntypedSnapshot) { state = ListState(from: rows.inOwnPool) }
    }

    private var contentFailure: (any Error)?

    /// The error if rows could not be read.
    package var rowFailure: (any Error)? { before.flatMap { $0.state.pool.failure(since: 0) } }

    /// The error if a content or rows could not be read. The projection did not cause it.
    package var readFailure: (any Error)? { contentFailure ?? rowFailure }

    /// A context for a fold.
    ///
    /// - Parameters:
    ///   - commit: the first commit.
    ///   - source: the source of contents.
    ///   - rows: the rows before it, for a projection that reads rows.
    public init(_ commit: CommitInfo, source: any CommitSource, rows: UntypedSnapshot?) {
        self.commit = commit
        self.source = source
        before = rows.map { Before($0) }
    }

    /// The bytes that a reference of the event points to.
    ///
    /// - Throws: as ``withContent(of:_:)``.
    /// - Complexity: O(length), and finding the record.
    public func content(of reference: ContentReference) throws -> [UInt8] {
        try withContent(of: reference) { Array($0) }
    }

    /// Calls `body` with the bytes that a reference of the event points to, valid only until it returns.
    ///
    /// - Throws: ``ListError/erasedContent(_:)``, which a projection may catch; another error of the log, which it must rethrow; and
    ///   what `body` throws.
    /// - Complexity: O(1), and finding the record.
    public func withContent<Result>(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try reference.checkKept()
        var isRead = false
        do {
            return try source.withContent(of: reference) { bytes in
                isRead = true
                return try body(bytes)
            }
        } catch {
            if !isRead { contentFailure = error }
            throw error
        }
    }

    /// The rows just before the event.
    ///
    /// - Precondition: ``ProjectionState/readsRows`` is true.
    public var rows: Rows {
        guard let before else {
            preconditionFailure("a projection that looks at rows says so: `static let readsRows = true`")
        }
        return Rows(before: before)
    }

    /// The rows just before an event.
    public struct Rows {
        fileprivate let before: Before

        /// How many sections there are.
        public var sectionCount: Int { before.state.sectionCount }
        /// How many rows there are in all sections.
        public var itemCount: Int { before.state.itemCount }

        /// The id of the section at an index, or nil if there is none.
        public func sectionID(at index: Int) -> UntypedID? { before.state.sectionID(at: index) }

        /// How many rows the section at an index has; 0 if there is none.
        public func itemCount(inSectionAt index: Int) -> Int {
            index >= 0 && index < sectionCount ? before.state.itemCount(inSectionAt: index) : 0
        }

        /// The row at an index path, or nil if there is none.
        ///
        /// - Complexity: O(log n).
        public func item(at path: ListIndexPath) -> UntypedRow? {
            path.section >= 0 && path.item >= 0 ? before.state.item(at: path) : nil
        }

        /// Rows from an index path on, as many of them as there are.
        ///
        /// - Complexity: O(count + log n).
        public func items(at path: ListIndexPath, count: Int) -> [UntypedRow] {
            let available = itemCount(inSectionAt: path.section)
            guard path.item >= 0 && path.item < available && count > 0 else { return [] }
            let end = path.item + min(count, available - path.item)
            return Array(before.state.items(inSectionAt: path.section, path.item..<end))
        }
    }
}

// MARK: - Folding

extension EventContext {
    /// Calls `body` with each event of a commit and its index, and then applies the event to the rows.
    ///
    /// - Throws: ``RecordError``, ``ListError`` if the log is damaged; what `body` throws.
    package func fold(_ commit: Commit, _ body: (Int, ListEvent) throws -> Void) throws {
        self.commit = CommitInfo(commit)
        for (index, event) in try commit.events().enumerated() {
            try body(index, event)
            try before?.state.apply(event)
        }
        before?.state.version = commit.version
    }

    /// Calls `body` with an insertion for each section.
    package func forEachInsertion(of rows: UntypedSnapshot, _ body: (ListEvent) throws -> Void) throws {
        for (index, section) in rows.sections.enumerated() {
            let section = ListSection(id: section.id, title: section.title, items: Array(section.items))
            let event = ListEvent.sectionInserted(at: index, section)
            try body(event)
            try before?.state.apply(event)
        }
    }

    /// The rows after the events so far; nil if the projection does not read rows.
    package func rowsAfter() -> UntypedSnapshot? { before?.state.snapshot() }
}
