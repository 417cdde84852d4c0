// Tests what is remembered of commits that were made again: enough for rows that are still shown, and no more.

import TestSupport
import Testing

@testable import ListModel
@testable import Listory

@Suite("Contents of commits that were made again")
struct SupersededContentsTests {
    private func reference(_ number: Int, in version: UInt64) -> ContentReference {
        ContentReference(version: Version(version), offset: UInt32(number), length: 1, hash: 1)
    }

    @Test("The newest places are known, and not all that ever were")
    func places() {
        let contents = SupersededContents()
        let count = SupersededContents.placeCount
        for number in 0..<4 * count { contents.note([reference(number, in: 1): reference(number, in: 2)], []) }
        for number in [3 * count, 4 * count - 1] {
            #expect(contents.place(of: reference(number, in: 1)) == reference(number, in: 2))
        }
        for number in [0, 2 * count - 1] { #expect(contents.place(of: reference(number, in: 1)) == nil) }
    }

    @Test("A view reads its rows again before the places of their contents are forgotten")
    func view() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try store.edit("Add") { editor in
            let rows = [NewRow(id: 1, content: [1]), NewRow(id: 2, content: [2])]
            try editor.insertSection(NewSection(id: "s", items: rows))
        }
        let view = try UntypedLiveList(of: store, [.visibleRows])
        // The content is elsewhere now, and the row is the same.
        try store.edit("Change") { try $0.update(.integer(1), content: [3]) }
        try store.edit("Change back") { try $0.update(.integer(1), content: [1]) }
        let path = ListIndexPath(section: 0, item: 0)
        func places() throws -> [ContentReference?] {
            [try view.snapshot.item(at: path)?.content, try store.snapshot.item(at: path)?.content]
        }
        var found = try places()
        #expect(found[0] != found[1], "the view has no reason to change the row")
        for number in 0...SupersededContents.placeCount {
            store.group.superseded.note([reference(number, in: 1): reference(number, in: 2)], [])
        }
        try store.edit("Check") { try $0.toggle(.item(2)) }
        found = try places()
        #expect(found[0] == found[1])
        #expect(try view.snapshot.stateHash == store.snapshot.stateHash)
    }

    @Test("Of commits that are nowhere else, the newest are kept, as many as fit")
    func commits() throws {
        var list = KeptList()
        let content = [UInt8](repeating: 7, count: 3 << 20)
        let contents = SupersededContents()
        var references: [ContentReference] = []
        for number: Int64 in 0..<8 {
            let commit = try list.commit { editor in
                if number == 0 { try editor.insertSection(NewSection(id: "s")) }
                try editor.insert(NewRow(id: .integer(number), content: content), at: .end(ofSection: "s"))
            }
            let row = list.editor.state.item(.integer(number))
            references.append(try #require(row).content)
            contents.note([:], [try #require(commit)])
        }
        #expect(
            references.map { contents.bytes(of: $0) != nil } == [false, false, false, true, true, true, true, true])
    }
}
