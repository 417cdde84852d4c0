// Rows that somebody has written to do harm.

import Foundation
import ListModel
import Listory
import Testing
import TestSupport
import ToolSupport

extension BrowserTests {
    @Suite struct HostileRows {
        /// Texts that would do something if anything but a text were made of them.
        private static let texts = [
            "<script>window.harmed = 1</script>", "<img src=x onerror='window.harmed = 1'>",
            "</bdi></div><h1>Harm</h1>",
            "javascript:window.harmed=1", "\\u003cscript>window.harmed=1\\u003c/script>", "${window.harmed = 1}",
            "\u{1B}[31mred\u{1B}[2J", "bell \u{7} null \u{0} tab \t line \n end",
            "right \u{202E}tfel\u{202C} isolate \u{2066}",
            "zero\u{200B}width \u{FEFF}", "__proto__", "👩‍👩‍👧 joined", "",
        ]

        @Test func `the browser sends the cookie to no other server of this machine`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                func cookies(_ address: String) async throws -> Int {
                    try await page.call("Network.getCookies", ["urls": .array([.string(address)])])["cookies"]?
                        .elements.count ?? -1
                }
                let address = try await page.text("location.href.split('#')[0]")
                #expect(try await cookies("\(address)api/state") == 1)
                let origin = try await page.text("location.origin")
                for other in ["\(origin)/", "\(origin)/api/state", "http://127.0.0.1:1/", "http://localhost:1/"] {
                    #expect(try await cookies(other) == 0, "\(other)")
                }
            }
        }

        @Test func `hostile texts are texts, wherever they are shown`() async throws {
            let list = try TestList()
            let store = list.store
            let texts = HostileRows.texts
            try store.edit(texts[0], origin: texts[1]) { edit in
                try edit.insertSection(
                    NewSection(
                        id: .string(texts[1]), title: texts[0],
                        items: texts.enumerated().map { TestList.row(.integer(Int64($0.offset)), $0.element) }))
                try edit.insert(
                    texts.map { NewRow(id: .string("id \($0)"), content: Array($0.utf8)) },
                    at: .end(ofSection: .string(texts[1])))
            }
            for (index, text) in texts.enumerated() {
                try store.edit(text, origin: text) {
                    try $0.update(.integer(Int64(index)), content: TestList.content(text + text))
                }
            }
            try store.edit("Delete") { try $0.delete(.item(2)) }
            try store.edit("Rename") { try $0.renameSection(.section(.string(texts[1])), to: texts[8]) }
            try store.waitUntilDurable()
            try await withPage(of: list.path) { page in
                let newest = try list.newest
                // Every version, so that each name is told.
                for version in 1...newest {
                    try await page.go(to: "\(version)")
                    try await page.wait(forVersion: version)
                    #expect(try await page.lines() == list.lines(at: version))
                    try await page.wait(
                        "document.querySelector('#status').textContent.startsWith('Version \(version) ')")
                    try await page.checkForHarm()
                    if ![newest, newest - 1, 1, 2].contains(version) { continue }
                    for tab in ["commit", "row", "changes", "trash", "branches", "bookmarks", "export"] {
                        try await page.openTab(tab)
                        try await page.checkForHarm()
                    }
                }
                // Every row, in the panel.
                for place in 0..<texts.count {
                    try await page.press("Home")
                    try await page.evaluate("document.querySelectorAll('#list [role=option]')[\(place + 1)].click()")
                    try await page.wait("document.querySelector('#detail .history')")
                    try await page.waitUntilShown()
                    try await page.checkForHarm()
                }
                try await page.openTab("find")
                try await page.fill("#detail [type=search]", "script")
                try await page.press("Enter")
                try await page.wait("document.querySelector('#detail .found .row')")
                try await page.checkForHarm()
                // A link with hostile text.
                let link = try await page.text("location.href.split('#')[0]")
                let hostile = "\"<img src=x onerror=window.harmed=1>".addingPercentEncoding(
                    withAllowedCharacters: .alphanumerics)!
                try await page.open("about:blank")
                try await page.open(
                    "\(link)#at=head&text=\(hostile)&origin=\(hostile)&chosen=row%20\(hostile)&tab=\(hostile)")
                try await page.waitUntilShown()
                try await page.checkForHarm()
                #expect(try await page.lines() == list.lines(at: newest))
            }
        }

        @Test func `a row or commit that cannot be read says so on its line, and all others are shown`() async throws {
            let list = try TestList()
            try list.store.edit("New") { try $0.insertSection(NewSection(id: "all", title: "All")) }
            for id in 1...Int64(20) {
                let row = TestList.row(.integer(id), id == 3 ? "Lost row" : "Row \(id)")
                try list.store.edit("Add \(id)") { try $0.insert([row], at: .end(ofSection: "all")) }
            }
            try list.store.checkpoint()
            try list.store.close()
            try damageFile(list.path, at: "Lost row")
            try await withPage(of: list.path) { page in
                func expectRows(_ count: Int) async throws {
                    let titles = try await page.lines().map(\.title)
                    try #require(titles.count == count + 1)
                    for (index, title) in titles.enumerated() {
                        switch index {
                        case 0: #expect(title == "All")
                        case 3: #expect(title.hasPrefix("Cannot be read: "))
                        default: #expect(title == "Row \(index)")
                        }
                    }
                }
                try await page.wait(forVersion: 21)
                try await expectRows(20)
                #expect(try await page.logVersions() == (1...21).reversed())
                let commits = try await page.texts("#log .bad")
                #expect(commits.count == 1 && commits[0].hasPrefix("Cannot be read: "))
                try await page.click("#back")
                try await page.wait(forVersion: 20)
                try await expectRows(19)
                try await page.openTab("find")
                try await page.fill("#detail [type=search]", "row 17")
                try await page.press("Enter")
                try await page.wait("document.querySelectorAll('#detail .found .row').length === 1")
                #expect(page.problems.isEmpty)
                // Its commit cannot be shown, but those before it can.
                try await page.go(to: "4")
                try await page.wait("document.querySelector('#problem').textContent !== ''")
                try await page.go(to: "3")
                try await page.wait(forVersion: 3)
                #expect(try await page.lines().map(\.title) == ["All", "Row 1", "Row 2"])
                // The row, with its place. The history of rows is in the commits.
                try await page.click("#last")
                try await page.wait(forVersion: 21)
                try await page.click("#list .bad")
                try await page.wait("document.querySelector('#list .chosen .bad')")
                try await page.wait("document.querySelector('#detail dd')")
                try await page.waitUntilShown()
                #expect(try await page.texts("#detail dd").first == "[0, 2]")
                #expect(try await page.texts("#detail .bad").count == 1)
                #expect(page.takeProblems().allSatisfy { $0.contains("500") })
            }
        }

        @Test func `a row of a mebibyte is clipped, and all of it can be seen`() async throws {
            let list = try TestList()
            let text = String(repeating: "long \u{202E}<b> ", count: 1 << 17).prefix(1 << 20)
            try list.store.edit("Long") { edit in
                try edit.insertSection(
                    NewSection(id: "a", title: "", items: [TestList.row(1, String(text)), TestList.row(2, "b")]))
            }
            try list.store.waitUntilDurable()
            try await withPage(of: list.path) { page in
                #expect(try await page.lines().count == 3)
                try await page.evaluate("document.querySelectorAll('#list [role=option]')[1].click()")
                try await page.wait("document.querySelector('#detail h2').textContent === 'Row 1'")
                try await page.wait("document.querySelector('#detail .content')")
                let length = "document.querySelector('#detail .content').textContent.length"
                #expect(try await page.evaluate("\(length) < 20000") == .bool(true))
                try await page.click("#detail .content + button")
                // Each override is shown as a mark, so there are more characters than in the row.
                try await page.wait("\(length) > \(text.count)")
                try await page.checkForHarm()
            }
        }

        @Test func `ids of 64 bits and UUIDs are exact`() async throws {
            let list = try TestList()
            let ids: [UntypedID] = [.integer(.max), .integer(.max - 1), .uuid(UUID()), .string("7"), .integer(7)]
            try list.store.edit("Ids") { edit in
                try edit.insertSection(
                    NewSection(
                        id: 1, title: "", items: ids.enumerated().map { TestList.row($0.element, "row \($0.offset)") }))
            }
            for (index, id) in ids.enumerated() {
                try list.store.edit("Change") { try $0.update(id, content: TestList.content("changed \(index)")) }
            }
            try list.store.waitUntilDurable()
            try await withPage(of: list.path, arguments: ["--allow-write"]) { page in
                for (index, id) in ids.enumerated() {
                    try await page.clickRow("changed \(index)")
                    try await page.wait("document.querySelector('#detail h2').textContent === 'Row \(id.plainText)'")
                    try await page.wait("document.querySelector('#detail .history')")
                    #expect(
                        try await page.texts("#detail .history .version")
                            == list.store.history(ofRow: id).map { "\($0.commit.version)" })
                    #expect(try await page.texts("#detail .content").contains { $0.contains("changed \(index)") })
                    #expect(
                        try await page.texts("#detail .blame dd:nth-of-type(2) .version")
                            == ["\(list.store.blame(ofRows: [id])[0].updated!.version)"])
                    let version = try await page.version
                    try await page.clickButton("#detail", "Check")
                    try await page.wait(forVersion: version + 1)
                    #expect(try await page.lines()[index + 1].isChecked == true)
                    #expect(try await page.lines().filter { $0.isChecked == true }.count == index + 1)
                }
                // Chosen from the commit that has changed it.
                for index in ids.indices {
                    try await page.go(to: "\(index + 2)")
                    try await page.wait(forVersion: UInt64(index + 2))
                    try await page.openTab("commit")
                    try await page.click("#detail .event button")
                    try await page.wait(
                        "document.querySelector('#list .chosen .title')?.textContent === 'changed \(index)'")
                }
            }
        }
    }
}

