// Tests that each answer says what the library and the tool say about the same store.

import Foundation
import ListModel
import Listory
import ListoryTestSupport
import TestSupport
import Testing
import ToolSupport

@testable import ListoryInspector

@Suite("Answers")
struct AnswerTests {
    private let folder: TemporaryFolder
    private let store: UntypedStore
    private let source: any CommitSource
    private var random: SeededGenerator

    init() throws {
        folder = try TemporaryFolder.inMemory()
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        random = SeededGenerator(seed: seed)
        store = try RandomList.store(in: folder, seed: seed, edits: 150)
        source = store.source
    }

    private func randomVersion(_ random: inout SeededGenerator) throws -> UInt64 {
        UInt64.random(in: 0...(try store.version.rawValue), using: &random)
    }

    /// A row as the answers write it.
    private func brief(_ row: UntypedRow, _ more: [String: JSONValue] = [:]) throws -> JSONValue {
        var writer = JSONWriter()
        writer.write(row.id)
        var members: [String: JSONValue] = [
            "id": try JSONValue(parsing: writer.bytes), "checked": .bool(row.isChecked),
            "title": .string(try source.withContent(of: row.content) { RowContent.title($0) }.shown),
            "bytes": .integer(Int64(row.content.length)),
        ]
        if row.depth > 0 { members["depth"] = .integer(Int64(row.depth)) }
        if row.isCollapsed { members["collapsed"] = .bool(true) }
        return .object(members.merging(more) { $1 })
    }

    /// An id as a parameter.
    private func parameter(_ id: UntypedID) -> String {
        var writer = JSONWriter()
        writer.write(id)
        return writer.text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
    }

    private func path(_ path: ListIndexPath) -> JSONValue {
        .array([.integer(Int64(path.section)), .integer(Int64(path.item))])
    }

    /// All lines of a version, one after another.
    private func lines(_ rows: UntypedSnapshot) throws -> [JSONValue] {
        var lines: [JSONValue] = []
        for (index, section) in rows.sections.enumerated() {
            var writer = JSONWriter()
            writer.write(section.id)
            lines.append(
                .object([
                    "section": .integer(Int64(index)), "id": try JSONValue(parsing: writer.bytes),
                    "title": .string(section.title), "count": .integer(Int64(section.items.count)),
                ]))
            for (item, row) in section.items.enumerated() {
                lines.append(try brief(row, ["at": path(ListIndexPath(section: index, item: item))]))
            }
        }
        return lines
    }

    @Test("The windows of random versions are parts of all lines of these versions")
    func windows() async throws {
        var random = random
        try await inspecting(store) { _, browser in
            for _ in 0..<60 {
                let version = try randomVersion(&random)
                let rows = try store.snapshot(at: Version(version))
                let all = try lines(rows)
                let from = Int.random(in: 0...all.count + 2, using: &random)
                let limit = Int.random(in: 1...20, using: &random)
                let answer = try browser.get("/api/rows?at=\(version)&from=\(from)&limit=\(limit)")
                #expect(answer["lines"]?.elements == Array(all.dropFirst(from).prefix(limit)))
                #expect(answer["total"]?.number == all.count && answer["rows"]?.number == rows.itemCount)
                #expect(answer["hash"]?.text == rows.stateHash.description)
                #expect(answer["version"]?.number == Int(version))
            }
        }
    }

