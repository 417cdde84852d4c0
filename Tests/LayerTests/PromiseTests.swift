// Checks that the page of what survives what names a test in each row, and only tests that exist.

import Foundation
import Testing

@Suite("The promise")
struct PromiseTests {
    /// What is wrong with a page.
    private static func problems(_ page: String, _ tests: Set<String>) -> [String] {
        var problems: [String] = []
        // Whether the rows of the present table name tests.
        var namesTests = false
        var before = ""
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let names = line.matches(of: /`(\w+Tests\/\w+|Tools\/[\w-]+)`/).map { String($0.1) }
            for name in names where !tests.contains(name) { problems.append("there is no \(name)") }
            let isRow = line.hasPrefix("|")
            if isRow && !before.hasPrefix("|") {
                namesTests = line.hasSuffix("| tests |")
            } else if isRow && namesTests && !line.hasPrefix("|--") && names.isEmpty {
                problems.append("no test: \(line)")
            }
            before = line
        }
        return problems
    }

    /// The tests of the library, as `Suite/function`, and the commands in `Tools`.
    private static func tests() throws -> Set<String> {
        let folder = LayerTests.root.appending(path: "Tests")
        let paths = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))?.allObjects ?? []
        var tests: Set<String> = []
        for path in paths.compactMap({ $0 as? String }) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            var suite = ""
            var isTest = false
            for line in text.split(separator: "\n") {
                if let type = word(line, after: "@Suite struct ") ?? word(line, after: "struct ")
                    ?? word(line, after: "extension ")
                {
                    suite = type
                }
                if line.contains("@Test") { isTest = true }
                guard isTest, let place = line.firstRange(of: "func ") else { continue }
                tests.insert("\(suite)/\(word(line[place.lowerBound...], after: "func ")!)")
                isTest = false
            }
        }
        let tools = LayerTests.root.appending(path: "Tools").path(percentEncoded: false)
        tests.formUnion(try FileManager.default.contentsOfDirectory(atPath: tools).map { "Tools/\($0)" })
        return tests
    }

    /// The word behind a beginning of a line; nil if the line begins with something else.
    private static func word(_ line: Substring, after beginning: String) -> String? {
        guard line.hasPrefix(beginning) else { return nil }
        return String(line.dropFirst(beginning.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    @Test("Each row of the page names a test, and each of them exists")
    func page() throws {
        let path = LayerTests.root.appending(path: "Sources/Listory/Listory.docc/Promise.md")
        let page = try String(contentsOf: path, encoding: .utf8)
        let tests = try Self.tests()
        #expect(Self.problems(page, tests) == [])
        #expect(page.matches(of: /`\w+Tests\/\w+`/).count > 40)
        // The control: a name that is not there, and a row without one, are noticed.
        let misspelt = page.replacing("PowerCutTests/images", with: "PowerCutTests/imagos")
        #expect(Self.problems(misspelt, tests) == ["there is no PowerCutTests/imagos"])
        let silent = page.replacing("`FileSystemCrashTests/crashes`", with: "")
        #expect(Self.problems(silent, tests).count == 1)
    }
}
