// Reading the newest rows of a store.
//
// Always holds: while an edit is in progress, what is read are the rows before it.

import ListModel

extension UntypedStore {
    /// The newest rows, as a value that never changes.
    ///
    /// - Complexity: O(1).
    public var snapshot: UntypedSnapshot {
        get throws {
            try checkIsOutside()
            return try shown.withLock { $0 } ?? withHead { try $0.snapshot() }
        }
    }

    /// The index path of the row of an id in the newest version, or nil if there is none.
    ///
    /// - Complexity: O(log n); O(n) while an edit is in progress, because there is no index of the rows before it.
    public func indexPath(of id: UntypedID) throws -> ListIndexPath? {
        try find { state in
            state.indexPath(of: id)
        } during: { rows in
            rows.indexPath(of: id)
        }
    }

    /// Looks something up by its id in the newest version; while an edit is in progress, in the rows before it. If nothing is found, all nodes
    /// on the way could be read.
    private func find<Result>(
        _ look: (borrowing ListState) -> Result?, during search: (UntypedSnapshot) throws -> Result?
    ) throws -> Result? {
        try find(
            inHead: { head in
                let found = look(head.editor.state)
                if found == nil { try head.checkNodes() }
                return found
            }, during: search)
    }

    /// Looks a row up by its id in the newest version; while an edit is in progress, in the rows before it.
    func find<Result>(
        inHead look: (inout Head) throws -> Result, during search: (UntypedSnapshot) throws -> Result
    ) throws -> Result {
        let found = try withHead { head -> Result? in head.editor.isEditing ? nil : try look(&head) }
        if let found { return found }
        let rows = try snapshot
        do { return try rows.checked { try search(rows) } } catch { throw ListError(error.ofRows) }
    }

    /// Reads the newest version, by id or otherwise, under the store's lock, so all reads are of one version.
    ///
    /// ```swift
    /// let parent = try store.read { try $0.parent(of: 7) }
    /// ```
    ///
    /// - Parameter body: reads; see ``RowLookup``. It must not use the store itself.
    /// - Throws: ``ListError/closed``, an error of damaged nodes, and what `body` throws.
    /// - Complexity: that of `body`. It waits for an edit in progress, and edits wait for it.
    public func read<Result>(_ body: (borrowing ListState) throws -> Result) throws -> Result {
        let result = try withTurn { head in
            let result = Swift.Result { try body(head.editor.state) }
            // A row may not be found because it cannot be read: report the damage instead.
            try head.checkNodes()
            return result
        }
        return try passing { try result.get() }
    }

    /// The index of the section of an id in the newest version, or nil if there is none.
    ///
    /// - Complexity: O(log s) expected, for s sections; O(s) while an edit is in progress, as there is no index of those before it.
    public func indexOfSection(_ id: UntypedID) throws -> Int? {
        try find { state in
            state.indexOfSection(id)
        } during: { rows in
            rows.sections.firstIndex { $0.id == id }
        }
    }

    /// The id of the section that a row is in, in the newest version, or nil if there is no such row.
    ///
    /// - Complexity: as ``item(_:)``.
    public func sectionID(containing id: UntypedID) throws -> UntypedID? {
        try find { state in
            state.sectionID(containing: id)
        } during: { rows in
            rows.indexPath(of: id).map { rows.sections[$0.section].id }
        }
    }

    /// The row of an id in the newest version, or nil if there is none.
    ///
    /// - Complexity: O(log n) expected; O(n) while an edit is in progress, because there is no index of the rows before it.
    public func item(_ id: UntypedID) throws -> UntypedRow? {
        try find { state in
            state.item(id)
        } during: { rows in
            rows.indexPath(of: id).flatMap { rows.item(at: $0) }
        }
    }

    /// Reads the content of rows and the commits of the past.
    public var source: any CommitSource { group }
}