    @Test("Rows are found where they are, with their whole content, at any version")
    func rows() async throws {
        var random = random
        try await inspecting(store) { _, browser in
            for _ in 0..<20 {
                let version = try randomVersion(&random)
                let rows = try store.snapshot(at: Version(version))
                guard let section = rows.sections.randomElement(using: &random),
                    let row = section.items.randomElement(using: &random), let place = rows.indexPath(of: row.id)
                else { continue }
                let id = parameter(row.id)
                let found = try browser.get("/api/find?id=\(id)&at=\(version)")
                #expect(found["at"] == path(place))
                #expect(found["line"]?.number == rows.rows(in: .rowsWithHeaders).offset(of: place))
                let report = try RowReport(IdentifierText(row.id), in: store, at: VersionName("\(version)"))
                let printed = try JSONValue(parsing: report.json())
                let told = try browser.get("/api/row?id=\(id)&at=\(version)")
                for name in ["version", "section", "at"] { #expect(told[name] == printed[name]) }
                for name in ["id", "checked", "content"] { #expect(told["row"]?[name] == printed["row"]?[name]) }
            }
            #expect(try browser.get("/api/find?id=%22nobody%22")["line"] == .null)
            #expect(try browser.get("/api/row?id=%22nobody%22")["at"] == .null)
            #expect(try browser.ask("/api/rows?at=100000").status == 404)
        }
    }

    @Test("Changes are the changeset, and diff has the right place and row on both sides")
    func changes() async throws {
        var random = random
        try await inspecting(store) { _, browser in
            for _ in 0..<40 {
                let (from, to) = (try randomVersion(&random), try randomVersion(&random))
                let (old, new) = (try store.snapshot(at: Version(from)), try store.snapshot(at: Version(to)))
                let changeset = Changeset(from: old, to: new)
                var writer = JSONWriter()
                writer.write(changeset)
                let answer = try browser.get("/api/changes?from=\(from)&to=\(to)")
                #expect(try answer["changeset"] == JSONValue(parsing: writer.bytes))
                #expect(answer["count"]?.number == changeset.count)

                let diff = try browser.get("/api/diff?from=\(from)&to=\(to)&limit=500")
                #expect(diff["count"]?.number == changeset.count)
                for change in diff["changes"]?.elements ?? [] {
                    for (side, rows) in [("old", old), ("new", new)] {
                        guard let shown = change[side] else { continue }
                        if let index = shown["section"]?.number {
                            #expect(shown["count"]?.number == rows.sections[index].items.count)
                            continue
                        }
                        let at = shown["at"]?.elements.compactMap(\.number) ?? []
                        let place = ListIndexPath(section: at[0], item: at[1])
                        #expect(try shown == brief(rows.item(at: place)!, ["at": path(place)]))
                    }
                    if change["kind"] == .string("updated") {
                        #expect(change["old"]?["id"] == change["new"]?["id"] && change["old"] != change["new"])
                    }
                }
                let parts = try (0..<(changeset.count + 6) / 7).flatMap { part in
                    try browser.get("/api/diff?from=\(from)&to=\(to)&skip=\(part * 7)&limit=7")["changes"]!.elements
                }
                #expect(parts == diff["changes"]?.elements)
            }
        }
    }

    @Test("The batches are those of a table view, with the verdict of the simulator")
    func batches() async throws {
        var random = random
        try await inspecting(store) { _, browser in
            for _ in 0..<30 {
                let (from, to) = (try randomVersion(&random), try randomVersion(&random))
                let (old, new) = (try store.snapshot(at: Version(from)), try store.snapshot(at: Version(to)))
                let answer = try browser.get("/api/batches?from=\(from)&to=\(to)")
                let batches = ListTransition(from: old, to: new).batches()
                #expect(answer["accepted"] == .bool(true) && answer["verdict"] == .string("accepted"))
                #expect(
                    answer["batches"]?.elements.map { $0["operations"] }
                        == batches.map { .array($0.operations.map { .string($0.description) }) })
            }
        }
    }

    @Test("The pages of the log are what the tool prints, with and without filters")
    func log() async throws {
        try await inspecting(store) { _, browser in
            for (query, change) in [
                ("", { (_: inout LogFilter) in }), ("cause=undo&cause=go", { $0.causes = ["undo", "go"] }),
                ("kind=itemUpdated", { $0.kinds = ["itemUpdated"] }), ("origin=anna", { $0.origin = "anna" }),
                ("name=edit%201", { $0.name = SearchWords("edit 1") }),
                ("text=changed", { $0.text = SearchWords("changed") }), ("row=3", { $0.row = IdentifierText("3") }),
                ("section=2", { $0.section = IdentifierText("2") }),
            ] {
                var lines: [UInt8] = []
                var report = LogReport(store, .json, .plain) { lines += $0 }
                report.detail = .counts
                change(&report.filter)
                try report.print()
                var (found, before): ([JSONValue], String?) = ([], "")
                while let place = before {
                    let page = try browser.get("/api/log?limit=7&\(query)\(place)")
                    let commits = try #require(page["commits"]).elements
                    #expect(commits.count <= 7)
                    found += commits
                    before = try Self.nextPage(#require(page["next"]))
                }
                #expect(try found == JSONValue.lines(lines), "\(query)")
            }
        }
    }

    /// The parameter for the next page of the log; nil after the last.
    private static func nextPage(_ next: JSONValue) -> String? { next.number.map { "&before=\($0)" } }

    /// What the tool prints about some commits, with all of their rows.
    private func log(_ versions: ClosedRange<UInt64>, _ format: OutputFormat) throws -> [UInt8] {
        var printed: [UInt8] = []
        var report = LogReport(store, format, .plain) { printed += $0 }
        report.detail = .everything
        var span = LogReport.Span()
        (span.first, span.last) = (VersionName(Version(versions.lowerBound)), VersionName(Version(versions.upperBound)))
        try report.print(span)
        return printed
    }

    @Test("A commit has the events and the lines of the log")
    func commits() async throws {
        var random = random
        try await inspecting(store) { _, browser in
            for _ in 0..<30 {
                let version = max(1, try randomVersion(&random))
                let (json, text) = (try log(version...version, .json), try log(version...version, .text))
                let answer = try browser.get("/api/commit?version=\(version)")
                let line = try JSONValue(parsing: json)
                #expect(answer["events"]?.elements.map { $0["event"] } == line["events"]?.elements)
                let shown = (answer["events"]?.elements ?? []).flatMap { $0["text"]?.elements ?? [] }
                let printed = String(decoding: text, as: UTF8.self).split(separator: "\n").dropFirst().map {
                    JSONValue.string(String($0.dropFirst(4)))
                }
                #expect(shown == printed)
                #expect(answer["name"] == line["name"] && answer["hash"] == line["hash"])
                let parent = try store.commit(Version(version)).parent
                #expect(answer["parent"]?.number == parent.map { Int($0.rawValue) })
            }
        }
    }

    @Test("Histories and blame are those of the library")
    func histories() async throws {
        try await inspecting(store) { _, browser in
            let rows = try store.snapshot
            for id in rows.sections.flatMap({ $0.items.map(\.id) }).prefix(20) {
                let found = try changes(of: id, browser)
                let expected = try store.history(ofRow: id)
                #expect(found.map { $0["version"]?.number } == expected.map { Int($0.commit.version.rawValue) })
                #expect(
                    found.map { $0["kinds"]?.elements.compactMap(\.text).joined(separator: ", ") }
                        == expected.map { "\($0.kinds)" })

                let blame = try store.blame(ofRows: [id])[0]
                let shown = try browser.get("/api/blame?id=\(parameter(id))")["commits"]
                for (name, commit) in blame.parts {
                    #expect(shown?[name]?["version"]?.number == commit.map { Int($0.version.rawValue) })
                }
            }
            #expect(try browser.get("/api/blame?id=%22nobody%22")["commits"] == .null)
            #expect(try browser.ask("/api/history?id=%22nobody%22").status == 404)
        }
    }

    /// The changes of a row that the page asks for, two at a time.
    private func changes(of id: UntypedID, _ browser: Browser) throws -> [JSONValue] {
        var (found, before): ([JSONValue], String) = ([], "")
        while true {
            let page = try browser.get("/api/history?id=\(parameter(id))&limit=2\(before)")
            found += page["changes"]?.elements ?? []
            guard let next = page["next"]?.number else {
                #expect(page["next"] == .null)
                return found
            }
            before = "&before=\(next)"
        }
    }

    @Test("If there is no time, an answer about the trash ends with a commit, and the next one continues behind it")
    func trashInParts() async throws {
        var limits = Limits()
        limits.answerTime = .zero
        try await inspecting(store, limits: limits) { _, browser in
            for words in ["", "changed", "nowhere"] {
                let all = try browser.allTrash(words)
                var printed: [UInt8] = []
                try TrashReport.print(store, containing: SearchWords(words), .json) { printed += $0 }
                #expect(all.rows.map { $0["row"]?["id"] } == (try JSONValue.lines(printed)).map { $0["row"]?["id"] })
                // The rows of a commit are in one answer.
                let commits = Set(try store.trash().map(\.commit.version)).count
                #expect(commits > 3 && all.answers == commits, "\(words)")
            }
        }
        // With time for all of it, one answer is enough.
        limits.answerTime = .seconds(3600)
        try await inspecting(store, limits: limits) { _, browser in
            let answers = try browser.allTrash("").answers
            #expect(answers == 1)
        }
    }

    @Test("The trash has the rows that the tool prints, with and without words, as far as the limit")
    func trash() async throws {
        var limits = Limits()
        limits.answerTime = .seconds(3600)
        try await inspecting(store, limits: limits) { _, browser in
            for words in ["", "changed", "row 1", "nowhere"] {
                var printed: [UInt8] = []
                try TrashReport.print(store, containing: SearchWords(words), .json) { printed += $0 }
                let all = try JSONValue.lines(printed)
                for limit in [1, 5, 1000] {
                    let text = words.replacingOccurrences(of: " ", with: "+")
                    let answer = try browser.get("/api/trash?words=\(text)&limit=\(limit)")
                    let rows = answer["rows"]?.elements ?? []
                    #expect(rows.map { $0["row"]?["id"] } == all.prefix(limit).map { $0["row"]?["id"] }, "\(words)")
                    #expect(rows.map { $0["deleted"] } == all.prefix(limit).map { $0["deleted"] })
                    #expect(rows.map { $0["section"] } == all.prefix(limit).map { $0["section"] })
                    #expect(answer["more"] == .bool(all.count > limit) && answer["next"] == .null)
                    if words.isEmpty {
                        let last = try store.trash(limit: limit).map { Int($0.lastVersion.rawValue) }
                        #expect(rows.map { $0["last"]?.number } == last)
                    }
                }
            }
        }
    }

    @Test("Why a row is where it is, in the list and through a view, is what the tool prints")
    func why() async throws {
        var random = random
        try await inspecting(store) { _, browser in
            var view = ViewRequest()
            (view.isUnchecked, view.words, view.sortKey, view.limit) = (true, "row", "title", 5)
            var grouped = ViewRequest()
            (grouped.filters, grouped.groupKey) = ([("title", "row 1"), ("none", "a=b")], "title")
            for (query, view) in [
                ("", ViewRequest()), ("&unchecked=true&search=row&sort=title&limit=5", view),
                ("&filter=title%3Drow+1&filter=none%3Da%3Db&group=title", grouped),
            ] {
                for _ in 0..<15 {
                    let version = try randomVersion(&random)
                    let rows = try store.snapshot(at: Version(version))
                    guard let row = rows.sections.randomElement(using: &random)?.items.randomElement(using: &random)
                    else { continue }
                    let id = parameter(row.id)
                    let answer = try browser.get("/api/why?id=\(id)&at=\(version)\(query)")
                    let report = try ExplanationReport(
                        IdentifierText(row.id), in: store, at: VersionName(Version(version)), through: view)
                    #expect(
                        try answer["text"]?.elements.compactMap(\.text)
                            == report.text().split(separator: "\n").map(String.init))
                    let line = try JSONValue(parsing: report.json().dropLast())
                    for name in ["list", "shown", "row", "decisions", "commits"] {
                        #expect(answer[name] == line[name], "\(name)")
                    }
                }
            }
            #expect(try browser.get("/api/why?id=%22nobody%22")["text"] == .array([]))
        }
    }

