// Writes a short list as a file for Swift Testing.
//
// Always holds: the test makes the rows of the list with the library's own interface, one edit for each event, and fails as
// long as they are wrong.

import ListModel
import Listory

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A test that fails as a short list does.
public struct TestFile {
    private let list: ShortList
    private let judge: Bisection.Judge
    private let copy: EventCopy

    /// A test of a list.
    ///
    /// - Parameter judge: says that the rows at its end are wrong.
    public init(_ list: ShortList, _ judge: Bisection.Judge) {
        (self.list, self.judge) = (list, judge)
        copy = EventCopy(list.log, keepsContents: true)
    }

    /// Refuses a path where there is a file.
    public static func requireNone(at path: String) throws {
        if (try? FileStatus(path)) != nil {
            throw ToolError(.refused, "\(path): expected no file, found one")
        }
    }

    /// Writes the file, which must not exist.
    public func write(to path: String) throws {
        try TestFile.requireNone(at: path)
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        let text = try text(named: name)
        do throws(SystemError) { try OpenFile(creating: path).write(Array(text.utf8)) } catch {
            throw ToolError(.inputOutput, "\(path): cannot be written: \(error)")
        }
    }

    /// The file, for a name without its ending.
    public func text(named name: String) throws -> String {
        let identifier = name.unicodeScalars.filter {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
        }
        let suite =
            identifier.first?.properties.isAlphabetic == true ? String(identifier) : "Extracted\(String(identifier))"
        var lines = [
            "// Made by `listory extract`: rows to begin with, and the edits after which they are wrong."
        ]
        if list.unrecognisedCount > 0 { lines += ["// Left out: \(EventCopy.text(list.unrecognisedCount))."] }
        lines += [
            "",
            "import Foundation", "import Listory", "import Testing", "",
            "@Suite struct \(suite) {",
            "    @Test func `The rows are right in the end`() throws {",
            "        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)",
            "        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)",
            "        defer { try? FileManager.default.removeItem(at: folder) }",
            "        let store = try UntypedStore.create(at: folder.appending(path: \"store\").path)", "",
        ]
        if list.start.sectionCount > 0 {
            lines += ["        try store.edit(\(SwiftText.literal(EventCopy.startName))) { list in"]
            for section in try copy.sections(of: list.start) {
                lines += call("list.insertSection(", section, ")")
            }
            lines += ["        }"]
        }
        for entry in list.commits {
            let commit = entry.commit
            var arguments = SwiftText.literal(commit.name)
            if !commit.origin.isEmpty { arguments += ", origin: \(SwiftText.literal(commit.origin))" }
            if commit.tracking == .untracked { arguments += ", tracking: .untracked" }
            if commit.isDiscardable { arguments += ", isDiscardable: true" }
            lines += ["        try store.edit(\(arguments)) { list in"]
            for (event, before) in zip(entry.events, entry.before) { lines += try edit(event, before) }
            lines += ["        }"]
        }
        lines += ["", "        let rows = try store.snapshot"]
        var helpers: [String] = []
        switch judge {
        case .condition(let condition):
            let expression = SwiftCondition(list).expression(condition)
            lines += ["        let isWrong = \(expression)", "        #expect(!isWrong)"]
            if expression.contains("has(") { helpers = try searching(condition) }
        case .program(let program):
            lines += TestFile.judging(SwiftText.literal(program.command))
            helpers = try json()
        }
        return (lines + ["        try store.close()", "    }"] + helpers + ["}"]).joined(separator: "\n") + "\n"
    }

    // MARK: - Edits

