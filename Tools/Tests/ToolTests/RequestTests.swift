// Tests parsing requests: valid lines, and the errors of invalid ones.

import ListModel
import Testing
import ToolSupport

@Suite struct RequestTests {
    static let milk = Array(#"{"title":"Milk"}"#.utf8)

    @Test(
        arguments: [
            (#"{"insertSection":{"id":"today","at":0}}"#, .insertSection(NewSection(id: "today"), at: .at(0))),
            (
                #"{"insertSection":{"id":1,"title":"One","items":[{"id":2,"content":[]}],"before":"x"}}"#,
                .insertSection(
                    NewSection(id: 1, title: "One", items: [NewRow(id: 2, content: Array("[]".utf8))]),
                    at: .before("x"))
            ),
            (#"{"insertSection":{"id":1,"after":2}}"#, .insertSection(NewSection(id: 1), at: .after(2))),
            (#"{"insertSection":{"id":1}}"#, .insertSection(NewSection(id: 1), at: .end)),
            (#"{"deleteSection":{"id":"today"}}"#, .deleteSection("today")),
            (#"{"deleteSection":7}"#, .deleteSection(7)),
            (#"{"moveSection":{"id":"a","at":2}}"#, .moveSection("a", to: .at(2))),
            (#"{"moveSection":{"id":"a","before":"b"}}"#, .moveSection("a", to: .before("b"))),
            (#"{"moveSection":{"id":"a"}}"#, .moveSection("a", to: .end)),
            (#"{"renameSection":{"id":"a","title":"A"}}"#, .renameSection("a", title: "A")),
            (
                #"{"reload":{"sections":[{"id":"a","items":[{"id":1,"content":{"title":"Milk"},"checked":true}]}]}}"#,
                .reload([NewSection(id: "a", items: [NewRow(id: 1, isChecked: true, content: milk)])])
            ),
        ] as [(String, RequestedEdit)])
    func `A request about sections becomes an edit`(line: String, edit: RequestedEdit) throws {
        #expect(try ExecRequest(line: line.utf8) == .edit(edit))
    }

    @Test(
        arguments: [
            (
                #"{"insert":{"id":7,"content":{"title":"Milk"},"section":"today","at":0}}"#,
                .insert([NewRow(id: 7, content: milk)], at: .section("today", at: 0))
            ),
            (
                #"{"insert":{"id":7,"content":{ "title" : "Milk" },"checked":true,"section":"today"}}"#,
                .insert([NewRow(id: 7, isChecked: true, content: milk)], at: .end(ofSection: "today"))
            ),
            (
                #"{"insert":{"items":[{"id":1,"content":1},{"id":2,"content":null}],"path":[0,3]}}"#,
                .insert(
                    [NewRow(id: 1, content: Array("1".utf8)), NewRow(id: 2, content: Array("null".utf8))],
                    at: .at(ListIndexPath(section: 0, item: 3)))
            ),
            (#"{"insert":{"items":[],"before":"x"}}"#, .insert([], at: .before("x"))),
            (#"{"delete":{"id":7}}"#, .delete(.item(7))),
            (#"{"delete":{"ids":[7,"x"]}}"#, .delete(.items([7, "x"]))),
            (#"{"delete":{"path":[1,2],"count":2}}"#, .delete(.run(ListIndexPath(section: 1, item: 2), count: 2))),
            (#"{"move":{"id":7,"section":"today","at":3}}"#, .move(.item(7), to: .section("today", at: 3))),
            (#"{"move":{"ids":[7],"after":8}}"#, .move(.items([7]), to: .after(8))),
            (
                #"{"move":{"path":[0,1],"count":2,"to":[1,0]}}"#,
                .move(
                    .run(ListIndexPath(section: 0, item: 1), count: 2), to: .at(ListIndexPath(section: 1, item: 0)))
            ),
            (#"{"toggle":{"path":[0,1]}}"#, .toggle(.at(ListIndexPath(section: 0, item: 1)))),
            (#"{"check":{"id":7,"checked":false}}"#, .check(.item(7), isChecked: false)),
            (#"{"update":{"id":7,"content":{"title":"Milk"}}}"#, .update(7, content: milk)),
            (
                #"{"update":{"path":[0,1],"content":"a"}}"#,
                .updateAt(ListIndexPath(section: 0, item: 1), content: Array("\"a\"".utf8))
            ),
        ] as [(String, RequestedEdit)])
    func `A request about rows becomes an edit`(line: String, edit: RequestedEdit) throws {
        #expect(try ExecRequest(line: line.utf8) == .edit(edit))
    }

    @Test(
        arguments: [
            (#"{"begin":"Tidy up"}"#, .begin("Tidy up")), (#"{"end":{}}"#, .end),
            (#"{"beginGroup":"Tidy up"}"#, .beginGroup("Tidy up")), (#"{"beginGroup":{}}"#, .beginGroup(nil)),
            (#"{"endGroup":{}}"#, .endGroup), (#"{"branches":{}}"#, .branches(limit: nil)),
            (#"{"branches":{"limit":2}}"#, .branches(limit: 2)), (#"{"undo":1}"#, .history(.undo(1), .refuse)),
            (#"{"undo":{"count":2}}"#, .history(.undo(2), .refuse)),
            (#"{"redo":12}"#, .history(.redo(12), .refuse)),
            (#"{"redo":{"count":1,"skipConflicts":true}}"#, .history(.redo(1), .skip)),
            (#"{"go":7}"#, .history(.go(to: 7), .refuse)),
            (#"{"go":{"version":0,"skipConflicts":false}}"#, .history(.go(to: 0), .refuse)),
            (#"{"revert":{"version":7,"skipConflicts":true}}"#, .history(.revert(7), .skip)),
            (#"{"restore":7}"#, .history(.restore(7), .refuse)),
            (#"{"restoreRow":{"id":"7"}}"#, .history(.restoreRow(IdentifierText(.string("7")), nil), .refuse)),
            (
                #"{"restoreSection":{"id":7,"version":"head"}}"#,
                .history(.restoreSection(IdentifierText(.integer(7)), try! VersionName("head")), .refuse)
            ),
            (#"{"earlier":2}"#, .history(.earlier(.steps(2)), .refuse)),
            (#"{"earlier":"5m"}"#, .history(.earlier(.time(.seconds(300))), .refuse)),
            (#"{"later":{"by":"1d","skipConflicts":true}}"#, .history(.later(.time(.seconds(86_400))), .skip)),
        ] as [(String, ExecRequest)])
    func `A request about commits is understood`(line: String, request: ExecRequest) throws {
        #expect(try ExecRequest(line: line.utf8) == request)
    }

    @Test(
        arguments: [
            ("{", .invalidJSON), ("nonsense", .invalidJSON), ("7", .unknownRequest), ("[]", .unknownRequest),
            ("{}", .unknownRequest), (#"{"undo":1,"redo":1}"#, .unknownRequest), (#"{"instert":{}}"#, .unknownRequest),
        ] as [(String, RequestError.Code)])
    func `A line that is no request is rejected`(line: String, code: RequestError.Code) {
        #expect(error(line)?.code == code)
    }

    @Test(arguments: [
        (#"{"insert":7}"#, "insert: expected an object, found the number 7"),
        (#"{"insert":{"id":1,"section":"a"}}"#, "insert.content: expected a content, found nothing"),
        (#"{"insert":{"content":1,"section":"a"}}"#, "insert.id: expected an id, found nothing"),
        (
            #"{"insert":{"id":1.5,"content":1,"section":"a"}}"#,
            "insert.id: expected an integer or a string, found the number 1.5"
        ),
        (#"{"insert":{"id":1,"content":1}}"#, "insert: expected one of section, before, after, path, found none"),
        (
            #"{"insert":{"id":1,"content":1,"section":"a","before":2}}"#,
            "insert: expected one of section, before, after, path, found section and before"
        ),
        (#"{"insert":{"id":1,"content":1,"before":2,"at":0}}"#, "insert.at: expected only together with section"),
        (
            #"{"insert":{"id":1,"content":1,"section":"a","at":"0"}}"#,
            #"insert.at: expected an integer, found the string "0""#
        ),
        (
            #"{"insert":{"id":1,"content":1,"section":"a","at":9223372036854775807}}"#,
            "insert.at: expected an integer, found the number 9223372036854775807"
        ),
        (
            #"{"insert":{"id":1,"content":1,"section":"a","checked":1}}"#,
            "insert.checked: expected true or false, found the number 1"
        ),
        (
            #"{"insert":{"items":[{"id":1}],"section":"a"}}"#,
            "insert.items[0].content: expected a content, found nothing"
        ),
        (#"{"insert":{"items":{},"section":"a"}}"#, "insert.items: expected an array of rows, found an object of 0"),
        (#"{"insert":{"items":[],"id":1,"section":"a"}}"#, "insert.id: expected inside of items"),
        (#"{"insert":{"id":1,"content":1,"path":[0]}}"#, "insert.path: expected [section, index], found an array of 1"),
        (#"{"insert":{"id":1,"content":1,"path":[0,null]}}"#, "insert.path[1]: expected an integer, found null"),
        (#"{"delete":{}}"#, "delete: expected one of id, ids, path, found none"),
        (#"{"delete":{"id":1,"path":[0,0]}}"#, "delete: expected one of id, ids, path, found id and path"),
        (#"{"delete":{"ids":[1,true]}}"#, "delete.ids[1]: expected an integer or a string, found true"),
        (#"{"delete":{"id":1,"count":2}}"#, "delete.count: expected only together with path"),
        (#"{"delete":{"path":[0,0],"count":-1}}"#, "delete.count: expected at least 0, found the number -1"),
        (#"{"delete":{"idd":1}}"#, #"delete: expected one of id, ids, path, count, found the unknown field "idd""#),
        (#"{"move":{"id":1}}"#, "move: expected one of section, before, after, to, found none"),
        (#"{"check":{"id":1}}"#, "check.checked: expected true or false, found nothing"),
        (#"{"update":{"id":1}}"#, "update.content: expected a content, found nothing"),
        (#"{"update":{"content":1}}"#, "update: expected one of id, path, found none"),
        (#"{"reload":{"sections":[{"title":"a"}]}}"#, "reload.sections[0].id: expected an id, found nothing"),
        (
            #"{"reload":{"sections":[{"id":1,"items":[3]}]}}"#,
            "reload.sections[0].items[0]: expected an object, found the number 3"
        ),
        (
            #"{"insertSection":{"id":1,"at":0,"before":2}}"#,
            "insertSection: expected one of at, before, after, found at and before"
        ),
        (#"{"insertSection":{"id":1,"title":2}}"#, "insertSection.title: expected a string, found the number 2"),
        (#"{"deleteSection":null}"#, "deleteSection: expected an object, found null"),
        (#"{"renameSection":{"id":1}}"#, "renameSection.title: expected a string, found nothing"),
        (#"{"begin":7}"#, "begin: expected a name, found the number 7"),
        (#"{"end":{"x":1}}"#, #"end: expected no fields, found the unknown field "x""#),
        (#"{"undo":0}"#, "undo: expected how many steps, at least 1, found the number 0"),
        (#"{"redo":"1"}"#, #"redo: expected how many steps, at least 1, found the string "1""#),
        (#"{"undo":{}}"#, "undo.count: expected how many steps, at least 1, found nothing"),
        (#"{"go":-1}"#, "go: expected \(VersionNameError.expected), found the number -1"),
        (
            #"{"go":{"version":"@x"}}"#, #"go.version: expected \#(VersionNameError.expected), found the string "@x""#
        ),
        (
            #"{"revert":{"version":1,"skip":true}}"#,
            #"revert: expected one of version, skipConflicts, found the unknown field "skip""#
        ),
        (
            #"{"restore":{"version":1,"skipConflicts":true}}"#,
            #"restore: expected one of version, found the unknown field "skipConflicts""#
        ),
        (#"{"restoreRow":7}"#, "restoreRow: expected an object, found the number 7"),
        (
            #"{"restoreRow":{"id":7,"version":true}}"#,
            "restoreRow.version: expected \(VersionNameError.expected), found true"
        ),
        (#"{"undo":{"count":1,"skipConflicts":1}}"#, "undo.skipConflicts: expected true or false, found the number 1"),
        (
            #"{"earlier":"5x"}"#,
            "earlier: expected a number of steps like 5 or a time like 30s, 5m, 2h or 1d, "
                + #"found the string "5x""#
        ),
        (#"{"beginGroup":1}"#, "beginGroup: expected a name, or {}, found the number 1"),
        (#"{"endGroup":{"x":1}}"#, #"endGroup: expected no fields, found the unknown field "x""#),
        (#"{"branches":{"limit":-1}}"#, "branches.limit: expected at least 0, found the number -1"),
    ])
    func `A field that is wrong is named with what was expected and found`(line: String, message: String) {
        #expect(error(line) == RequestError(.invalidRequest, message))
    }

    private func error(_ line: String) -> RequestError? {
        do {
            _ = try ExecRequest(line: line.utf8)
            return nil
        } catch {
            return error as? RequestError
        }
    }
}