    @Test("Search finds the rows that have the words, page by page")
    func search() async throws {
        try await inspecting(store) { _, browser in
            let rows = try store.snapshot
            for words in ["changed", "row 1", "nowhere"] {
                var lines: [UInt8] = []
                try SearchReport(rows, source).print(SearchWords(words), limit: nil, .json) { lines += $0 }
                var (found, next): ([JSONValue], JSONValue?) = ([], .integer(0))
                while let from = next?.number {
                    let text = words.replacingOccurrences(of: " ", with: "+")
                    let page = try browser.get("/api/search?words=\(text)&from=\(from)&limit=3")
                    found += page["rows"]?.elements ?? []
                    next = page["next"]
                }
                let expected = try JSONValue.lines(lines)
                #expect(found.map { $0["at"] } == expected.map { $0["at"] })
                #expect(found.map { $0["row"]?["id"] } == expected.map { $0["row"]?["id"] })
            }
        }
    }

    @Test("The buckets of the timeline cover every version once, each with the time of its last commit")
    func timeline() async throws {
        try await inspecting(store) { _, browser in
            let last = Int(try store.version.rawValue)
            for count in [1, 7, 200, 1000] {
                let answer = try browser.get("/api/timeline?buckets=\(count)")
                var expected = 1
                for bucket in answer["buckets"]?.elements ?? [] {
                    #expect(bucket["first"]?.number == expected)
                    let end = try #require(bucket["last"]?.number)
                    #expect(try bucket["time"]?.text == store.commit(Version(UInt64(end))).time.text)
                    expected = end + 1
                }
                #expect(expected == last + 1)
                #expect((answer["buckets"]?.elements.count ?? 0) <= count + 1)
                #expect(try answer["branches"]?.elements == JSONValue.lines(BranchReport(store, limit: 100).json()))
            }
        }
    }