    /// The call that makes an event again.
    private func edit(_ event: ListEvent, _ before: UntypedSnapshot) throws -> [String] {
        func place(_ path: ListIndexPath) -> String {
            ".section(\(SwiftText.id(before.sections[path.section].id)), at: \(path.item))"
        }
        func line(_ call: String) -> [String] { ["            try list.\(call)"] }
        switch event {
        case .itemsInserted(let path, let items):
            return ["            try list.insert(", "                ["] + (try copy.rows(items)).map(row)
                + ["                ], at: \(place(path)))"]
        case .itemsDeleted(_, let items): return line("delete(\(SwiftText.selection(items.map(\.id))))")
        case .itemsMoved(_, let to, let ids): return line("move(\(SwiftText.selection(Array(ids))), to: \(place(to)))")
        case .itemToggled(_, let id, let isChecked):
            return line("setChecked(\(isChecked), for: \(SwiftText.selection([id])))")
        case .itemUpdated(_, let id, _, let new):
            return line("update(\(SwiftText.id(id)), content: \(SwiftText.bytes(try list.log.content(of: new))))")
        case .itemsIndented(_, let ids, let change):
            return line("changeDepth(of: \(SwiftText.selection(Array(ids))), by: \(change))")
        case .itemCollapsed(_, let id, let isCollapsed):
            return line("setCollapsed(\(isCollapsed), for: \(SwiftText.id(id)))")
        case .sectionInserted(let index, let section):
            return try copy.sections([section]).flatMap { call("list.insertSection(", $0, ", at: .at(\(index)))") }
        case .sectionDeleted(_, let section): return line("deleteSection(.section(\(SwiftText.id(section.id))))")
        case .sectionMoved(_, let to, let id):
            return line("moveSection(.section(\(SwiftText.id(id))), to: .at(\(to)))")
        case .sectionRenamed(_, let id, _, let new):
            return line("renameSection(.section(\(SwiftText.id(id))), to: \(SwiftText.literal(new)))")
        case .listReloaded(_, let new):
            let sections = try copy.sections(new).flatMap { section in
                call("", section, ",").map { $0.replacing("            try ", with: "                ") }
            }
            return ["            try list.reload(["] + sections + ["            ])"]
        case .annotated(let name, let value):
            // What another log says of its replicas.
            if CommitAnnotation.isReserved(name) { return [] }
            return ["            list.annotate(\(SwiftText.literal(name)), with: \(SwiftText.bytes(value)))"]
        case .unrecognised: return []
        }
    }

    /// A call with a section, whose rows have lines of their own.
    private func call(_ function: String, _ section: NewSection, _ end: String) -> [String] {
        let head = "NewSection(id: \(SwiftText.id(section.id)), title: \(SwiftText.literal(section.title))"
        if section.items.isEmpty { return ["            try \(function)\(head))\(end)"] }
        return ["            try \(function)", "                \(head), items: ["] + section.items.map(row)
            + ["                ])\(end)"]
    }

    private func row(_ row: NewRow) -> String {
        var text = "id: \(SwiftText.id(row.id))"
        if row.isChecked { text += ", isChecked: true" }
        text += ", content: \(SwiftText.bytes(row.content))"
        if row.depth > 0 { text += ", depth: \(row.depth)" }
        if row.isCollapsed { text += ", isCollapsed: true" }
        return "                    NewRow(\(text)),"
    }

    // MARK: - What is wrong

    /// Gives the rows to a program, given as a literal.
    private static func judging(_ command: String) -> [String] {
        """

                // The program that says whether they are wrong.
                let input = folder.appending(path: "rows.json")
                try json(rows, store.source).write(to: input)
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/bin/sh")
                process.arguments = ["-c", \(command)]
                process.environment = ProcessInfo.processInfo.environment
                    .merging(["LISTORY_VERSION": "\\(rows.version)"]) { $1 }
                process.standardInput = try FileHandle(forReadingFrom: input)
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
        """.components(separatedBy: "\n")
    }

