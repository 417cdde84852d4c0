// Tests `listory edit` in a pseudo-terminal, with keys, as a user sees it.

import Foundation
import ListModel
import Listory
import TerminalKit
import TerminalTestSupport
import TestSupport
import Testing

@testable import ToolSupport

@Suite(.serialized) struct EditCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        (folder, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"today","title":"Today"}}
            {"insert":{"id":7,"content":{"id":7,"amount":2,"title":"Milk \\u001b[31m\\u202e"},"section":"today"}}
            {"insert":{"id":8,"content":"Tea","section":"today"}}
            {"insert":{"id":9,"content":[1],"section":"today"}}
            {"insertSection":{"id":"done","title":"Done"}}

            """)
    }

    /// The editor of a store in a window of a size, once it shows its keys.
    private func edit(_ store: String, _ size: Size) throws -> PseudoTerminal {
        try PseudoTerminal(
            [ToolProcess.executable("listory").path, "edit", store], size: size, waitingFor: "q quit")
    }

    private func rows() throws -> [JSONValue] {
        let sections = try ToolProcess.run("show", store, "--json").json()[0]["sections"]
        return (0..<2).compactMap { sections?[$0]?["items"] }
    }

    @Test func `Rows are checked, added, changed, moved, deleted and undone`() throws {
        let terminal = try edit(store, Size(columns: 100, rows: 12))
        #expect(terminal.screen.lines[1].hasPrefix("  [ ] Milk \\u{1B}[31m\\u{202E}"))
        terminal.send("\u{1B}[B ")
        try terminal.wait("a checkmark") { $0.lines[1].hasPrefix("  [x] Milk") }
        terminal.send("aOat\r")
        try terminal.wait("a row") { $0.lines[2] == "  [ ] Oat" && $0.text.contains("4 rows") }
        terminal.send("\r milk\r")
        try terminal.wait("its text") { $0.lines[2] == "  [ ] Oat milk" }
        terminal.send("\u{1B}[1;3B\u{1B}[1;3B\u{1B}[1;3B")
        try terminal.wait("the other section") { $0.lines[4] == "Done" && $0.lines[5] == "  [ ] Oat milk" }
        terminal.send("\u{1B}[H\u{1B}[B\u{1B}[Bd")
        try terminal.wait("a row less") { $0.text.contains("3 rows") && !$0.text.contains("Tea") }
        terminal.send("u")
        try terminal.wait("the undo") { $0.lines[2] == "  [ ] Tea" && $0.styles[2][2].contains("7") }
        terminal.send("r")
        try terminal.wait("the redo") { !$0.text.contains("Tea") }
        // A content that is no text.
        terminal.send("\r")
        try terminal.wait("a message") { $0.text.contains("expected a content that is a text or has a title") }
        terminal.send("q")
        #expect(try terminal.finish() == 0 && terminal.settings == terminal.firstSettings)
        #expect(terminal.screen.unknown == [])
        let (today, done) = (try rows()[0], try rows()[1])
        #expect(today[0]?["checked"] == .bool(true) && today[1]?["id"] == .integer(9) && today[2] == nil)
        // A new row is like its neighbour, with an id of its own that no row has had.
        #expect(done[0]?["id"] == 10)
        #expect(done[0]?["content"].map(JSONValue.text) == #"{"amount":2,"id":10,"title":"Oat milk"}"#)
    }

    @Test func `A row moves, indents and is deleted with the rows below it`() throws {
        let terminal = try edit(store, Size(columns: 80, rows: 12))
        // Tea below Milk, as the first row it has.
        terminal.send("\u{1B}[B\u{1B}[B\t")
        try terminal.wait("Tea below Milk") { $0.lines[2] == "    [ ] Tea" }
        terminal.send(">")
        try terminal.wait("a refusal") { $0.text.contains("8 has no sibling before it") }
        terminal.send("J")
        try terminal.wait("a refusal") { $0.text.contains("Shift+Tab moves it out") }
        // Milk and Tea beyond the last row, and into the empty section.
        terminal.send("\u{1B}[AJ")
        try terminal.wait("Milk and Tea at the end") { $0.lines[1] == "  [ ] [1]" && $0.lines[3] == "    [ ] Tea" }
        terminal.send("J")
        try terminal.wait("Milk and Tea in the other section") { $0.lines[2] == "Done" && $0.lines[4] == "    [ ] Tea" }
        terminal.send("\u{1B}[B\u{1B}[Z")
        try terminal.wait("Tea beside Milk") { $0.lines[4] == "  [ ] Tea" }
        terminal.send("K")
        try terminal.wait("Tea before Milk") { $0.lines[3] == "  [ ] Tea" && $0.styles[3][2].contains("7") }
        terminal.send("\u{1B}[B\tuKKd")
        // Undone; then Milk before Tea, in the first section, deleted.
        try terminal.wait("Tea alone in the other section") {
            $0.text.contains("2 rows") && $0.lines[2] == "Done" && $0.lines[3] == "  [ ] Tea"
        }
        // Sections move, are renamed and deleted with their rows.
        terminal.send("\u{1B}[H\rX\u{1B}[HOn \r")
        try terminal.wait("a new title") { $0.lines[0] == "On TodayX" }
        terminal.send("J")
        try terminal.wait("the other section first") { $0.lines[0] == "Done" && $0.lines[2] == "On TodayX" }
        terminal.send("sLast\r")
        try terminal.wait("a section") { $0.lines[4] == "Last" }
        terminal.send("\u{1B}[Hd")
        try terminal.wait("a section less") { $0.lines[0] == "On TodayX" && $0.text.contains("1 rows") }
        terminal.kill(SIGTERM)
        #expect(terminal.settings == terminal.firstSettings && terminal.screen.unknown == [])
        #expect(try rows()[0][0]?["id"] == 9)
        #expect(try ToolProcess.run("verify", store).status == .success)
    }

    @Test func `A text that is typed is changed where the caret is`() {
        var typed = TypedText("ab")
        for key in [
            Key.left, .text("日"), .text("e"), .text("\u{301}"), .paste("1\n2"), .home, .delete, .right, .backspace,
        ] {
            typed.press(key)
        }
        #expect(typed.text == "é1 2b" && typed.caret == 0)
        for key in [Key.end, .left, .control("k"), .left, .control("u"), .backspace, .left] { typed.press(key) }
        #expect(typed.text == "2" && typed.caret == 0)
        let long = TypedText("12日456")
        #expect(long.shown(width: 5).column == 3 && long.shown(width: 5).glyphs.map(\.text) == ["4", "5", "6"])
        #expect(long.shown(width: 0).column == 0 && long.shown(width: 0).glyphs.isEmpty)
    }

    @Test func `An edit of another process moves neither the cursor nor what is typed to another row`() throws {
        let terminal = try edit(store, Size(columns: 80, rows: 12))
        terminal.send("\u{1B}[B\u{1B}[B\r")
        try terminal.wait("the text") { $0.text.contains("Change to: Tea") }
        let insert = #"{"insert":{"id":20,"content":"New","section":"today","at":0}}"# + "\n"
        _ = try ToolProcess.run("exec", store, input: insert)
        terminal.send("s\r")
        try terminal.wait("both") { $0.lines[1] == "  [ ] New" && $0.lines[3] == "  [ ] Teas" }
        #expect(terminal.screen.styles[3][2].contains("7"))
        _ = try ToolProcess.run("exec", store, input: #"{"delete":{"id":20}}"# + "\n")
        try terminal.wait("the cursor on the same row") { $0.lines[2] == "  [ ] Teas" && $0.styles[2][2].contains("7") }
        terminal.send("q")
        #expect(try terminal.finish() == 0)
    }

    @Test func `A text that somebody else changed meanwhile is not written over, and what else changed stays`() throws {
        let terminal = try edit(store, Size(columns: 100, rows: 12))
        terminal.send("\u{1B}[B\u{1B}[B\r")
        try terminal.wait("the text") { $0.text.contains("Change to: Tea") }
        _ = try ToolProcess.run("exec", store, input: #"{"update":{"id":8,"content":"Coffee"}}"# + "\n")
        terminal.send("s\r")
        try terminal.wait("a refusal") { $0.text.contains("somebody else") && $0.lines[2] == "  [ ] Coffee" }
        terminal.send("\u{1B}[A\r")
        try terminal.wait("the text") { $0.text.contains("Change to: Milk") }
        let update = #"{"update":{"id":7,"content":{"id":7,"amount":3,"title":"Milk \u001b[31m\u202e"}}}"# + "\n"
        _ = try ToolProcess.run("exec", store, input: update)
        terminal.send("s\r")
        try terminal.wait("the new text") { $0.lines[1].hasPrefix("  [ ] Milk") && $0.lines[1].contains("s") }
        // Nor the title of a section.
        terminal.send("\u{1B}[H\r")
        try terminal.wait("the title") { $0.text.contains("Change to: Today") }
        _ = try ToolProcess.run("exec", store, input: #"{"renameSection":{"id":"today","title":"Now"}}"# + "\n")
        terminal.send("s\r")
        try terminal.wait("a refusal") { $0.text.contains("somebody else") && $0.lines[0] == "Now" }
        terminal.send("q")
        #expect(try terminal.finish() == 0)
        #expect(try rows()[0][0]?["content"]?["amount"] == 3)
    }

    @Test func `A section gets an id also if the greatest one is taken`() throws {
        let path = folder.file("greatest")
        _ = try ToolProcess.run("new", path)
        _ = try ToolProcess.run(
            "exec", path, input: #"{"insertSection":{"id":\#(Int64.max),"title":"Last"}}"# + "\n")
        let terminal = try edit(path, Size(columns: 80, rows: 12))
        terminal.send("sNew\r")
        try terminal.wait("a section") { $0.lines[1] == "New" }
        terminal.send("q")
        #expect(try terminal.finish() == 0)
        #expect(try ToolProcess.run("show", path, "--json").json()[0]["sections"]?[1]?["id"] == 1)
    }

    /// A row of an app.
    private struct Entry<ID: RowIdentifier & Codable>: Codable, Identifiable, Sendable {
        var id: ID
        var title: String
    }

    @Test func `In the store of an app, sections and rows get ids of its kinds, also the first ones`() throws {
        func check<SectionID: SectionIdentifier, ID: RowIdentifier & Codable>(
            _ sections: SectionID.Type, _ rows: ID.Type
        ) throws {
            let path = folder.file("\(sections)-\(rows)")
            try ListStore<SectionID, Entry<ID>>.open(at: path, createIfMissing: true).close()
            let editor = try ListEditor(UntypedStore.open(at: path), title: "app", size: Size(columns: 80, rows: 12))
            for text in ["sA", "aB", "aC", "sD"] {
                for key in text { editor.press(.text(String(key))) }
                editor.press(.enter)
                #expect(editor.message == nil, "\(path)")
            }
            #expect(editor.rows.sections.map(\.title) == ["A", "D"], "\(path)")
            #expect(editor.rows.sections.map(\.id.kind) == [SectionID.kind, SectionID.kind], "\(path)")
            #expect(editor.rows.sections.flatMap { $0.items.map(\.id.kind) } == [ID.kind, ID.kind], "\(path)")
            try editor.close()
            // Integers are the ids of lists of the tool as well, whose contents have none.
            if ID.kind == .integer { return }
            let store = try ListStore<SectionID, Entry<ID>>.open(at: path)
            #expect(try store.snapshot.rows.map { $0.item?.title } == ["B", "C"], "\(path)")
            try store.close()
        }
        try check(UUID.self, UUID.self)
        try check(Int.self, String.self)
        try check(String.self, Int.self)
    }

    @Test func `A list without sections and rows is begun`() throws {
        let path = folder.file("empty")
        _ = try ToolProcess.run("new", path)
        let terminal = try edit(path, Size(columns: 80, rows: 8))
        terminal.send("\u{1B}[B d\rJ>u/x\rn")
        terminal.send("aMilk\r")
        try terminal.wait("a message") { $0.text.contains("press s") }
        terminal.send("sToday\r")
        try terminal.wait("a section") { $0.lines[0] == "Today" }
        terminal.send("aMilk\r")
        try terminal.wait("a row") { $0.lines[1] == "  [ ] Milk" }
        terminal.send("q")
        #expect(try terminal.finish() == 0)
        #expect(
            try ToolProcess.run("show", path, "--row", "1", "--json").json()[0]["row"]?["content"]?["title"] == "Milk")
    }

    @Test func `The past is looked at and restored, and words are found`() throws {
        let terminal = try edit(store, Size(columns: 90, rows: 10))
        terminal.send("\u{1B}[D\u{1B}[D")
        try terminal.wait("version 3") { $0.text.contains("version 3") && !$0.text.contains("Done") }
        terminal.send("\u{1B}[C")
        try terminal.wait("version 4") { $0.text.contains("version 4") }
        terminal.send("\u{1B}[D\u{1B}[D\r")
        try terminal.wait("the rows of version 2") { $0.text.contains("1 rows   version 6") }
        terminal.send("u")
        try terminal.wait("the undo") { $0.text.contains("3 rows") && $0.text.contains("Done") }
        terminal.send("/TEA\r")
        try terminal.wait("the row") { $0.styles[2].contains { $0.contains("7") } }
        // Another process edits.
        _ = try ToolProcess.run("exec", store, input: #"{"renameSection":{"id":"done","title":"Finished"}}"# + "\n")
        try terminal.wait("the edit of the other") { $0.text.contains("Finished") }
        terminal.resize(to: Size(columns: 20, rows: 3))
        try terminal.wait("the line of the cursor") { $0.lines[0].contains("Tea") }
        terminal.send("?")
        try terminal.wait("the keys") { $0.lines[0] == "Keys" }
        terminal.send("qq")
        #expect(try terminal.finish() == 0)
        #expect(terminal.screen.unknown == [])
    }

    @Test func `Without a terminal or a store it is refused`() throws {
        let result = try ToolProcess.run("edit", store)
        #expect(result.status == .refused && result.errors.contains("expected a terminal"), "\(result.errors)")
        let tool = try ToolProcess.executable("listory").path
        let terminal = try PseudoTerminal([tool, "edit", folder.file("none")], waitingFor: nil)
        #expect(try terminal.finish() == ExitStatus.unusable.rawValue << 8)
    }

    @Test func `A content keeps what is not its text`() {
        func changed(_ old: String, _ text: String) -> String? {
            EditableContent.content(text, like: Array(old.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(changed(#"{"title":"a","x":[1.50]}"#, "b") == #"{"title":"b","x":[1.5]}"#)
        #expect(changed(#""a""#, "b\"") == #""b\"""#)
        #expect(changed("plain", "text") == "text")
        #expect(changed("", "text") == "text")
        #expect(changed("[1]", "text") == nil && changed(#"{"name":"a"}"#, "text") == nil)
        let envelope = ContentEnvelope(version: 3, content: Array(#"{"title":"a"}"#.utf8)).bytes
        let new = EditableContent.content("b", like: envelope)
        #expect(new == ContentEnvelope(version: 3, content: Array(#"{"title":"b"}"#.utf8)).bytes)
        #expect(EditableContent.text(of: envelope) == "a" && EditableContent.text(of: [0xFF]) == nil)
    }
}
