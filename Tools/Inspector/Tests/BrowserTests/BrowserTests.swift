// The page in a real browser, compared with the library at each stop.
//
// Always holds: one browser at a time; nothing here depends on how fast anything is.

import Foundation
import ListModel
import Listory
import Testing
import TestSupport
import ToolSupport

/// All tests that need a browser, one after another.
@Suite(.serialized, OneBrowser()) enum BrowserTests {}

extension BrowserTests {
    @Suite struct TimeTravel {
        @Test func `opens at the newest version and shows its rows`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                try await page.wait(forVersion: list.newest)
                #expect(try await page.lines() == list.lines(at: list.newest))
                #expect(try await page.text("document.title").contains("shopping.listory"))
                #expect(try await page.texts("#head") == ["of \(list.newest)"])
            }
        }

        @Test func `shows the rows of every version that one steps to, back and forward`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path, motion: true) { page in
                for version in (0..<newest).reversed() {
                    try await page.click("#back")
                    try await page.wait(forVersion: version)
                    #expect(try await page.lines() == list.lines(at: version), "version \(version)")
                }
                for version in 1...newest {
                    try await page.click("#forward")
                    try await page.wait(forVersion: version)
                    #expect(try await page.lines() == list.lines(at: version), "version \(version)")
                }
            }
        }

        @Test func `shows the version to which the slider or the timeline is scrubbed`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path) { page in
                for selector in ["#slider", "#timeline"] {
                    // The same pixel means the same version.
                    for version in [3, 0, newest, 7] {
                        try await page.click(selector, at: Double(version) / Double(newest), inset: 8)
                        try await page.wait(forVersion: version)
                        #expect(try await page.lines() == list.lines(at: version), "\(selector), version \(version)")
                    }
                }
            }
        }

        @Test func `goes to a version by each of its names`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path) { page in
                let time = try list.store.commit(Version(5)).time.text
                for (name, version) in [
                    ("4", 4), ("head~2", newest - 2), ("first", 1), ("base", 0), (time, 5), ("head", newest),
                ] {
                    try await page.go(to: name)
                    try await page.wait(forVersion: version)
                }
                try await page.go(to: "soon")
                try await page.wait("document.querySelector('#problem').textContent.includes('soon')")
                #expect(try await page.lines() == list.lines(at: newest))
                #expect(page.takeProblems().allSatisfy { $0.contains("404") })
            }
        }

        @Test func `plays every version in order, and pauses`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path, motion: true) { page in
                try await page.evaluate("document.querySelector('#speed').value = '10'")
                try await page.click("#first")
                try await page.wait(forVersion: 0)
                try await page.evaluate("performance.clearMeasures()")
                try await page.click("#play")
                try await page.wait(forVersion: newest)
                try await page.wait("document.querySelector('#play').getAttribute('aria-label') === 'Play'")
                let shown = try await page.evaluate(
                    "performance.getEntriesByName('version').map((entry) => entry.detail)")
                #expect(shown.elements.compactMap(\.number) == (1...newest).map { Double($0) })
                #expect(try await page.lines() == list.lines(at: newest))
                // From the end, it plays from the beginning.
                try await page.evaluate("document.querySelector('#speed').value = '1'")
                try await page.click("#play")
                try await page.wait("document.querySelector('main').dataset.version === '0'")
                try await page.wait("document.querySelector('main').dataset.version > 0")
                try await page.click("#play")
                let paused = try await page.version
                #expect(try await page.lines() == list.lines(at: paused))
            }
        }

        @Test func `a link opens at the same version, filter, row and comparison`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                try await page.go(to: "6")
                try await page.wait(forVersion: 6)
                try await page.clickRow("Bread")
                try await page.click("#filter-button")
                try await page.fill("#filter [name=origin]", "anna")
                try await page.press("Enter")
                try await page.wait("document.querySelectorAll('#log [role=option]').length === 2")
                try await page.fill("#other", "4")
                try await page.press("Enter")
                try await page.wait("!document.querySelector('#other-side').hidden")
                try await page.wait("location.hash.includes('beside=4') && location.hash.includes('origin=anna')")
                let link = try await page.text("location.href")
                let before = (try await page.lines(), try await page.lines("#other-list"), try await page.logVersions())
                try await page.open("about:blank")
                try await page.open(link)
                try await page.wait(forVersion: 6)
                try await page.wait("document.querySelector('#list .chosen .title')?.textContent === 'Bread'")
                #expect(try await page.lines() == before.0)
                #expect(try await page.lines("#other-list") == before.1)
                #expect(try await page.logVersions() == before.2)
                #expect(try await page.texts("#other-title") == ["Version 4"])
                // Back leads to where one came from.
                try await page.go(to: "2")
                try await page.wait(forVersion: 2)
                try await page.evaluate("history.back()")
                try await page.wait(forVersion: 6)
            }
        }

        @Test func `keeps bookmarks`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path) { page in
                try await page.go(to: "3")
                try await page.wait(forVersion: 3)
                try await page.openTab("bookmarks")
                try await page.fill("#detail [name=label]", "before it <b>broke</b>")
                try await page.press("Enter")
                try await page.wait("document.querySelectorAll('#detail .found a').length === 1")
                try await page.click("#last")
                try await page.wait(forVersion: list.newest)
                try await page.wait("location.hash.includes('tab=bookmarks')")
                try await page.evaluate("location.reload()")
                try await page.wait("document.readyState === 'complete' && document.querySelector('#detail .found a')")
                #expect(try await page.texts("#detail .found a") == ["3 before it <b>broke</b>"])
                try await page.click("#detail .found a")
                try await page.wait(forVersion: 3)
                try await page.openTab("bookmarks")
                try await page.click("#detail .found button")
                try await page.wait("!document.querySelector('#detail .found a')")
            }
        }

        @Test func `bookmarks that other pages of the store add or remove are kept, and told`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path) { page in
                let links = "[...document.querySelectorAll('#detail .found a')].map((each) => each.textContent).join()"
                func add(_ name: String) async throws {
                    try await page.fill("#detail [name=label]", name)
                    try await page.press("Enter")
                }
                try await page.openTab("bookmarks")
                try await add("mine")
                try await page.wait("\(links) === '\(newest) mine'")
                // Another page adds one, and this one was not told yet.
                try await page.evaluate(
                    """
                    window.key = Object.keys(localStorage)[0];
                    window.change = (body) => localStorage.setItem(key, JSON.stringify(body(JSON.parse(localStorage.getItem(key)))));
                    change((all) => [...all, { label: "theirs", version: 5, place: "#at=5" }]);
                    """)
                try await page.go(to: "3")
                try await page.wait(forVersion: 3)
                try await add("more")
                try await page.wait("\(links) === '3 more,5 theirs,\(newest) mine'")
                // It removes one, and the browser tells.
                try await page.evaluate(
                    """
                    change((all) => all.filter(({ version }) => version !== 3));
                    dispatchEvent(new StorageEvent("storage", { key }));
                    """)
                try await page.wait("\(links) === '5 theirs,\(newest) mine'")
                // What is being written stays.
                try await page.fill("#detail [name=label]", "unfinished")
                try await page.evaluate("dispatchEvent(new StorageEvent('storage', { key }))")
                try await page.waitUntilShown()
                #expect(try await page.text("document.querySelector('#detail [name=label]').value") == "unfinished")
            }
        }

        @Test func `follows what another process writes, and does not leave a version that one looks at`() async throws
        {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path) { page in
                try list.store.edit("From outside") {
                    try $0.insert([TestList.row(8, "Sugar")], at: .end(ofSection: "today"))
                }
                try list.store.waitUntilDurable()
                try await page.wait(forVersion: newest + 1)
                #expect(try await page.lines() == list.lines(at: newest + 1))
                try await page.wait("document.querySelector('#log .version').textContent === '\(newest + 1)'")
                try await page.click("#back")
                try await page.wait(forVersion: newest)
                for number in 0..<20 {
                    try list.store.edit("Row \(number)") {
                        try $0.insert(
                            [TestList.row(.integer(100 + Int64(number)), "Row \(number)")], at: .section("today", at: 0)
                        )
                    }
                }
                try list.store.waitUntilDurable()
                try await page.wait("document.querySelector('#head').textContent === 'of \(newest + 21)'")
                #expect(try await page.version == newest)
                #expect(try await page.lines() == list.lines(at: newest))
                try await page.click("#live")
                try await page.wait(forVersion: newest + 21)
                #expect(try await page.lines() == list.lines(at: newest + 21))
            }
        }
    }
}
