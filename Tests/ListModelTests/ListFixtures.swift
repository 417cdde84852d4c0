// Small lists for the tests, and checks of their edits.

import ListModel
import TestSupport
import Testing

extension ListIndexPath {
    init(_ section: Int, _ item: Int) { self.init(section: section, item: item) }
}

extension MemoryList {
    /// A list of sections of these rows, made by one commit.
    init(_ rows: [[Int]], limits: TreeLimits = TreeLimits(leafCapacity: 4, innerCapacity: 4)) throws {
        self.init(limits: limits)
        if rows.isEmpty { return }
        try commit("fill") { editor in
            for (index, section) in rows.enumerated() { try editor.insertSection(NewSection(index, section)) }
        }
    }

    /// The ids of all rows.
    mutating func ids() -> [[UntypedID]] { snapshot().ids }

    /// The ids of the sections.
    mutating func sectionIDs() -> [UntypedID] { snapshot().sections.map(\.id) }

    /// The events of a commit of the edits in `body`; none if nothing changed.
    mutating func events(_ body: (inout UntypedEditor) throws -> Void) throws -> [ListEvent] {
        try commit("edit", body)?.events() ?? []
    }

    /// Expects that `body` throws this error and changes nothing: neither the rows nor the events of the commit so far.
    mutating func expectError(
        _ expected: ListError, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (inout UntypedEditor) throws -> Void
    ) throws {
        let (before, version, head) = (try contents(), editor.state.version, log.head)
        let made = try commit("spoiled") { editor in
            try editor.insertSection(NewSection(id: "pending", items: [NewRow(id: "pending", content: [1])]))
            let (pending, hash) = (editor.pendingEventCount, editor.snapshot().stateHash)
            var thrown: ListError?
            do { try body(&editor) } catch let error as ListError { thrown = error }
            #expect(thrown == expected, sourceLocation: sourceLocation)
            #expect(editor.pendingEventCount == pending, sourceLocation: sourceLocation)
            #expect(editor.snapshot().stateHash == hash, sourceLocation: sourceLocation)
            try editor.checkInvariants()
        }
        // The error is caught inside the commit: the edits before it are committed.
        let events = try #require(made, sourceLocation: sourceLocation).events()
        #expect(events.count == 1, sourceLocation: sourceLocation)
        #expect(editor.state.indexOfSection("pending") != nil, sourceLocation: sourceLocation)
        try undo()
        #expect(try contents() == before, sourceLocation: sourceLocation)
        // The error is thrown out of the commit: nothing is committed.
        let error = #expect(throws: ListError.self, sourceLocation: sourceLocation) {
            try commit("spoiled") { editor in
                try editor.insertSection(NewSection(id: "pending", items: [NewRow(id: "pending", content: [1])]))
                try body(&editor)
            }
        }
        #expect(error == expected, sourceLocation: sourceLocation)
        #expect(try contents() == before, sourceLocation: sourceLocation)
        #expect(editor.pendingEventCount == 0 && !editor.isEditing, sourceLocation: sourceLocation)
        #expect(editor.state.version.rawValue == version.rawValue + 2, sourceLocation: sourceLocation)
        #expect(log.head.rawValue == head.rawValue + 2, sourceLocation: sourceLocation)
        try editor.checkInvariants()
    }
}

extension UntypedSnapshot {
    /// The ids of all rows.
    var ids: [[UntypedID]] { sections.map { $0.items.map(\.id) } }
}
