// Tests commits: edits that make no commit, commits that are cancelled, and atomicity.

@testable import ListModel
import TestSupport
import Testing

@Suite("Commits")
struct CommitTests {
    private struct Abandoned: Error {}

    private static let draft = CommitDraft(name: "draft", origin: "test", time: Timestamp(microseconds: 5))

    @Test("Edits that change nothing append no event, and alone make no commit")
    func edits() throws {
        var list = try MemoryList([[1, 2, 3], [4]])
        try list.commit { try $0.setChecked(true, for: .item(2)) }
        let (version, hash, head) = (list.editor.state.version, list.snapshot().stateHash, list.log.head)
        let present = try list.contents().sections.map { section in
            NewSection(
                id: section.id, title: section.title,
                items: section.items.map {
                    NewRow(
                        id: $0.id, isChecked: $0.isChecked, content: $0.content, depth: $0.depth,
                        isCollapsed: $0.isCollapsed)
                })
        }
        let nothing: [@Sendable (inout UntypedEditor) throws -> Void] = [
            { _ in }, { try $0.insert([], at: .end(ofSection: "s0")) },
            { try $0.delete(.items([])) }, { try $0.delete(.run(ListIndexPath(0, 0), count: 0)) },
            { try $0.move(.item(2), to: .at(ListIndexPath(0, 1))) }, { try $0.move(.item(2), to: .after(1)) },
            { try $0.move(.item(2), to: .before(3)) }, { try $0.move(.item(3), to: .end(ofSection: "s0")) },
            { try $0.move(.run(ListIndexPath(0, 0), count: 3), to: .section("s0", at: 0)) },
            { try $0.move(.items([2, 3]), to: .after(1)) }, { try $0.move(.items([]), to: .after(1)) },
            { try $0.setChecked(true, for: .item(2)) }, { try $0.setChecked(false, for: .items([1, 3, 4])) },
            { try $0.toggle(.items([])) },
            { try $0.update(3, content: [3]) }, { try $0.update(at: ListIndexPath(1, 0), content: [4]) },
            { try $0.moveSection(.at(0), to: .at(0)) }, { try $0.moveSection(.section("s0"), to: .before("s1")) },
            { try $0.moveSection(.section("s1"), to: .end) }, { try $0.renameSection(.at(1), to: "s1") },
            { try $0.reload(present) },
        ]
        for (index, body) in nothing.enumerated() {
            let made = try list.commit { editor in
                try body(&editor)
                #expect(editor.pendingEventCount == 0, "edit \(index)")
            }
            #expect(made == nil, "edit \(index)")
            #expect(list.editor.isEditing == false, "edit \(index)")
        }
        #expect(list.editor.state.version == version)
        #expect(list.snapshot().stateHash == hash)
        #expect(list.log.head == head)
        // An edit that changes something, among edits that change nothing, is the only event.
        let events = try list.events { editor in
            for body in nothing { try body(&editor) }
            try editor.insert(NewRow(9), at: .after(4))
            // All but the reload, which would remove the new row.
            for body in nothing.dropLast() { try body(&editor) }
        }
        #expect(events.count == 1)
        #expect(list.ids() == [[1, 2, 3], [4, 9]])
    }

    @Test("A reload with any difference is an event", arguments: 0..<7)
    func reloadThatDiffers(difference: Int) throws {
        var list = try MemoryList([[1, 2], [3]])
        var sections = [NewSection(0, [1, 2]), NewSection(1, [3])]
        #expect(try list.events { try $0.reload(sections) }.isEmpty)
        switch difference {
        case 0: sections[1].title = "other"
        case 1: sections[1].id = "other"
        case 2: sections[0].items[1].content = [7]
        case 3: sections[0].items[1].isChecked = true
        case 4: sections[0].items.swapAt(0, 1)
        case 5: sections[1].items = []
        default: sections.append(NewSection(2))
        }
        #expect(try list.events { try $0.reload(sections) }.count == 1)
    }

    @Test("An update is compared with content that was written in the same commit")
    func sameContentWithinACommit() throws {
        var list = try MemoryList([[1]])
        let events = try list.events { editor in
            try editor.insert(NewRow(id: 2, content: [1, 2, 3]), at: .after(1))
            try editor.update(2, content: [1, 2, 3])
            try editor.update(2, content: [1, 2, 4])
            try editor.update(2, content: [1, 2, 4])
        }
        #expect(events.count == 2)
        #expect(try list.contents().item(at: ListIndexPath(0, 1)).content == [1, 2, 4])
    }

    @Test("Contents of equal hash are still compared byte for byte")
    func collidingContents() throws {
        let (written, wanted): ([UInt8], [UInt8]) = ([1, 2, 3], [7, 8, 9])
        // A log whose only record has the written bytes; the row has the hash of other bytes.
        let source = ArraySource(records: [written])
        let reference = ContentReference(
            version: Version(1), offset: 0, length: 3, hash: wanted.withUnsafeBytes { ContentReference.hash(of: $0) })
        var state = ListState()
        let row = UntypedRow(id: 1, isChecked: false, content: reference)
        try state.apply(.sectionInserted(at: 0, ListSection(id: "s0", title: "", items: [row])))
        state.version = Version(1)
        var editor = UntypedEditor(state, source: source)
        let wantedIsThere = try wanted.withUnsafeBytes { try editor.isContent(reference, equalTo: $0) }
        #expect(!wantedIsThere)
        let made = try editor.commit(Self.draft) { try $0.update(1, content: wanted) }
        let commit = try #require(made)
        #expect(commit.eventCount == 1)
        let content = try #require(editor.state.item(1)?.content)
        #expect(try ArraySource(records: [written, commit.record]).content(of: content) == wanted)
    }

