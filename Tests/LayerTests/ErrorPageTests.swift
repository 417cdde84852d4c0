// Checks that the page of errors lists what there is.

import Foundation
import Testing

@Suite("The page of errors")
struct ErrorPageTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: LayerTests.root.appending(path: path), encoding: .utf8)
    }

    @Test("has each case of ListError once, and no other")
    func everyCase() throws {
        let source = try Self.text("Sources/ListModel/Values/ListError.swift")
        let declared = source.matches(of: /(?m)^    case (\w+)/).map { String($0.1) }
        let page = try Self.text("Sources/Listory/Listory.docc/Errors.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `.") }
        let listed = rows.flatMap { row in
            row.split(separator: "|")[0].matches(of: /`\.(\w+)`/).map { String($0.1) }
        }
        #expect(declared.count > 40)
        #expect(listed.sorted() == declared.sorted())
    }
}
