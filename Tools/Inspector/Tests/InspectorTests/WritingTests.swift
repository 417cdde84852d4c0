// Tests that edits through the page are the edits of `exec`, and that refused ones change nothing.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@testable import ListoryInspector

@Suite("Writing")
struct WritingTests {
    @Test("Edits, undo, redo, go, revert and restore do what exec does to the same list")
    func edits() async throws {
        let folder = try TemporaryFolder.inMemory()
        let (shown, other) = (
            try UntypedStore.create(at: folder.file("a.listory")), try UntypedStore.create(at: folder.file("b.listory"))
        )
        try await inspecting(shown, allowsWriting: true) { _, browser in
            let lines = [
                #"{"insertSection":{"id":"today","title":"Today"}}"#,
                #"{"insert":{"id":1,"content":{"title":"Milk"},"section":"today"}}"#,
                #"{"insert":{"id":2,"content":{"title":"Tea"},"section":"today","at":0}}"#,
                #"{"update":{"id":1,"content":{"title":"Oat milk"}}}"#, #"{"toggle":{"id":1}}"#,
                #"{"move":{"id":1,"before":2}}"#, #"{"delete":{"id":2}}"#, #"{"undo":2}"#, #"{"redo":1}"#, #"{"go":3}"#,
                #"{"restore":6}"#, #"{"revert":4}"#, #"{"undo":1}"#, #"{"delete":{"id":1}}"#,
                #"{"restoreRow":{"id":1,"version":"head~1"}}"#, #"{"deleteSection":{"id":"today"}}"#,
                #"{"restoreRow":{"id":1}}"#, #"{"restoreSection":{"id":"today","version":7}}"#,
            ]
            for line in lines {
                let answer = try browser.exec(line)
                var expected: [UInt8] = []
                var session = try ExecSession(other, input: LineReader(bytes: Array(line.utf8))) { expected += $0 }
                try session.run()
                #expect(answer.status == 200 && answer.body == expected, "\(line): \(answer)")
                #expect(try shown.durableVersion == shown.version)
            }
            #expect(try shown.snapshot.stateHash == other.snapshot.stateHash)
            // Each is a step of its own, as in the tool.
            #expect(try shown.version == other.version)
        }
    }

    @Test("A refused edit has a status and a reason, and changes nothing")
    func refusals() async throws {
        let folder = try TemporaryFolder.inMemory()
        let store = try UntypedStore.create(at: folder.file("a.listory"))
        try store.edit("New") { try $0.insertSection(NewSection(id: 1, items: [NewRow(id: 1, content: [0x31])])) }
        try await inspecting(store, allowsWriting: true) { _, browser in
            let version = try store.version
            for (line, status, code) in [
                ("", 400, "invalidJSON"), ("{", 400, "invalidJSON"), (#"{"nothing":1}"#, 400, "unknownRequest"),
                (#"{"undo":0}"#, 400, "invalidRequest"), (#"{"toggle":{"id":1,"x":1}}"#, 400, "invalidRequest"),
                (#"{"toggle":{"id":7}}"#, 409, "unknownItem"), (#"{"undo":5}"#, 409, "nothingToUndo"),
                (#"{"insert":{"id":1,"content":1,"section":1}}"#, 409, "duplicateItem"),
                (#"{"restoreRow":{"id":1}}"#, 409, "refused"), (#"{"revert":"head~9"}"#, 409, "unknownVersion"),
                (#"{"restoreRow":{"id":1,"version":true}}"#, 400, "invalidRequest"),
                (#"{"restoreSection":{"id":"1","version":1}}"#, 409, "notInVersion"),
                // A group, and more than one request.
                (#"{"begin":"open"}"#, 400, "invalidRequest"), (#"{"beginGroup":"open"}"#, 400, "invalidRequest"),
                (#"{"end":{}}"#, 400, "invalidRequest"), (#"{"endGroup":{}}"#, 400, "invalidRequest"),
                ("{\"toggle\":{\"id\":1}}\n{\"toggle\":{\"id\":7}}", 400, "invalidJSON"),
                ("{\"toggle\":{\"id\":1}}\n{\"toggle\":{\"id\":1}}\n", 400, "invalidJSON"),
            ] {
                let answer = try browser.exec(line)
                #expect(answer.status == status && answer.errorCode == code, "\(line): \(answer)")
            }
            #expect(try store.version == version)
            // Nothing is left open: others can edit, and a request may have lines.
            #expect(try browser.exec("{\n  \"toggle\": {\n    \"id\": 1\n  }\n}\n").status == 200)
            #expect(try store.version == version.next)
        }
    }
}