    /// The function that writes the rows for a program. How `show` writes a content stands in a table if that is not how its bytes
    /// are, because a test does not know how the tool writes JSON.
    private func json() throws -> [String] {
        let entries = try contents().compactMap { content -> String? in
            let shown = content.withUnsafeBytes { RowContent.value($0) }.bytes
            if shown == content { return nil }
            let text = SwiftText.literal(String(decoding: shown, as: UTF8.self))
            return "            \(SwiftText.bytes(content)): \(text),"
        }
        let declaration = "        let contents: [[UInt8]: String] = "
        let table = entries.isEmpty ? [declaration + "[:]"] : [declaration + "["] + entries + ["        ]"]
        return TestFile.json.flatMap { $0.hasSuffix("CONTENTS") ? table : [$0] }
    }

    /// The function that says whether words are in a row. The contents that have them stand in a table, because a test does not know
    /// in which texts of a content the tool searches.
    private func searching(_ condition: RowCondition) throws -> [String] {
        let contents = try contents()
        let table = condition.words.flatMap { words in
            contents.filter { $0.withUnsafeBytes { words.words.match(content: $0) } }
                .map { "            (\(SwiftText.literal(words.text)), \(SwiftText.bytes($0)))," }
        }
        return TestFile.searching.flatMap { $0.hasSuffix("CONTENTS") ? table : [$0] }
    }

    /// The contents that rows have somewhere in the list, each once.
    private func contents() throws -> [[UInt8]] {
        var references = list.start.sections.flatMap { $0.items.map(\.content) }
        for event in list.commits.flatMap(\.events) {
            references += event.newRows.map(\.content)
            if case .itemUpdated(_, _, _, let new) = event { references.append(new) }
        }
        var known: Set<[UInt8]> = []
        return try references.map { try list.log.content(of: $0) }.filter { known.insert($0).inserted }
    }

    private static let json = #"""

            /// The rows as `listory show --json` prints them: the members in this order, without blanks, and a line break.
            private func json(_ rows: UntypedSnapshot, _ source: any CommitSource) throws -> Data {
                CONTENTS
                func string(_ text: String) -> String {
                    text.unicodeScalars.reduce(into: "\"") { result, scalar in
                        switch scalar {
                        case "\"", "\\": result += "\\\(scalar)"
                        case "\n": result += "\\n"
                        case "\r": result += "\\r"
                        case "\t": result += "\\t"
                        case _ where scalar.value < 0x10: result += "\\u000\(String(scalar.value, radix: 16))"
                        case _ where scalar.value < 0x20: result += "\\u00\(String(scalar.value, radix: 16))"
                        default: result.unicodeScalars.append(scalar)
                        }
                    } + "\""
                }
                func id(_ id: UntypedID) -> String {
                    switch id {
                    case .integer(let number): "\(number)"
                    case .string(let text): string(text)
                    case .uuid(let value): string(value.uuidString)
                    }
                }
                func item(_ row: UntypedRow) throws -> String {
                    var text = "{\"id\":\(id(row.id)),\"checked\":\(row.isChecked)"
                    if row.depth > 0 { text += ",\"depth\":\(row.depth)" }
                    if row.isCollapsed { text += ",\"collapsed\":true" }
                    let content = try source.content(of: row.content)
                    return text + ",\"content\":\(contents[content] ?? String(decoding: content, as: UTF8.self))}"
                }
                let sections = try rows.sections.map { section in
                    let items = try section.items.map(item).joined(separator: ",")
                    return "{\"id\":\(id(section.id)),\"title\":\(string(section.title)),\"items\":[\(items)]}"
                }
                let head = "{\"version\":\(rows.version),\"hash\":\"\(rows.stateHash)\""
                return Data("\(head),\"sections\":[\(sections.joined(separator: ","))]}\n".utf8)
            }
        """#.components(separatedBy: "\n")

    private static let searching = """

            /// Whether `listory` finds words in a row.
            private func has(_ words: String, _ row: UntypedRow, _ source: any CommitSource) throws -> Bool {
                let found: [(words: String, content: [UInt8])] = [
                    CONTENTS
                ]
                let content = try source.content(of: row.content)
                return found.contains { $0.words == words && $0.content == content }
            }
        """.components(separatedBy: "\n")
}