extension Page {
    /// Expects that no text has become anything else, and that no character hides or turns others.
    fileprivate func checkForHarm(location: SourceLocation = #_sourceLocation) async throws {
        let found = try await evaluate(
            #"""
            [
              window.harmed && "a script ran",
              document.querySelector("main img, main script, main iframe, main h1, main b") && "an element was made",
              [...document.querySelectorAll("*")].some((each) => [...each.attributes].some((one) => one.name.startsWith("on")))
                && "a handler was made",
              /[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/.test(document.body.textContent) && "a character is unseen",
              [...document.querySelectorAll("[title], [aria-label], [aria-valuetext]")].some((each) =>
                ["title", "aria-label", "aria-valuetext"].some((name) =>
                  /[\0-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/.test(each.getAttribute(name) ?? ""))) && "an attribute has unseen ones",
              document.querySelector("#status").textContent.split(",").length > 2 && !document.querySelector("#status bdi")
                && "a name is told as if it were ours",
              [...document.querySelectorAll("#list .title, #log .title, #detail h2 bdi, #status bdi")].some((each) =>
                getComputedStyle(each).unicodeBidi !== "isolate") && "a direction is not isolated",
            ].filter(Boolean)
            """#)
        #expect(found == .array([]), sourceLocation: location)
    }
}

@Suite struct PageSources {
    @Test func `no part of the page makes elements of text`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/ListoryInspector/Page").standardized
        // A picture names the language that it is written in.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter {
            $0 != "icon.svg"
        }
        #expect(names.contains("page.js"))
        let forbidden = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment", "DOMParser",
            "setHTML",
            "srcdoc", "eval(", "new Function", "import(", "\"style\"", "style=", "http://", "https://", "<script>",
            " onclick=\"",
        ]
        for name in names {
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            for word in forbidden { #expect(!text.contains(word), "\(name) has \(word)") }
        }
    }
}
