// Tests that undo and redo name the rows that are there. Equal rows may have their contents in different places; if the rows
// of then were named, the places would depend on the way to a version.

@testable import ListModel
import TestSupport
import Testing

@Suite("Undo and redo name the rows that are there")
struct NamedRowTests {
    /// What a step does to row 2, whose content is that of version 1 before.
    enum Step: CaseIterable {
        case update, delete, deleteSection, reload

        func make(_ editor: inout UntypedEditor) throws {
            switch self {
            case .update: try editor.update(2, content: [7])
            case .delete: try editor.delete(.item(2))
            case .deleteSection: try editor.deleteSection(.section("s0"))
            case .reload: try editor.reload([NewSection(id: "new", title: "New", items: [])])
            }
        }
    }

    /// Writes the content of row 2 again, in commits that undo does not look at, so that it is equal and in another place.
    private func rewrite(_ list: inout KeptList, _ content: [UInt8]) throws {
        try list.commit(tracking: .untracked) { try $0.update(2, content: [99]) }
        try list.commit(tracking: .untracked) { try $0.update(2, content: content) }
    }

    private func content(_ list: inout KeptList) throws -> [UInt8] {
        let row = try #require(list.editor.snapshot().sections[0].items.first { $0.id == 2 })
        return try list.log.content(of: row.content)
    }

    @Test("A step that is undone and redone after equal contents came to other places", arguments: Step.allCases)
    func places(step: Step) throws {
        var list = KeptList()
        try list.commit { try $0.insertSection(NewSection(0, [1, 2, 3])) }
        let first = try content(&list)
        try list.commit { try step.make(&$0) }
        if step == .update { try rewrite(&list, [7]) }
        _ = try list.undo()
        try rewrite(&list, first)
        _ = try list.redo()
        if step == .update { try rewrite(&list, [7]) }
        _ = try list.undo()
        // The rows of every version are the same, with their contents in the same places, forward and backward.
        var forward = ListState()
        var (rows, checksum): ([[UntypedRow]], UInt64) = ([], 0)
        for number in 1...list.editor.state.version.rawValue {
            let record = try list.log.commit(Version(number)).record
            checksum = try record.withUnsafeBytes { try forward.replay($0, previousChecksum: checksum) }
            rows.append(forward.snapshot().sections.flatMap { Array($0.items) })
        }
        for number in stride(from: list.editor.state.version.rawValue, to: 1, by: -1) {
            let record = try list.log.commit(Version(number)).record
            try record.withUnsafeBytes { try forward.unreplay($0) }
            let found = forward.snapshot().sections.flatMap { Array($0.items) }
            let expected = rows[Int(number) - 2]
            #expect(found == expected, "\(step), version \(number - 1)")
            #expect(found.map(\.content.version) == expected.map(\.content.version), "\(step), version \(number - 1)")
        }
    }
}