    @Test("If the log cannot return the old content, an update throws and changes nothing")
    func missingContent() throws {
        var list = try MemoryList([[1]])
        let snapshot = list.snapshot()
        let reference = try #require(snapshot.item(at: ListIndexPath(0, 0))).content
        var state = ListState()
        let row = UntypedRow(id: 1, isChecked: false, content: reference)
        try state.apply(.sectionInserted(at: 0, ListSection(id: "s0", title: "s0", items: [row])))
        state.version = Version(1)
        var editor = UntypedEditor(state, source: ArraySource())
        #expect(throws: ArraySource.Missing.self) {
            _ = try editor.commit(Self.draft) { try $0.update(1, content: [1]) }
        }
        #expect(editor.snapshot().stateHash == snapshot.stateHash)
        #expect(editor.isEditing == false)
    }

    @Test("A cancelled commit leaves the rows from before", arguments: 1...20 as ClosedRange<UInt64>)
    func cancel(seed: UInt64) throws {
        var list = MemoryList(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        var edits = RandomEdits(seed: seed)
        var reference = ReferenceList()
        for round in 0..<25 {
            var pending = reference
            let count = Int.random(in: 0...30, using: &edits.generator)
            try list.editor.begin(Self.draft)
            #expect(list.editor.isEditing == true)
            for _ in 0..<count {
                let operation = edits.next(pending)
                let isValid = (try? pending.apply(operation)) != nil
                let isDone = (try? list.editor.apply(operation)) != nil
                try #require(isValid == isDone, "seed \(seed), round \(round): \(operation)")
            }
            if edits.generator.oneIn(2) {
                list.editor.cancel()
            } else {
                if let commit = try list.editor.finish() { list.log.append(commit) }
                reference = pending
            }
            #expect(!list.editor.isEditing && list.editor.pendingEventCount == 0)
            try #require(try list.contents() == reference, "seed \(seed), round \(round)")
            #expect(list.editor.state.version == list.log.head, "seed \(seed), round \(round)")
            try list.editor.checkInvariants()
        }
    }

    @Test("A body that throws any error cancels its commit")
    func bodyThrows() throws {
        var list = try MemoryList([[1, 2]])
        let before = list.snapshot()
        #expect(throws: Abandoned.self) {
            try list.commit { editor in
                try editor.delete(.item(1))
                try editor.insertSection(NewSection(5, [8, 9]))
                throw Abandoned()
            }
        }
        #expect(list.snapshot().stateHash == before.stateHash && list.log.head == Version(1))
        #expect(list.editor.state.history.undoCount == 1)
        #expect(try list.events { try $0.delete(.item(1)) }.count == 1)
    }

    @Test("Several edits as one: if the last of them throws, the first has not happened either")
    func atomically() throws {
        var list = try MemoryList([[1, 2, 3], [4]])
        var middle: StateHash?
        let made = try list.commit { editor in
            try editor.insert(NewRow(7), at: .after(4))
            middle = editor.snapshot().stateHash
            #expect(throws: Abandoned.self) {
                try editor.atomically { editor in
                    try editor.delete(.items([1, 3, 7]))
                    try editor.insert([NewRow(20), NewRow(21)], at: .after(2))
                    try editor.update(20, content: [0, 0])
                    try editor.deleteSection(.at(0))
                    try editor.reload([NewSection(3, [30])])
                    #expect(editor.pendingEventCount == 8)
                    throw Abandoned()
                }
            }
            #expect(editor.pendingEventCount == 1)
            #expect(editor.snapshot().stateHash == middle)
        }
        #expect(try #require(made).events().count == 1)
        #expect(list.ids() == [[1, 2, 3], [4, 7]])
        #expect(list.snapshot().stateHash == middle)
        try list.editor.checkInvariants()
        let record = list.log.record(of: Version(2))
        #expect(try Commit(record: record, version: Version(2)).stateHash == middle)
    }

    @Test("A commit has the name, the origin and the time of its beginning")
    func draftBecomesCommit() throws {
        var list = MemoryList()
        try list.editor.begin(Self.draft)
        try list.editor.insertSection(NewSection(1))
        let made = try list.editor.finish()
        let commit = try #require(made)
        #expect(commit.name == "draft" && commit.origin == "test" && commit.time == Self.draft.time)
        #expect(commit.version == Version(1) && commit.cause == .edit && commit.eventCount == 1)
        #expect(commit.stateHash == list.snapshot().stateHash)
    }

    @Test("Commits link: each record names the checksum of the one before")
    func links() throws {
        var list = try MemoryList([[1]])
        for number in 2...5 { try list.commit { try $0.insert(NewRow(number), at: .after(1)) } }
        var previous: UInt64 = 0
        for version in 1...5 as ClosedRange<UInt64> {
            let record = list.log.record(of: Version(version))
            previous = try Commit(record: record, version: Version(version), previousChecksum: previous).checksum
            #expect(try list.log.commit(Version(version)).checksum == previous)
        }
    }

    @Test("A snapshot inside of an edit has the rows so far, under the version before it")
    func snapshotInsideAnEdit() throws {
        var list = MemoryList()
        try list.commit { try $0.insertSection(NewSection(1)) }
        try list.commit { editor in
            try editor.insertSection(NewSection(2))
            let rows = editor.snapshot()
            #expect(rows.version == Version(1) && rows.sectionCount == 2)
        }
    }
}