    @Test("An exported file is what the tool writes")
    func export() async throws {
        try await inspecting(store) { _, browser in
            var whole: [UInt8] = []
            try ExportReport(store).print(progress: { _ in }) { whole += $0 }
            let part = try browser.ask("/api/export?format=lines&from=3&to=9")
            #expect(try part.body == log(3...9, .json))
            #expect(part.fields["content-disposition"] == "attachment; filename=\"random-log.jsonl\"")
            #expect(try browser.ask("/api/export?format=store").body == whole)
            #expect(try browser.ask("/api/export?format=lines&from=100000").status == 404)
        }
    }

    @Test("An exported test is the one that extract writes")
    func exportedTest() async throws {
        if try store.snapshot.itemCount == 0 {
            let row = NewRow(id: 1, content: [])
            try store.edit("Row") { try $0.insertSection(NewSection(id: "of the test", items: [row])) }
        }
        let row = try #require(try store.snapshot.sections.flatMap(\.items).first?.id)
        let text = if case .string(let text) = row { "row \"\(text)\" exists" } else { "row \(row) exists" }
        let judge = Bisection.Judge.condition(try RowCondition(text))
        try await inspecting(store) { [store, folder] _, browser in
            let condition = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            for keepsContents in [false, true] {
                let range = try VersionRange("first..head").commits(in: store)
                let found = try Reduction(range, of: store, judge, keepsContents: keepsContents, limit: .seconds(1e6))
                let file = folder.file("\(keepsContents)/RandomTests.swift")
                try FileManager.default.createDirectory(
                    atPath: folder.file("\(keepsContents)"), withIntermediateDirectories: true)
                try TestFile(found.list, judge).write(to: file)
                let answer = try browser.ask(
                    "/api/export?format=test&where=\(condition)&keepContents=\(keepsContents)")
                #expect(try Data(answer.body) == Data(contentsOf: URL(filePath: file)))
                #expect(answer.fields["content-disposition"] == "attachment; filename=\"RandomTests.swift\"")
            }
            #expect(try browser.ask("/api/export?format=test&from=100000&where=\(condition)").status == 404)
        }
    }

