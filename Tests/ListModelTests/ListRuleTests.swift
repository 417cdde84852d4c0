// Tests the rules of an app: which commits break them, and which do not.

@testable import ListModel
import TestSupport
import Testing

@Suite("Rules")
struct ListRuleTests {
    private static let unique = ListRule.unique("content") { Array($0) }

    @Test("Rows that have had one key since before a rule may be checked, moved, indented and collapsed")
    func oldDuplicates() throws {
        var list = try MemoryList([[]])
        try list.commit { editor in
            let rows = [NewRow(1, content: 7), NewRow(2, content: 7), NewRow(3)]
            try editor.insert(rows, at: .end(ofSection: "s0"))
        }
        list.editor.rules = [Self.unique]
        try list.commit { try $0.toggle(.item(1)) }
        try list.commit { try $0.move(.item(2), to: .before(1)) }
        try list.commit { try $0.changeDepth(of: .item(1), by: 1) }
        try list.commit { try $0.setCollapsed(true, for: 2) }
        try list.commit { editor in
            try editor.toggle(.item(2))
            try editor.update(3, content: [8])
        }
        #expect(list.ids() == [[2, 1, 3]])
        // But no row is given their key.
        #expect(throws: ListError.brokenRule(name: "unique content", reason: "rows 2 and 3")) {
            try list.commit { try $0.update(3, content: [7]) }
        }
        #expect(throws: ListError.brokenRule(name: "unique content", reason: "rows 2 and 4")) {
            try list.commit { try $0.insert(NewRow(4, content: 7), at: .end(ofSection: "s0")) }
        }
        try list.commit { try $0.update(1, content: [9]) }
    }

    @Test("A row whose content was erased has no key, and keeps no other row from being inserted")
    func erasedContents() throws {
        var list = try MemoryList([[1, 2]])
        let erased = list.snapshot().sections[0].items[0].content.erased
        list.editor.rules = [Self.unique]
        try list.commit { try $0.delete(.item(1)) }
        // As an undo does after the content was erased.
        try list.commit { editor in
            let row = UntypedRow(id: 1, isChecked: false, content: erased)
            try editor.append(.itemsInserted(at: ListIndexPath(0, 0), .one(row)))
        }
        try list.commit { try $0.insert(NewRow(3), at: .after(2)) }
        #expect(list.ids() == [[1, 2, 3]])
        #expect(throws: ListError.brokenRule(name: "unique content", reason: "rows 2 and 4")) {
            try list.commit { try $0.insert(NewRow(4, content: 2), at: .after(3)) }
        }
        // It has its key again if an equal content is written, unless another row has the key by then.
        try list.commit { try $0.insert(NewRow(5, content: 1), at: .after(3)) }
        #expect(throws: ListError.brokenRule(name: "unique content", reason: "rows 5 and 1")) {
            try list.commit { try $0.update(1, content: [1]) }
        }
        try list.commit { try $0.delete(.item(5)) }
        try list.commit { try $0.update(1, content: [1]) }
        #expect(throws: ListError.brokenRule(name: "unique content", reason: "rows 1 and 6")) {
            try list.commit { try $0.insert(NewRow(6, content: 1), at: .after(3)) }
        }
    }
}
