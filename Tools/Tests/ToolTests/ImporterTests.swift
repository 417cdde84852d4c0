// Tests importers: they make sections and rows of a text.

import ListModel
import Listory
import Testing
@testable import ToolSupport

@Suite struct ImporterTests {
    /// The sections and rows of an importer, one line each, to compare.
    private func outline(_ list: ImportedList) -> [String] {
        list.sections.flatMap { section -> [String] in
            let name =
                switch section.name {
                case .new(let name): name
                case .named(let id): "= \(id)"
                }
            return ["\(name) | \(section.title)"]
                + section.rows.map { row in
                    let id = row.id.map { "\($0) " } ?? ""
                    let content = String(decoding: row.content, as: UTF8.self)
                    let indent = String(repeating: "  ", count: row.depth + 1)
                    let end = row.isCollapsed ? " …" : ""
                    return "\(indent)\(row.isChecked ? "x" : "-") \(id)\(content)\(end) @\(row.line)"
                }
        }
    }

    private func message(_ body: () throws -> ImportedList) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `Markdown headings become sections and items rows`() throws {
        let text = """
            - [ ] first

            # To do ##
            - [ ] milk
            * [x] bread
              - [X] nested
            1. [ ] one
            2) two
            + plain
            ## To do
            ### C#
            - [y] no box
            -
            """
        #expect(
            try outline(ImportedList(markdown: Array(text.utf8))) == [
                "items | ", #"  - {"title":"first"} @1"#,
                "to-do | To do", #"  - {"title":"milk"} @4"#, #"  x {"title":"bread"} @5"#,
                #"    x {"title":"nested"} @6"#,
                #"  - {"title":"one"} @7"#, #"  - {"title":"two"} @8"#, #"  - {"title":"plain"} @9"#,
                "to-do | To do",
                "c | C#", #"  - {"title":"[y] no box"} @12"#, #"  - {"title":""} @13"#,
            ])
    }

    @Test func `Nested items of Markdown are deeper, however far they are indented, and headings begin anew`() throws {
        let text = "- a\n    - b\n\t\t- c\n     - d\n  - e\n- f\n\t- g\n# H\n  - h\n    - i"
        #expect(
            try outline(ImportedList(markdown: Array(text.utf8))) == [
                "items | ", #"  - {"title":"a"} @1"#, #"    - {"title":"b"} @2"#, #"      - {"title":"c"} @3"#,
                #"      - {"title":"d"} @4"#, #"    - {"title":"e"} @5"#, #"  - {"title":"f"} @6"#,
                #"    - {"title":"g"} @7"#, "h | H", #"  - {"title":"h"} @9"#, #"    - {"title":"i"} @10"#,
            ])
    }

    @Test func `Rows of JSON lines have depths, and one that no row can have is an error`() throws {
        let text = #"{"content":"a","collapsed":true}"# + "\n" + #"{"id":7,"content":"b","depth":63}"#
        #expect(
            try outline(ImportedList(jsonLines: Array(text.utf8))) == [
                #"= "items" | "#, #"  - "a" … @1"#,
                String(repeating: "  ", count: 64) + #"- 7 "b" @2"#,
            ])
        for depth in ["-1", "64", "1.5", "\"1\""] {
            let line = #"{"content":"a","depth":\#(depth)}"#
            let found = message { try ImportedList(jsonLines: Array(line.utf8)) }
            #expect(found?.hasPrefix("line 1: row.depth: expected") == true, "\(String(describing: found))")
        }
    }

    @Test func `Markdown that is no list is left out and reported`() throws {
        let text = """
            A paragraph.
            #hashtag
            ---
            * * *
            ```swift
            - code
            ```
            - item
              goes on
              and on

              indented
            **bold**
            1.5 litres
            """
        let list = try ImportedList(markdown: Array(text.utf8))
        #expect(outline(list) == ["items | ", #"  - {"title":"item goes on and on"} @8"#])
        #expect(list.ignoredLines == [1, 2, 3, 4, 5, 6, 7, 12, 13, 14])
    }

    @Test func `A line that begins with code between three backticks begins no block of code`() throws {
        let text = """
            ```make``` builds it
            - first
            ~~~ of `make`
            - code
            ~~~
            - second
            """
        let list = try ImportedList(markdown: Array(text.utf8))
        #expect(outline(list) == ["items | ", #"  - {"title":"first"} @2"#, #"  - {"title":"second"} @6"#])
        #expect(list.ignoredLines == [1, 3, 4, 5])
    }

    @Test func `Every line of a text is a row`() throws {
        let list = try ImportedList(lines: Array("a\r\n\n \"b\"\nc".utf8))
        #expect(
            outline(list) == [
                "lines | ", #"  - {"title":"a"} @1"#, #"  - {"title":""} @2"#, #"  - {"title":" \"b\""} @3"#,
                #"  - {"title":"c"} @4"#,
            ])
        #expect(try outline(ImportedList(lines: [])) == [])
        #expect(try ImportedList(lines: Array("a\n".utf8)).sections[0].rows.count == 1)
        #expect(
            try ImportedList(lines: [0xEF, 0xBB, 0xBF, 0x61]).sections[0].rows[0].content
                == Array(#"{"title":"a"}"#.utf8))
    }

    @Test func `JSON lines are rows or contents`() throws {
        let text = """
            {"id":7,"content":{"title":"Milk"},"checked":true,"section":"today"}

            {"content":1}
            {"title":"Bread"}
            "plain"
            {"id":"x","content":null,"section":"today"}
            """
        #expect(
            try outline(ImportedList(jsonLines: Array(text.utf8))) == [
                #"= "today" | "#, #"  x 7 {"title":"Milk"} @1"#, #"  - "x" null @6"#,
                #"= "items" | "#, "  - 1 @3", #"  - {"title":"Bread"} @4"#, #"  - "plain" @5"#,
            ])
    }

    @Test(arguments: [
        ("1\n{", "line 2: expected JSON: "),
        (#"{"content":1,"idd":2}"#, #"line 1: row: expected one of id, content, checked, depth, "#),
        (#"{"content":1,"checked":"yes"}"#, #"line 1: row.checked: expected true or false, found the string "yes""#),
        (
            "{\"content\":1,\"id\":7}\n{\"content\":2,\"id\":7}",
            "line 2: expected an id of its own, found 7, the id of line 1"
        ),
    ])
    func `An error in JSON lines names the line`(text: String, expected: String) throws {
        let found = try #require(message { try ImportedList(jsonLines: Array(text.utf8)) })
        #expect(found.hasPrefix(expected))
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func `Values nested 100,000 deep are an error in every input of JSON`(open: String, close: String) {
        let deep = String(repeating: open, count: 100_000) + "1" + String(repeating: close, count: 100_000)
        #expect(throws: RequestError.self) {
            try ExecRequest(line: #"{"insert":{"id":1,"section":"a","content":\#(deep)}}"#.utf8)
        }
        for line in [deep, #"{"id":1,"content":\#(deep)}"#] {
            #expect(throws: ImportError.self) { try ImportedList(jsonLines: Array(line.utf8)) }
        }
        for trace in [deep, #"{"txns":\#(deep)}"#, #"{"txns":[{"patches":[[0,0,\#(deep)]]}]}"#] {
            #expect(throws: ImportError.self) { try EditingTrace(json: Array(trace.utf8)) }
        }
    }

    @Test func `Items that are nested too deep get the greatest depth; a stated depth that is greater is an error`()
        throws
    {
        let text = (0..<1_500).map { String(repeating: " ", count: $0) + "- x" }.joined(separator: "\n")
        let depths = try ImportedList(markdown: Array(text.utf8)).sections[0].rows.map(\.depth)
        #expect(depths == (0..<1_500).map { min($0, UntypedRow.maximumDepth) })
        for depth in ["64", "100000", "9223372036854775807", "9223372036854775808", "-1"] {
            #expect(throws: ImportError.self) {
                try ImportedList(jsonLines: Array(#"{"content":1,"depth":\#(depth)}"#.utf8))
            }
        }
    }

    @Test func `Bytes that are not UTF-8 are an error that names the line`() {
        let bytes: [UInt8] = [0x61, 0x0A, 0xFF, 0x0A]
        let expected = "line 2: expected UTF-8, found other bytes"
        #expect(message { try ImportedList(lines: bytes) } == expected)
        #expect(message { try ImportedList(markdown: bytes) } == expected)
        #expect(message { try ImportedList(jsonLines: [0x31] + bytes.dropFirst()) } == expected)
    }

    @Test func `An editing trace is read with all its patches`() throws {
        let text = #"{"startContent":"ab","endContent":"aXé","txns":[{"time":"t","patches":[[1,1,"X"],[2,0,"é"]]}]}"#
        let trace = try EditingTrace(json: Array(text.utf8))
        #expect(trace.startContent == "ab")
        #expect(trace.endContent == "aXé")
        #expect(
            trace.transactions.map(\.patches) == [
                [
                    EditingTrace.Patch(position: 1, deleted: 1, inserted: "X"),
                    EditingTrace.Patch(position: 2, deleted: 0, inserted: "é"),
                ]
            ])
    }

    @Test(arguments: [
        (
            #"{"txns":[{"patches":[[0,0,"a"]]},{"patches":[[2,0,"b"]]}]}"#,
            "transaction 2, patch 1: expected a position from 0 to 1, found 2"
        ),
        (
            #"{"txns":[{"patches":[[0,0,"a"],[1,1,""]]}]}"#,
            "transaction 1, patch 2: expected to delete from 0 to 0, found 1"
        ),
        (
            #"{"startContent":"a","txns":[{"patches":[[0,-1,""]]}]}"#,
            "transaction 1, patch 1: expected to delete from 0 to 1, found -1"
        ),
        (
            #"{"endContent":"abc","txns":[{"patches":[[0,0,"ab"]]}]}"#,
            "endContent: expected 2 scalars, as the patches leave, found 3"
        ),
        (#"{"startContent":""}"#, "expected an editing trace: the input has no \"txns\""),
        (#"{"txns":[{"patches":[[0,"x"]]}]}"#, "expected an editing trace: txns.[0].patches.[0]"),
        ("[", "expected an editing trace: the input: "),
    ])
    func `A trace that does not fit is an error that says where`(text: String, expected: String) {
        let error = #expect(throws: ImportError.self) { try EditingTrace(json: Array(text.utf8)) }
        #expect(error?.description.hasPrefix(expected) == true, "found \(error?.description ?? "nothing")")
    }

    @Test("Times of a recording are read to the millisecond, and invalid ones are left out")
    func recordedTimes() {
        #expect(RecordedTime.timestamp("2021-04-19T06:06:58.219Z")?.microseconds == 1_618_812_418_219_000)
        #expect(RecordedTime.timestamp("2024-02-29T23:59:59.001Z")?.microseconds == 1_709_251_199_001_000)
        #expect(RecordedTime.timestamp("1970-01-01T00:00:00.000Z")?.microseconds == 0)
        for text in ["", "2021-04-19", "2021-04-19T06:06:58.219+", "2021-04-1xT06:06:58.219Z"] {
            #expect(RecordedTime.timestamp(text) == nil)
        }
    }

    @Test func `A recording goes on in its section while others insert, move and delete sections`() throws {
        let folder = try TemporaryFolder()
        let store = try UntypedStore.create(at: folder.file("store"))
        let trace = try EditingTrace(
            json: Array(#"{"txns":[{"patches":[[0,0,"a"]]},{"patches":[[1,0,"bc"],[0,1,""]]}]}"#.utf8))
        /// Replays the recording, and makes an edit after its first transaction, when progress is told.
        func replay(_ name: String, _ edit: (inout UntypedEditor) throws -> Void) throws {
            try TraceImport(trace).apply(to: store) { _ in
                do { try store.edit(name) { try edit(&$0) } } catch { Issue.record(error) }
            }
        }
        let rows = [7, 8].map { NewRow(id: .integer($0), content: []) }
        try replay("Insert") { try $0.insertSection(NewSection(id: "other", items: rows), at: .at(0)) }
        #expect(try store.snapshot.sections.map(\.id) == ["other", "text"])
        #expect(try store.snapshot.sections.map { $0.items.count } == [2, 2])
        try replay("Move") { try $0.moveSection(.section("text-2"), to: .at(0)) }
        #expect(try store.snapshot.sections.map(\.id) == ["text-2", "other", "text"])
        #expect(try store.snapshot.sections.map { $0.items.count } == [2, 2, 2])
        #expect(throws: ListError.unknownSection("text-3")) {
            try replay("Delete") { try $0.deleteSection(.section("text-3")) }
        }
        #expect(try store.snapshot.sections.map { $0.items.count } == [2, 2, 2])
        try store.close()
    }

    @Test func `An imported row gets no id of a row that was deleted`() throws {
        let folder = try TemporaryFolder()
        let store = try UntypedStore.create(at: folder.file("store"))
        let lines = ImportInput(name: "lines", bytes: Array((1...9).map { "\($0)\n" }.joined().utf8))
        func importLines() throws -> [UntypedID] {
            var lines = try ListImport(lines, .lines)
            try lines.apply(to: store)
            return try store.snapshot.sections.last.map { $0.items.map(\.id) } ?? []
        }
        let first = try importLines()
        #expect(first == (1...9).map { .integer($0) })
        try store.edit("Delete") { list in for id in first.dropFirst(2) { try list.delete(.item(id)) } }
        let second = try importLines()
        #expect(second.count == 9 && Set(second).isDisjoint(with: first))
        #expect(try store.trash().count == 7)
        try store.edit("Delete") { list in for id in second { try list.delete(.item(id)) } }
        let trace = try EditingTrace(json: Array(#"{"txns":[{"patches":[[0,0,"abc"]]}]}"#.utf8))
        try TraceImport(trace).apply(to: store) { _ in }
        let third = try #require(try store.snapshot.sections.last).items.map(\.id)
        #expect(third.count == 3 && Set(third).isDisjoint(with: first + second))
        try store.close()
    }

    @Test func `An import whose rows have ids needs no others, also beside the greatest integer`() throws {
        let folder = try TemporaryFolder()
        let store = try UntypedStore.create(at: folder.file("store"))
        for id in [7, Int64.max] {
            let line = #"{"id":\#(id),"content":"text"}"# + "\n"
            var rows = try ListImport(ImportInput(name: "rows", bytes: Array(line.utf8)), .jsonl)
            try rows.apply(to: store)
        }
        #expect(try store.snapshot.itemCount == 2)
        var rows = try ListImport(ImportInput(name: "rows", bytes: Array("text\n".utf8)), .lines)
        #expect(throws: ImportError.self) { try rows.apply(to: store) }
        try store.close()
    }
}