    @Test("One test is made at a time, others do not wait for it, and a browser that goes away ends it")
    func endlessTest() async throws {
        // Nothing can be left out, which takes minutes to find out.
        try store.edit("Many") { edit in
            try edit.insertSection(
                NewSection(id: "many", items: (0..<5000).map { NewRow(id: .string("r\($0)"), content: []) }))
        }
        var limits = Limits()
        limits.testSeconds = 1e6
        try await inspecting(store, limits: limits) { _, browser in
            let path = "/api/export?format=test&where=section+many+"
            let lines = ["GET \(browser.prefix)\(path)count+%3D+5000 HTTP/1.1"] + browser.fields
            var slow: Connection?
            var answer: Answer
            // Whichever of the two comes first.
            repeat {
                slow = try Connection(port: browser.port)
                slow?.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
                answer = try browser.ask("\(path)exists")
            } while answer.status == 200
            #expect(answer.status == 503 && answer.errorCode == "tooMany")
            #expect(try browser.get("/api/state")["rows"] != nil)
            slow = nil
            while answer.status == 503 { answer = try browser.ask("\(path)exists") }
            #expect(answer.status == 200)
            withExtendedLifetime(slow) {}
        }
    }

    @Test("The state has what the store has, and follows its edits")
    func state() async throws {
        try await inspecting(store) { _, browser in
            for _ in 0..<3 {
                let state = try browser.get("/api/state")
                #expect(try state["version"]?.number == Int(store.version.rawValue))
                #expect(try state["position"]?.number == Int(store.history.position.rawValue))
                #expect(try state["hash"]?.text == store.snapshot.stateHash.description)
                #expect(try state["undo"]?["name"]?.text == store.undoState().undo?.name)
                #expect(try state["redo"]?["name"]?.text == store.undoState().redo?.name)
                #expect(state["canWrite"] == .bool(false) && state["token"] == nil)
                // The last of the random edits may have gone back to the beginning.
                if try store.undoState().undo == nil { break }
                try store.undo(onConflict: .skip)
            }
        }
    }

