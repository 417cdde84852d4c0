// Requests of `listory exec`, lines of JSON, carried out in a store with a few rows.
//
// Always holds, and is checked: each line gets an answer of one line of JSON, unless an error ends the session; what was
// answered is in the store when it is opened again.

import Foundation
import ListModel
import Listory
import ToolSupport
import TestSupport

enum ExecTarget {
    static func run(_ input: [UInt8]) throws {
        let folder = try TemporaryFolder(in: StoreTarget.scratch)
        let requests = URL(fileURLWithPath: folder.file("requests"))
        try Data(input).write(to: requests)
        let file = try FileHandle(forReadingFrom: requests)
        defer { try? file.close() }
        var options = StoreOptions()
        options.coalescing = .never
        options.maximumFileSize = 16 << 20
        options.checkpoints.isBackground = false
        let path = folder.file("exec.store")
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("rows") { list in
            let rows = (1...6).map { NewRow(id: .integer($0), content: [0x31], depth: Int($0 % 3)) }
            try list.insertSection(NewSection(id: "a", title: "A", items: rows))
            try list.insertSection(NewSection(id: "b"))
        }
        var answers: [UInt8] = []
        var isEnded = true
        var session = try ExecSession(store, input: LineReader(descriptor: file.fileDescriptor)) { answers += $0 }
        try ImportTarget.typed {
            try session.run()
            isEnded = false
        }
        let lines = answers.split(separator: UInt8(ascii: "\n"))
        for line in lines {
            guard let answer = try? JSONValue(parsing: line), answer.members != nil else {
                throw BrokenPromise("an answer is no object: \(String(decoding: line, as: UTF8.self))")
            }
        }
        let asked = input.split(separator: UInt8(ascii: "\n")).filter { !$0.allSatisfy(" \t\r".utf8.contains) }
        try BrokenPromise.check(
            isEnded ? lines.count <= asked.count : lines.count == asked.count,
            "\(asked.count) requests got \(lines.count) answers")
        let expected = try store.snapshot
        try store.close()
        options.isReadOnly = true
        let reopened = try UntypedStore.open(at: path, options: options)
        let found = try reopened.snapshot
        try BrokenPromise.check(
            found.version == expected.version && found.stateHash == expected.stateHash,
            "the store has another list when it is opened again")
        try reopened.close()
    }

    static func seeds() -> [[UInt8]] {
        let edits = [
            #"{"insert":{"id":7,"content":{"title":"Milk"},"section":"a","at":0}}"#,
            #"{"insert":{"items":[{"id":8,"content":"Bread","checked":true,"depth":1}],"after":7}}"#,
            #"{"move":{"id":7,"section":"a","at":1}}"#, #"{"move":{"path":[0,1],"count":2,"to":[1,0]}}"#,
            #"{"toggle":{"ids":[1,2]}}"#, #"{"check":{"ids":[3,4],"checked":true}}"#,
            #"{"update":{"id":2,"content":{"$version":2,"$content":"x"}}}"#, #"{"update":{"path":[0,0],"content":1}}"#,
            #"{"delete":{"path":[0,0],"count":2}}"#, #"{"renameSection":{"id":"a","title":"Now"}}"#,
            #"{"moveSection":{"id":"a","after":"b"}}"#, #"{"insertSection":{"id":"c","title":"C","at":0}}"#,
            #"{"deleteSection":"c"}"#,
        ]
        let history = [
            #"{"begin":"Tidy"}"#, #"{"delete":{"id":2}}"#, #"{"end":{}}"#, #"{"beginGroup":"step"}"#,
            #"{"toggle":{"id":1}}"#, #"{"endGroup":{}}"#, #"{"undo":1}"#, #"{"redo":{"count":1,"skipConflicts":true}}"#,
            #"{"go":1}"#, #"{"branches":{"limit":5}}"#, #"{"earlier":2}"#, #"{"later":"5m"}"#, #"{"revert":1}"#,
            #"{"restore":1}"#, #"{"begin":"spoiled"}"#, #"{"undo":1}"#, #"{"end":{}}"#,
        ]
        let outline = [
            #"{"insert":{"id":10,"content":"e","outline":{"lastChild":1}}}"#,
            #"{"moveSubtree":{"id":2,"outline":{"after":4}}}"#, #"{"deleteSubtree":{"ids":[5,6]}}"#,
            #"{"indent":{"id":3}}"#, #"{"outdent":{"id":1}}"#, #"{"changeDepth":{"id":1,"by":1}}"#,
            #"{"collapse":{"id":1,"recursively":true}}"#, #"{"expand":{"id":1}}"#,
            #"{"reload":{"sections":[{"id":"a","items":[{"id":9,"content":"Eggs"}]}]}}"#,
            #"{"apply":{"sections":[{"id":"z","items":[{"id":1,"content":"x"},{"id":9,"content":2}]}]}}"#,
            "", "nonsense", #"{"toggle":{"id":{"$uuid":"00000000-0000-0000-0000-00000000000A"}}}"#,
        ]
        return [edits, history, outline, edits + history].map { Array($0.joined(separator: "\n").utf8) }
    }
}
