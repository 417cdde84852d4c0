// Inputs of `listory import`.
//
// An input is a byte that chooses the format (its lowest two bits) and whether what was read goes into a store (4), and
// the bytes to import.
//
// Always holds, and is checked: an input that is refused changes nothing.

import Foundation
import ListModel
import Listory
@testable import ToolSupport
import TestSupport

enum ImportTarget {
    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let choices = input.byte()
        let format = ImportFormat.allCases[Int(choices & 3)]
        try typed {
            var content = try ListImport(ImportInput(name: "input", bytes: Array(input.rest)), format)
            guard choices & 4 != 0 else { return }
            let folder = try TemporaryFolder(in: StoreTarget.scratch)
            var options = StoreOptions()
            options.maximumFileSize = 16 << 20
            let store = try UntypedStore.create(at: folder.file("import.store"), options: options)
            defer { try? store.close(discardingUnappended: true) }
            try store.edit("rows") {
                try $0.insertSection(NewSection(id: "items", items: [NewRow(id: 1, content: [])]))
            }
            let before = try store.snapshot
            do { try content.apply(to: store) } catch {
                // A recording is a commit for each of its transactions.
                let isSame = try store.snapshot.stateHash == before.stateHash
                try BrokenPromise.check(
                    isSame || format == .editingTrace, "an import that was refused changed the store: \(error)")
                throw error
            }
        }
    }

    /// Runs `body`. An error that the tool explains is an answer.
    static func typed(_ body: () throws -> Void) throws {
        do { try body() } catch is ImportError {} catch is ToolError {} catch is RequestError {
        } catch is ListError {}
    }

    static func seeds() -> [[UInt8]] {
        let trace =
            #"{"startContent":"ab","endContent":"axyb","txns":["#
            + #"{"time":"2021-04-19T06:06:58.219Z","patches":[[1,0,"xy"]]},{"patches":[[0,1,"\u00e4"],[0,1,"a"]]}]}"#
        let markdown =
            "# Today #\n\n- [ ] milk\n  - [x] oat\n\tmore\n1. one\n2) two\n```\ncode\n```\n## Ä ö\n* * *\n+ x\n"
        let lines = "one\r\ntwo\n\n\u{1F95B}\n"
        let rows = [
            #"{"content":{"title":"Milk"},"id":1,"depth":1,"checked":true,"section":"s","collapsed":true}"#,
            #"{"content":{"$version":2,"$content":[1,2.5,1e400,null]},"id":"y"}"#,
            #"{"content":1,"id":{"$uuid":"00000000-0000-0000-0000-00000000000A"}}"#,
            "12345678901234567890", #"{"content":{"$base64":"AAE="},"id":"x"}"#, "[[[]]]",
        ].joined(separator: "\n")
        return zip([0, 1, 2, 3] as [UInt8], [trace, markdown, lines, rows]).flatMap { format, text in
            [[format] + Array(text.utf8), [format | 4] + Array(text.utf8)]
        }
    }
}
