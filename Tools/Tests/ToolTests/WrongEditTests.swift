// Tests that one wrong edit among very many is found, by each of the commands that look for one.

import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@Suite struct WrongEditTests {
    private let folder: TemporaryFolder
    private let path: String
    /// The version after the wrong edit.
    private let wrong: Version

    private static let rowCount = 2_000
    private static let editCount = 100_000
    /// How many edits are one commit.
    private static let commitSize = Soak.isEnabled ? 1 : 20
    /// The row that the wrong edit renames.
    private static let spoiled: Int64 = 700

    /// Makes a store whose rows are moved, checked and renamed. Only the wrong edit renames its row.
    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("store")
        var options = StoreOptions()
        options.durability = .deferred
        let store = try UntypedStore.create(at: path, options: options)
        defer { try? store.close() }
        func content(_ title: String) -> [UInt8] { Array(#"{"title":"\#(title)"}"#.utf8) }
        try store.edit("Fill") { list in
            let rows = (0..<Self.rowCount).map { NewRow(id: .integer(Int64($0)), content: content("Row \($0)")) }
            try list.insertSection(NewSection(id: "today", title: "Today", items: rows))
        }
        var random = SeededGenerator(seed: 21)
        var wrong = Version.empty
        let turn = Self.editCount * 2 / 5
        for start in stride(from: 0, to: Self.editCount, by: Self.commitSize) {
            try store.edit(start == turn ? "Tidy up" : "Edit") { list in
                if start == turn { try list.update(.integer(Self.spoiled), content: content("Spoiled")) }
                for index in start..<start + Self.commitSize {
                    let row = Int64(Int.random(in: 0..<Self.rowCount, using: &random))
                    switch index % 3 {
                    case 0: try list.toggle(.item(.integer(row)))
                    case 1: try list.move(.item(.integer(row)), to: .section("today", at: 0))
                    default:
                        let updated = row == Self.spoiled ? 0 : row
                        try list.update(.integer(updated), content: content("Row \(row), \(index)"))
                    }
                }
            }
            if start == turn { wrong = try store.version }
        }
        self.wrong = wrong
    }

    private func json(_ arguments: String...) throws -> JSONValue {
        let result = try ToolProcess(arguments + ["--json"]).finish()
        try #require(result.status == .success, "\(result.errors)")
        return try #require(try result.json().first)
    }

    @Test func `One wrong edit among very many is found by bisect, by blame and by why`() throws {
        let (row, version) = (String(Self.spoiled), JSONValue.integer(Int64(wrong.rawValue)))
        let bisected = try json("bisect", path, "--where", "contains spoiled")
        #expect(bisected["first"] == version && bisected["last"] == version)
        let place = try #require(
            try UntypedStore.open(at: path).snapshot.sections[0].items.firstIndex { $0.id == .integer(Self.spoiled) })
        let blamed = try json("blame", path, "--skip", "\(place)", "--limit", "1")
        #expect(blamed["row"]?["id"] == .integer(Self.spoiled) && blamed["updated"]?["version"] == version)
        #expect(blamed["updated"]?["name"] == "Tidy up")
        let explained = try json("why", path, row)
        #expect(explained["commits"]?["updated"]?["version"] == version)
        #expect(explained["previousContent"]?["title"] == .string("Row \(row)"))
        // The control: the newest commits of the row are others, so the wrong one is not found by looking at the last.
        #expect(try json("history", path, row)["version"] != version)
    }
}