    @Test("A parameter that is unknown, missing, repeated or wrong is refused with what was expected")
    func parameters() async throws {
        try await inspecting(store) { _, browser in
            for query in [
                "rows?at=head~x", "rows?at=", "rows?limit=0", "rows?limit=501", "rows?limit=-1", "rows?limit=+5",
                "rows?from=1.5",
                "rows?from=99999999999999999999", "rows?nothing=1", "rows?at=1&at=2", "rows?at=%ZZ", "rows?at=%FF",
                "row", "row?id=", "row?id=seven", "row?id=[7]", "find", "search", "search?words=", "changes",
                "changes?from=1", "changes?to=1",
                "batches?from=1", "diff?to=1", "timeline?buckets=0", "timeline?buckets=1001", "log?limit=201",
                "log?cause=nothing", "log?kind=nothing", "log?since=yesterday", "commit", "commit?version=", "history",
                "history?id=1&section=yes", "trash?limit=0", "trash?before=", "why", "why?id=1&outline=1",
                "why?id=1&filter=done",
                "why?id=1&limit=x", "blame", "blame?id=1&from=0", "export", "export?format=xml",
                "export?format=store&from=1", "export?format=lines&where=count+%3D+1", "export?format=test",
                "export?format=test&where=row", "export?format=test&where=count+%3D+99999",
                "export?format=test&where=count+%3E%3D+0", "export?format=test&from=9&to=3&where=count+%3D+1",
                "export?format=test&where=count+%3D+1&keepContents=1", "state?x=1", "events?x=1",
            ] {
                let answer = try browser.ask("/api/\(query)")
                #expect(answer.status == 400 && answer.errorCode == "invalidRequest", "\(query): \(answer)")
                #expect(try answer.json["error"]?["message"]?.text?.contains("expected") == true, "\(answer)")
            }
            let unnamed = try browser.ask("/api/rows?at=soon")
            #expect(unnamed.status == 404 && unnamed.errorCode == "unknownName", "\(unnamed)")
            #expect(try browser.get("/api/rows?from=9223372036854775807&limit=500")["lines"]?.elements == [])
        }
    }
}

extension Browser {
    /// All deleted rows with some words, and how many answers they came in.
    fileprivate func allTrash(_ words: String) throws -> (rows: [JSONValue], answers: Int) {
        var (rows, answers, before): ([JSONValue], Int, String) = ([], 0, "")
        while true {
            let answer = try get("/api/trash?limit=1000&words=\(words)\(before)")
            #expect(answer["more"] == .bool(false))
            rows += answer["rows"]?.elements ?? []
            answers += 1
            guard let next = answer["next"]?.number else { return (rows, answers) }
            before = "&before=\(next)"
        }
    }
}
