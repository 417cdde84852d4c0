// What the page tells about commits, rows and differences, compared with the library and the tool.

import Foundation
import ListModel
import Listory
import Testing
import TestSupport
import ToolSupport

extension BrowserTests {
    @Suite struct Questions {
        @Test func `the log and its filters are those of the tool`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                #expect(try await page.logVersions() == list.versions(LogFilter()))
                try await page.click("#filter-button")
                var filter = LogFilter()
                filter.text = SearchWords("pears")
                try await page.fill("#filter [name=text]", "pears")
                try await page.press("Enter")
                try await page.expect(log: list.versions(filter))
                filter.kinds = ["itemsMoved"]
                try await page.choose("#filter [name=kind]", "itemsMoved")
                try await page.click("#filter [type=submit]")
                try await page.expect(log: list.versions(filter))
                filter = LogFilter()
                filter.causes = ["undo"]
                try await page.click("#filter [type=reset]")
                try await page.choose("#filter [name=cause]", "undo")
                try await page.click("#filter [type=submit]")
                try await page.expect(log: list.versions(filter))
                filter = LogFilter()
                filter.row = IdentifierText("7")
                try await page.click("#filter [type=reset]")
                try await page.fill("#filter [name=row]", "7")
                try await page.press("Enter")
                try await page.expect(log: list.versions(filter))
                // A click shows the version of a commit.
                let versions = try list.versions(filter)
                try await page.click("#log [role=option]:last-child")
                try await page.wait(forVersion: versions.last!)
                #expect(try await page.lines() == list.lines(at: versions.last!))
            }
        }

        @Test func `a commit shows its events, contents before and after, and the batches with the verdict`()
            async throws
        {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                try await page.evaluate("document.querySelector('#tab-commit').click()")
                for version in 1...(try list.newest) {
                    try await page.go(to: "\(version)")
                    try await page.wait(forVersion: version)
                    try await page.wait("document.querySelector('#detail').dataset.version === '\(version)'")
                    let commit = try list.store.commit(Version(version))
                    #expect(try await page.texts("#detail .event").count == commit.eventCount, "version \(version)")
                    #expect(try await page.texts("#detail code") == [commit.stateHash.description])
                    #expect(try await page.texts("#detail h2")[0].contains(commit.name))
                    if try await page.evaluate("!document.querySelector('#detail details').open") == .bool(true) {
                        try await page.click("#detail summary")
                    }
                    try await page.wait("document.querySelector('#detail details .good')")
                    #expect(try await page.texts("#detail details .good") == ["Strict list view: accepted"])
                }
                try await page.go(to: "4")
                try await page.wait(forVersion: 4)
                try await page.wait("document.querySelector('#detail').dataset.version === '4'")
                #expect(try await page.texts("#detail .event .old").joined().contains("Milk"))
                #expect(try await page.texts("#detail .event .new").joined().contains("Oat milk"))
                #expect(try await page.texts("#detail .event .new mark") == ["Oat m"])
            }
        }

        @Test func `a click on a row shows its content, blame and history`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                for (id, title) in [(UntypedID.integer(1), "Oat milk"), (5, "Pears"), (7, "Coffee beans, 1 kg")] {
                    try await page.clickRow(title)
                    try await page.wait("document.querySelector('#detail h2').textContent === 'Row \(id)'")
                    let history = try list.store.history(ofRow: id)
                    #expect(
                        try await page.texts("#detail .history .version") == history.map { "\($0.commit.version)" },
                        "\(title)")
                    #expect(
                        try await page.texts("#detail .history .kinds") == history.map { "\($0.kinds)" }, "\(title)")
                    let blame = try #require(try list.store.blame(ofRows: [id]).first)
                    let commits = [blame.inserted, blame.updated, blame.toggled, blame.outlined, blame.moved]
                        .compactMap { $0.map { "\($0.version)" } }
                    #expect(try await page.texts("#detail .blame .version") == commits, "\(title)")
                    let report = try ExplanationReport(
                        IdentifierText(id), in: list.store, at: nil, through: ViewRequest())
                    #expect(
                        try await page.texts("#detail .why li").joined(separator: "\n") + "\n" == report.text(),
                        "\(title)")
                    let contents = try await page.texts("#detail .content")
                    #expect(contents.contains { $0.contains(title) })
                    // From the history to the version, with the row still chosen.
                    let first = try #require(history.last?.commit.version.rawValue)
                    try await page.click("#detail .history li:last-child .version")
                    try await page.wait(forVersion: first)
                    try await page.wait("document.querySelector('#detail').dataset.version === '\(first)'")
                    #expect(try await page.texts("#detail h2") == ["Row \(id)"])
                    try await page.click("#last")
                    try await page.wait(forVersion: list.newest)
                }
            }
        }

        @Test func `two versions are side by side, with marks for what differs`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path) { page in
                for (old, new) in [(3, newest), (newest, 5), (7, 8), (6, 6)] as [(UInt64, UInt64)] {
                    try await page.go(to: "\(new)")
                    try await page.wait(forVersion: new)
                    try await page.fill("#other", "\(old)")
                    try await page.press("Enter")
                    try await page.wait("document.querySelector('#other-title').textContent === 'Version \(old)'")
                    #expect(try await page.lines("#other-list") == list.lines(at: old))
                    #expect(try await page.lines() == list.lines(at: new))
                    let changes = try list.store.changeset(from: Version(old), to: Version(new))
                    #expect(try await page.texts("#list .line.updated").count == changes.items.updated.count)
                    #expect(
                        try await page.texts("#list .line.inserted").count >= changes.items.inserted.count,
                        "\(old) to \(new)")
                    #expect(try await page.texts("#other-list .line.deleted").count >= changes.items.deleted.count)
                    let count = changes.items.total + changes.sections.total
                    try await page.wait("document.querySelector('#detail').dataset.panel === 'changes'")
                    #expect(try await page.texts("#detail .changes li").count == count, "\(old) to \(new)")
                }
                try await page.click("#compare-end")
                try await page.wait("document.querySelector('#other-side').hidden")
            }
        }

        @Test func `why a row is there leads to the commits that put it there`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                try await page.clickRow("Pears")
                try await page.wait("document.querySelector('#detail .why')")
                let explanation = try list.store.explanation(ofRow: 5)
                let moved = try #require(explanation.blame.moved?.version.rawValue)
                let versions = try await page.texts("#detail .why .version")
                #expect(versions.contains("\(moved)"))
                try await page.clickButton("#detail .why", "\(moved)")
                try await page.wait(forVersion: moved)
                #expect(try await page.lines() == list.lines(at: moved))
                // In a view, which stays for other rows.
                try await page.go(to: "\(list.newest)")
                try await page.wait(forVersion: list.newest)
                try await page.click("#detail details:has(.view) summary")
                var view = ViewRequest()
                (view.words, view.sortKey, view.isUnchecked) = ("pear", "title", true)
                try await page.fill("#detail .view [name=search]", "pear")
                try await page.fill("#detail .view [name=sort]", "title")
                try await page.click("#detail .view [name=unchecked]")
                try await page.clickButton("#detail .view", "Explain")
                try await page.wait("/pear/.test(document.querySelector('#detail .why').textContent)")
                for (title, id) in [("Pears", 5), ("Coffee beans, 1 kg", 7)] as [(String, UntypedID)] {
                    try await page.clickRow(title)
                    try await page.wait("document.querySelector('#detail h2').textContent === 'Row \(id)'")
                    let report = try ExplanationReport(IdentifierText(id), in: list.store, at: nil, through: view)
                    #expect(try await page.texts("#detail .why li").joined(separator: "\n") + "\n" == report.text())
                }
                try await page.clickRow("Pears")
                try await page.fill("#detail .view [name=filter]", "title")
                try await page.clickButton("#detail .view", "Explain")
                try await page.wait("document.activeElement.matches('#detail .view [name=filter]:invalid')")
                try await page.fill("#detail .view [name=filter]", "title=Apples")
                try await page.clickButton("#detail .view", "Explain")
                view.filters = [("title", "Apples")]
                let report = try ExplanationReport(IdentifierText(5), in: list.store, at: nil, through: view)
                let text = JSONValue.text(of: .string(try report.text()))
                try await page.wait(
                    "[...document.querySelectorAll('#detail .why li')].map((each) => `${each.textContent}\\n`).join('') === \(text)"
                )
                // Before the row was there.
                try await page.go(to: "2")
                try await page.wait(forVersion: 2)
                try await page.wait("document.querySelector('#detail').dataset.version === '2'")
                #expect(try await page.texts("#detail .why") == [])
            }
        }

        @Test func `the trash has the rows that the tool prints, and finds them by their words`() async throws {
            let list = try TestList.shopping()
            try list.deletePaint()
            try list.store.edit("Clear") { try $0.delete(.items([5, 1])) }
            try list.store.waitUntilDurable()
            try await withPage(of: list.path) { page in
                try await page.openTab("trash")
                let all = try list.store.trash()
                #expect(all.count > 3)
                #expect(try await page.texts("#detail .found .row .id") == all.map { "\($0.row.id)" })
                #expect(
                    try await page.texts("#detail .found .commit > .version") == all.map { "\($0.commit.version)" })
                try await page.fill("#detail [type=search]", "paint")
                try await page.press("Enter")
                try await page.wait("document.querySelectorAll('#detail .found li').length === 1")
                // To the last version that had it.
                try await page.click("#detail .found li > span .version")
                let last = try list.store.trash().first { $0.row.id == 3 }!.lastVersion.rawValue
                try await page.wait(forVersion: last)
                #expect(try await page.lines().contains { $0.title == "Paint the shed" })
                #expect(try await page.texts("#detail .found button").allSatisfy { !$0.hasPrefix("Put") })
            }
        }

        @Test func `the trash is shown to its end, however little the server looks at in time`() async throws {
            let list = try TestList.shopping()
            try list.deletePaint()
            try list.store.edit("Clear") { try $0.delete(.items([5, 1])) }
            try list.store.waitUntilDurable()
            // Each answer ends with the first commit of which it has rows.
            let script = """
                { const original = window.fetch;
                window.fetch = async (address, options) => {
                  const answer = await original(address, options);
                  if (!address.startsWith("api/trash")) return answer;
                  const { rows } = await answer.json();
                  const first = rows[0]?.deleted.version;
                  const kept = rows.filter((row) => row.deleted.version === first);
                  const next = kept.length < rows.length ? first : null;
                  return new Response(JSON.stringify({ rows: kept, more: false, next }));
                }; }
                """
            try await withPage(of: list.path, script: script) { page in
                try await page.openTab("trash")
                let all = try list.store.trash()
                #expect(Set(all.map(\.commit.version)).count > 1)
                #expect(try await page.texts("#detail .found .row .id") == all.map { "\($0.row.id)" })
            }
        }

        @Test func `finds rows by their words`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                try await page.openTab("find")
                try await page.fill("#detail [type=search]", "pea")
                try await page.press("Enter")
                try await page.wait("document.querySelectorAll('#detail .found .row').length === 1")
                try await page.click("#detail .found .row")
                try await page.wait("document.querySelector('#detail h2').textContent === 'Row 5'")
                try await page.wait("document.querySelector('#list .chosen .title').textContent === 'Pears'")
            }
        }

        @Test func `branches are those of the history`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                try await page.openTab("branches")
                let branches = try list.store.branches()
                #expect(branches.count > 1)
                #expect(
                    Set(try await page.texts("#detail .found .commit > .version"))
                        == Set(branches.map { "\($0.tip)" }))
            }
        }

        @Test func `a range is exported as the tool prints it`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                try await page.openTab("export")
                try await page.fill("#detail [name=from]", "3")
                try await page.fill("#detail [name=to]", "9")
                try await page.click("#detail button.main")
                let file = try await page.download()
                var lines: [UInt8] = []
                let report = LogReport(list.store, .json, .plain) { lines += $0 }
                var range = LogReport.Span()
                (range.first, range.last) = (VersionName(Version(3)), VersionName(Version(9)))
                try report.print(range)
                #expect(file == Data(lines))
            }
        }

        @Test func `of a log without commits the export says no time`() async throws {
            let list = try TestList()
            try await withPage(of: list.path) { page in
                try await page.openTab("export")
                #expect(try await page.texts("#detail > p") == ["The newest version is 0."])
            }
        }

        @Test func `a test of a range is saved as the tool writes it, or the page says why not`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                try await page.openTab("export")
                let field = "document.querySelector('#detail [name=where]')"
                #expect(try await page.evaluate("\(field).checkVisibility()") == .bool(false))
                try await page.click("#detail [value=test]")
                #expect(try await page.text("\(field).labels[0].textContent") == "What is true of bad versions")
                try await page.fill("#detail [name=from]", "3")
                for (wrong, words) in [
                    ("row 7 at later", "where: character 7: expected exists"),
                    ("row 8 in later", "bisect: version \(try list.newest): expected a bad one"),
                    ("row 1 in today", "bisect: version 2: expected a good one"),
                ] {
                    try await page.fill("#detail [name=where]", wrong)
                    try await page.press("Enter")
                    let shown = JSONValue.text(of: .string(words))
                    try await page.wait("document.querySelector('#problem').textContent.includes(\(shown))")
                    #expect(page.takeProblems().allSatisfy { $0.contains("400") })
                }
                try await page.fill("#detail [name=where]", "row 7 in later")
                try await page.click("#detail button.main")
                let saved = try await page.download()
                let judge = Bisection.Judge.condition(try RowCondition("row 7 in later"))
                let range = try VersionRange("3..head").commits(in: list.store)
                let found = try Reduction(range, of: list.store, judge, keepsContents: false, limit: .seconds(1e6))
                let file = list.folder.file("ShoppingTests.swift")
                try TestFile(found.list, judge).write(to: file)
                #expect(try saved == Data(contentsOf: URL(fileURLWithPath: file)))
                #expect(try await page.text("document.querySelector('#problem').textContent") == "")
            }
        }
    }

    @Suite struct Writing {
        @Test func `without permission there is nothing to edit with`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                try await page.clickRow("Bread")
                #expect(try await page.evaluate("document.querySelector('#editing').hidden") == .bool(true))
                let buttons = try await page.texts("#detail button")
                for word in ["Check", "Uncheck", "Delete", "Save", "Up", "Down", "Go here", "Restore"] {
                    #expect(!buttons.contains(word))
                }
            }
        }

        @Test func `with permission it saves what it shows, and inserts and renames`() async throws {
            let list = try TestList.shopping()
            let content = #"{"title":"Sugar","big":12345678901234567890}"#
            try list.store.edit("Sugar") {
                try $0.insert([NewRow(id: 8, content: Array(content.utf8))], at: .end(ofSection: "today"))
            }
            try list.store.waitUntilDurable()
            try await withPage(of: list.path, arguments: ["--allow-write"]) { page in
                func open(_ summary: String) async throws {
                    try await page.waitUntilShown()
                    try await page.evaluate(
                        """
                        [...document.querySelectorAll("#detail summary")].find((each) => each.textContent === "\(summary)").click()
                        """)
                }
                /// Waits for what a screen reader is told, also if other things are shown meanwhile.
                func expect(_ told: String, _ titles: [String], location: SourceLocation = #_sourceLocation)
                    async throws
                {
                    try await page.wait("document.querySelector('#status').textContent.startsWith('\(told)')")
                    #expect(try await page.texts("#problem") == [""], sourceLocation: location)
                    let lines = try await page.lines()
                    for title in titles { #expect(lines.contains { $0.title == title }, sourceLocation: location) }
                }
                try await page.clickRow("Sugar")
                let shown = try await page.texts("#detail .content")[0]
                #expect(shown.contains("12345678901234567890"))
                // As it is.
                try await open("Edit")
                try await page.clickButton("#detail", "Save")
                try await expect("The row is updated.", ["Sugar"])
                // A mistake keeps what was written.
                try await open("Edit")
                try await page.fill("#detail textarea", "{")
                try await page.clickButton("#detail", "Save")
                try await page.wait("document.querySelector('#problem').textContent.includes('not JSON')")
                #expect(try await page.text("document.querySelector('#detail textarea').value") == "{")
                try await page.fill("#detail textarea", "{\n  \"title\": \"Brown sugar\"\n}")
                let version = try await page.version
                try await page.clickButton("#detail", "Save")
                try await page.wait(forVersion: version + 1)
                try await expect("The row is updated.", ["Brown sugar"])
                try await page.clickRow("Today")
                try await open("Rename")
                try await page.fill("#detail details[open] input", "This week")
                try await page.press("Enter")
                try await expect("The section is renamed.", ["This week"])
                try await open("Insert a row")
                try await page.fill("#detail details[open] input", "9")
                try await page.fill("#detail details[open] textarea", #"{"title":"Salt"}"#)
                try await page.clickButton("#detail details[open]", "Insert")
                try await expect("The row is inserted.", ["Salt"])
                try await open("Insert a section")
                try await page.fill("#detail details[open] label:first-child input", "never")
                try await page.fill("#detail details[open] label:nth-child(2) input", "Never")
                try await page.press("Enter")
                try await expect("The section is inserted.", ["Never"])
                try await page.click("#undo")
                try await expect("Undone.", ["Salt"])
                #expect(try await !page.lines().contains { $0.title == "Never" })
                let last = try await page.version
                while try list.newest < last { try await Task.sleep(for: .milliseconds(5)) }
                let rows = try list.store.snapshot
                #expect(rows.sections.first { $0.id == "today" }?.items.contains { $0.id == 9 } == true)
            }
        }

        @Test func `with permission it edits, undoes, redoes, goes, restores and reverts`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path, arguments: ["--allow-write"]) { page in
                var newest = try list.newest
                /// Waits for the next version, which must be of this cause.
                func expect(_ cause: String, location: SourceLocation = #_sourceLocation) async throws {
                    newest += 1
                    try await page.wait(forVersion: newest)
                    // The store of this process learns of it a little later.
                    while try list.newest < newest { try await Task.sleep(for: .milliseconds(5)) }
                    #expect(
                        "\(try list.store.commit(Version(newest)).cause)".hasPrefix(cause), sourceLocation: location)
                    #expect(try await page.lines() == list.lines(at: newest), sourceLocation: location)
                }
                try await page.clickRow("Bread")
                let before = try await page.lines().first { $0.title == "Bread" }?.isChecked
                try await page.clickButton("#detail", before == true ? "Uncheck" : "Check")
                try await expect("edit")
                #expect(try await page.lines().first { $0.title == "Bread" }?.isChecked == (before != true))
                try await page.clickButton("#detail", "Up")
                try await expect("edit")
                try await page.evaluate(
                    "[...document.querySelectorAll('#detail details')].find((each) => each.querySelector('form')).open = true"
                )
                try await page.fill("#detail textarea", #"{"title":"Rye bread"}"#)
                try await page.clickButton("#detail", "Save")
                try await expect("edit")
                #expect(try await page.lines().contains { $0.title == "Rye bread" })
                try await page.clickButton("#detail", "Delete")
                try await expect("edit")
                try await page.click("#undo")
                try await expect("undo")
                try await page.click("#redo")
                try await expect("redo")
                try await page.openTab("trash")
                try await page.clickButton("#detail li", "Put back")
                try await expect("edit")
                #expect(try await page.lines().contains { $0.title == "Rye bread" })
                try await page.openTab("commit")
                try await page.go(to: "3")
                try await page.wait(forVersion: 3)
                try await page.clickButton("#detail", "Go here")
                try await expect("go")
                #expect(try await page.lines() == list.lines(at: 3))
                try await page.go(to: "5")
                try await page.wait(forVersion: 5)
                try await page.clickButton("#detail", "Restore")
                try await expect("restore")
                #expect(try await page.lines() == list.lines(at: 5))
                try await page.go(to: "4")
                try await page.wait(forVersion: 4)
                try await page.clickButton("#detail", "Revert this commit")
                try await expect("revert")
                // A row and a section as they were.
                try await page.go(to: "4")
                try await page.wait(forVersion: 4)
                try await page.clickRow("Oat milk")
                try await page.wait("document.querySelector('#detail h2').textContent === 'Row 1'")
                try await page.clickButton("#detail", "Restore the row")
                try await expect("edit")
                #expect(try await page.lines().contains { $0.title == "Oat milk" })
            }
        }
    }
}

extension TestList {
    /// The versions that `log` prints.
    fileprivate func versions(_ filter: LogFilter) throws -> [UInt64] {
        var lines: [UInt8] = []
        var report = LogReport(store, .json, .plain) { lines += $0 }
        report.filter = filter
        try report.print()
        return try lines.split(separator: UInt8(ascii: "\n")).compactMap { line in
            try JSONValue(parsing: line)["version"]?.number.map(UInt64.init)
        }
    }
}

extension Page {
    /// Expects these commits in the log.
    fileprivate func expect(log versions: [UInt64], location: SourceLocation = #_sourceLocation) async throws {
        try await wait("document.querySelectorAll('#log [role=option]').length === \(versions.count)")
        #expect(try await logVersions() == versions, sourceLocation: location)
    }
}

extension Changeset.Changes {
    fileprivate var total: Int { deleted.count + inserted.count + moved.count + updated.count }
}
