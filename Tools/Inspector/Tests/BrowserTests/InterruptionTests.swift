// What comes in between: others who write, answers that are late or missing, several wishes at once.
//
// Always holds: what is late or missing is made so by the test; nothing depends on how fast anything is.

import Foundation
import ListModel
@_spi(Sync) import Listory
import Testing
import TestSupport
import ToolSupport

extension BrowserTests {
    @Suite struct Interruptions {
        @Test func `of several wishes the last one counts, and a refused one harms no other`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path, script: Page.control) { page in
                // A name that is refused, while a version waits.
                try await page.evaluate(
                    """
                    { const version = document.querySelector("#version"), slider = document.querySelector("#slider");
                    version.value = "soon";
                    document.querySelector("#jump").requestSubmit();
                    slider.value = 3;
                    slider.dispatchEvent(new Event("input")); }
                    """)
                try await page.wait(forVersion: 3)
                #expect(page.takeProblems().allSatisfy { $0.contains("404") })
                #expect(try await page.text("document.querySelector('#version').value") == "3")
                // An answer that ends too soon, and one that never comes.
                for fault in ["cut", "lost"] {
                    try await page.evaluate("control.fault = '\(fault)'")
                    try await page.click("#back")
                    try await page.wait("document.querySelector('#problem').textContent.includes('cannot be reached')")
                    try await page.waitUntilShown()
                    #expect(try await page.version == 3)
                    #expect(try await page.text("document.querySelector('#slider').value") == "3")
                    try await page.evaluate("control.fault = ''")
                    try await page.click("#forward")
                    try await page.wait(forVersion: 4)
                    #expect(try await page.texts("#problem") == [""])
                    try await page.click("#back")
                    try await page.wait(forVersion: 3)
                }
                // A version and a comparison at once, and two links at once: the first answer comes last.
                try await page.evaluate(
                    """
                    { const other = document.querySelector("#other"), slider = document.querySelector("#slider");
                    control.hold("api/rows");
                    slider.value = 6;
                    slider.dispatchEvent(new Event("input"));
                    other.value = "2";
                    document.querySelector("#compare").requestSubmit();
                    slider.value = 7;
                    slider.dispatchEvent(new Event("input"));
                    control.release(); }
                    """)
                try await page.wait(forVersion: 7)
                #expect(try await page.texts("#other-title") == ["Version 2"])
                #expect(try await page.lines() == list.lines(at: 7))
                #expect(try await page.lines("#other-list") == list.lines(at: 2))
                try await page.click("#compare-end")
                try await page.evaluate(
                    """
                    control.hold("api/rows");
                    location.hash = "#at=2";
                    setTimeout(() => { location.hash = "#at=5"; setTimeout(() => control.release()); });
                    0
                    """)
                try await page.wait(forVersion: 5)
                #expect(try await page.lines() == list.lines(at: 5))
                // Two filters: the answer to the first one comes last.
                try await page.evaluate(
                    """
                    { const form = document.querySelector("#filter");
                    control.hold("api/log");
                    form.elements.text.value = "pears";
                    form.requestSubmit();
                    const first = control.release;
                    control.hold("");
                    form.elements.text.value = "";
                    form.elements.origin.value = "anna";
                    form.requestSubmit();
                    control.first = first; }
                    """)
                try await page.wait("document.querySelector('#log-count').textContent === '2 commits'")
                try await page.evaluate("control.first()")
                #expect(try await page.texts("#log-count") == ["2 commits"])
                #expect(try await page.logVersions() == [7, 4])
                try await page.click("#last")
                try await page.wait(forVersion: newest)
            }
        }

        @Test func `links that cannot be shown say why, and show what there is`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path) { page in
                let address = try await page.text("location.href.split('#')[0]")
                for (link, reason) in [
                    ("at=999999", "999999"), ("at=head&beside=999999", "999999"),
                    ("at=head&since=yesterday", "yesterday"),
                ] {
                    try await page.open("about:blank")
                    try await page.open("\(address)#\(link)")
                    try await page.wait(forVersion: newest)
                    try await page.wait("document.querySelector('#problem').textContent.includes('\(reason)')")
                    #expect(try await page.lines() == list.lines(at: newest))
                    #expect(page.takeProblems().allSatisfy { $0.contains("40") })
                }
                // It follows all the same, and a filter that is refused leaves the log as it was.
                #expect(try await page.texts("#log-count") == ["\(newest) commits"])
                try await page.addRow("Sugar", to: list)
                try await page.wait(forVersion: newest + 1)
                #expect(try await page.text("document.querySelector('#problem').textContent").contains("yesterday"))
                // The link to the list changes nothing else.
                try await page.go(to: "3")
                try await page.wait(forVersion: 3)
                try await page.evaluate("document.querySelector('.skip').click()")
                #expect(try await page.text("document.activeElement.id") == "list")
                #expect(try await page.version == 3)
                // A range of versions, as in the tool.
                try await page.click("#filter [type=reset]")
                try await page.fill("#filter [name=from]", "3")
                try await page.fill("#filter [name=to]", "5")
                try await page.press("Enter")
                try await page.wait("document.querySelector('#log-count').textContent === '3 commits'")
                #expect(try await page.logVersions() == [5, 4, 3])
                // An export that is refused.
                try await page.openTab("export")
                try await page.fill("#detail [name=to]", "999999")
                try await page.press("Enter")
                try await page.wait("document.querySelector('#problem').textContent.includes('999999')")
                #expect(page.takeProblems().allSatisfy { $0.contains("404") })
            }
        }

        @Test func `while others write, nothing that is read or written goes away`() async throws {
            let list = try TestList.large(events: 500, rows: 100)
            let newest = try list.newest
            try await withPage(of: list.path) { page in
                var head = newest
                func commit() async throws {
                    head += 1
                    try await page.addRow("Row \(head)", to: list)
                    try await page.wait("document.querySelector('#head').textContent === 'of \(head)'")
                    try await page.waitUntilShown()
                }
                try await page.click("#back")
                try await page.wait(forVersion: newest - 1)
                // A search, a version, a name of a bookmark.
                try await page.openTab("find")
                try await page.fill("#detail [type=search]", "mil")
                try await commit()
                try await page.type("k n")
                #expect(try await page.text("document.activeElement.value") == "milk n")
                try await page.press("Tab")
                try await commit()
                #expect(try await page.text("document.querySelector('#detail [type=search]').value") == "milk n")
                try await page.fill("#version", "12")
                try await commit()
                #expect(try await page.text("document.activeElement.value") == "12")
                // The log stays where it was scrolled to.
                try await page.evaluate("document.querySelector('#log').scrollTop = 1000")
                try await page.waitUntilShown()
                let before = try await page.firstInSight("#log")
                try await commit()
                #expect(try await page.firstInSight("#log") == before)
                #expect(try await page.version == newest - 1)
                // Who follows does so while a search is being written.
                try await page.click("#live")
                try await page.wait(forVersion: head)
                try await page.fill("#detail [type=search]", "tea")
                try await page.evaluate("document.querySelector('#log').scrollTop = 1000")
                try await page.waitUntilShown()
                let read = try await page.firstInSight("#log")
                try await commit()
                try await page.wait(forVersion: head)
                #expect(try await page.firstInSight("#log") == read)
                #expect(try await page.text("document.activeElement.value") == "tea")
            }
        }

        @Test func `a filtered log whose range ends some versions before the newest moves on with it`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path) { page in
                try await page.click("#filter-button")
                try await page.fill("#filter [name=from]", "head~3")
                try await page.fill("#filter [name=to]", "head~1")
                try await page.press("Enter")
                try await page.wait("document.querySelector('#log-count').textContent === '3 commits'")
                #expect(try await page.logVersions() == [newest - 1, newest - 2, newest - 3])
                try await page.addRow("Sugar", to: list)
                try await page.wait(forVersion: newest + 1)
                #expect(try await page.logVersions() == [newest, newest - 1, newest - 2])
            }
        }

        @Test func `when commits are replaced by as many others, every version shows what it is now`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try list.store.beginSharing()
            try await withPage(of: list.path, arguments: ["--allow-write"]) { page in
                func setAside(_ version: UInt64) throws {
                    try list.store.setAside([list.store.commit(Version(version)).checksum: "as a test"])
                }
                func log() async throws -> [String] { try await page.texts("#log [role=option]") }
                // Two versions side by side.
                try await page.go(to: "5")
                try await page.wait(forVersion: 5)
                try await page.fill("#other", "4")
                try await page.press("Enter")
                try await page.wait("!document.querySelector('#other-side').hidden")
                try await page.waitUntilShown()
                let before = (try await page.lines(), try await page.lines("#other-list"), try await log())
                try setAside(4)
                try await page.wait("!document.querySelector('#list').textContent.includes('Oat milk')")
                try await page.waitUntilShown()
                #expect(try await page.version == 5)
                let after = (try await page.lines(), try await page.lines("#other-list"), try await log())
                #expect(try after.0 == list.lines(at: 5) && after.0 != before.0)
                #expect(try after.1 == list.lines(at: 4) && after.1 != before.1)
                #expect(after.2 != before.2 && after.2.count == before.2.count)
                // The newest version, and a log that is filtered.
                try await page.click("#compare-end")
                try await page.click("#last")
                try await page.wait(forVersion: newest)
                try await page.click("#filter-button")
                try await page.fill("#filter [name=row]", "7")
                try await page.press("Enter")
                try await page.wait("document.querySelector('#log-count').textContent === '2 commits'")
                try setAside(newest)
                try await page.wait("document.querySelector('#log-count').textContent === '1 commit'")
                try await page.waitUntilShown()
                #expect(try await page.version == newest)
                #expect(try await page.lines() == list.lines(at: newest))
            }
        }

        @Test func `a search goes on by itself, whatever an answer has`() async throws {
            let list = try TestList.large(events: 900, rows: 300)
            for number in 0..<Int64(5) {
                try list.store.edit("Zebra \(number)") { edit in
                    try edit.insert(
                        [TestList.row(.integer(1000 + number), "Zebra \(number)")], at: .end(ofSection: "s9"))
                }
            }
            try list.store.waitUntilDurable()
            try await withPage(of: list.path, script: Page.control) { page in
                // Each answer has one thing.
                try await page.evaluate("control.limit = 1")
                try await page.openTab("find")
                try await page.fill("#detail [type=search]", "zebra")
                try await page.press("Enter")
                try await page.wait("document.querySelectorAll('#detail .found .row').length === 5")
                try await page.click("#filter-button")
                try await page.fill("#filter [name=name]", "zebra")
                try await page.press("Enter")
                try await page.wait("document.querySelector('#log-count').textContent === '5 commits'")
                // More than fit, and to the end.
                try await page.evaluate("control.limit = 0")
                try await page.choose("#filter [name=kind]", "itemUpdated")
                try await page.fill("#filter [name=name]", "")
                try await page.press("Enter")
                try await page.wait("document.querySelector('#log-count').textContent.endsWith('so far')")
                let updates = (0..<900).filter { $0 % 4 > 1 }.count
                for _ in 0..<updates {
                    try await page.evaluate(
                        "{ const log = document.querySelector('#log'); log.scrollTop = log.scrollHeight; }")
                    try await page.waitUntilShown()
                    if try await !page.texts("#log-count")[0].hasSuffix("so far") { break }
                }
                #expect(try await page.texts("#log-count") == ["\(updates) commits"])
                // The next match is found, also if it was not looked at yet.
                try await page.go(to: "6")
                try await page.wait(forVersion: 6)
                try await page.choose("#filter [name=kind]", "itemToggled")
                try await page.click("#filter [type=submit]")
                try await page.wait("document.querySelector('#log-count').textContent.endsWith('so far')")
                try await page.evaluate("document.activeElement.blur()")
                try await page.press("Shift+ArrowRight")
                // Every fourth edit, from version 2 on.
                try await page.wait(forVersion: 10)
                #expect(try await page.version == 10)
            }
        }

        @Test func `the search for the next match ends when something else is asked for`() async throws {
            let list = try TestList.large(events: 900, rows: 300)
            try await withPage(of: list.path, script: Page.control) { page in
                try await page.go(to: "6")
                try await page.wait(forVersion: 6)
                try await page.click("#filter-button")
                try await page.choose("#filter [name=kind]", "itemToggled")
                try await page.click("#filter [type=submit]")
                try await page.wait("document.querySelector('#log-count').textContent.endsWith('so far')")
                try await page.evaluate("document.activeElement.blur(); control.hold('api/log')")
                try await page.press("Shift+ArrowRight")
                try await page.evaluate(
                    """
                    { const slider = document.querySelector("#slider");
                    slider.value = 20;
                    slider.dispatchEvent(new Event("input")); }
                    """)
                try await page.wait("document.querySelector('main').dataset.version === '20'")
                try await page.evaluate("control.release()")
                try await page.waitUntilShown()
                #expect(try await page.version == 20)
            }
        }

        @Test func `whoever looks elsewhere pauses, and playing ends if the server does not answer`() async throws {
            let list = try TestList.shopping()
            let newest = try list.newest
            try await withPage(of: list.path, script: Page.control) { page in
                func play(_ speed: String) async throws {
                    try await page.click("#first")
                    try await page.wait(forVersion: 0)
                    try await page.evaluate("document.querySelector('#speed').value = '\(speed)'")
                    try await page.click("#play")
                    try await page.wait("document.querySelector('main').dataset.version > 0")
                }
                let isPaused = "document.querySelector('#play').getAttribute('aria-label') === 'Play'"
                for selector in ["#timeline", "#back", "#log [role=option]", "#detail .version"] {
                    try await page.openTab(selector == "#detail .version" ? "changes" : "commit")
                    try await play("1")
                    try await page.click(selector)
                    #expect(try await page.evaluate(isPaused) == .bool(true), "\(selector)")
                    try await page.waitUntilShown()
                }
                try await play("recorded")
                try await page.evaluate("control.fault = 'lost'")
                try await page.wait(isPaused)
                try await page.evaluate("control.fault = ''")
                // At the end, while another version is wanted.
                try await page.click("#last")
                try await page.wait(forVersion: newest)
                try await page.evaluate(
                    """
                    document.querySelector("#speed").value = "100";
                    document.querySelector("#back").click();
                    document.querySelector("#play").click();
                    """)
                try await page.wait("\(isPaused) && document.querySelector('main').dataset.version === '\(newest)'")
            }
        }

        @Test func `a lost connection is told, and a page in the background has none`() async throws {
            let list = try TestList.large(events: 100, rows: 2000)
            let newest = try list.newest
            try await withPage(of: list.path, script: Page.control) { page in
                #expect(try await page.texts("#connection") == [""])
                try await page.call(
                    "Network.emulateNetworkConditions",
                    ["offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1])
                try await page.evaluate("control.sources[0].dispatchEvent(new Event('end'))")
                try await page.wait("document.querySelector('#connection').textContent === 'Not connected'")
                try await page.evaluate("document.querySelector('#list').scrollTop = 20000")
                try await page.wait("document.querySelector('#problem').textContent.includes('cannot be reached')")
                try await page.addRow("Sugar", to: list)
                try await page.call(
                    "Network.emulateNetworkConditions",
                    ["offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1])
                try await page.wait(forVersion: newest + 1)
                #expect(try await page.texts("#connection") == [""])
                #expect(try await page.texts("#list .waiting") == [])
                #expect(page.takeProblems().allSatisfy { $0.contains("ERR_INTERNET_DISCONNECTED") })
                // In the background, and back.
                try await page.evaluate(
                    "control.isHidden = true; document.dispatchEvent(new Event('visibilitychange'))")
                #expect(
                    try await page.evaluate("control.sources.every((each) => each.readyState === 2)") == .bool(true))
                try await page.evaluate(
                    "control.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
                #expect(
                    try await page.evaluate("control.sources.filter((each) => each.readyState !== 2).length")
                        == .integer(1))
            }
            try await withPage(of: list.path, script: Page.control + "control.isHidden = true;") { page in
                #expect(try await page.evaluate("control.sources.length") == .integer(0))
                try await page.evaluate(
                    "control.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
                #expect(try await page.evaluate("control.sources.length") == .integer(1))
            }
        }

        @Test func `what could not be loaded of a new version is there after the next connection`() async throws {
            let list = try TestList.shopping()
            try await withPage(of: list.path, script: Page.control) { page in
                for path in ["api/state", "api/log", "api/timeline", "api/rows", "api/"] {
                    try await page.evaluate("control.path = '\(path)'; control.fault = 'lost'")
                    try await page.addRow("Without \(path)", to: list)
                    let newest = try list.newest
                    try await page.wait("document.querySelector('#problem').textContent.includes('cannot be reached')")
                    try await page.waitUntilShown()
                    // The first event of the next connection tells the version again.
                    try await page.evaluate(
                        """
                        control.fault = "";
                        control.sources.at(-1).dispatchEvent(new Event("end"));
                        document.dispatchEvent(new Event("visibilitychange"));
                        """)
                    try await page.wait("document.querySelector('#connection').textContent === ''")
                    try await page.waitUntilShown()
                    #expect(try await page.texts("#problem") == [""], "\(path)")
                    #expect(try await page.lines() == list.lines(at: newest), "\(path)")
                    #expect(try await page.logVersions().first == newest, "\(path)")
                    // The timeline ends with it.
                    try await page.click("#timeline", at: 1, inset: 8)
                    try await page.waitUntilShown()
                    #expect(try await page.version == newest, "\(path)")
                }
            }
        }

        @Test func `an updated row flashes, a new one appears, a deleted one vanishes`() async throws {
            let list = try TestList.shopping()
            try list.store.edit("Update many") { edit in
                try edit.insertSection(
                    NewSection(id: "many", title: "", items: (100..<2200).map { TestList.row(.integer($0), "a") }))
            }
            try list.store.edit("Update many") { edit in
                for id in 100..<2200 { try edit.update(.integer(Int64(id)), content: TestList.content("b")) }
            }
            try list.store.waitUntilDurable()
            try await withPage(of: list.path, motion: true) { page in
                try await page.evaluate(
                    """
                    window.motions = [];
                    window.original = Element.prototype.animate;
                    Element.prototype.animate = function (frames, options) {
                      motions.push(`${Object.keys(frames[0])[0]} ${this.querySelector(".title").textContent}`);
                      return original.call(this, frames, options);
                    };
                    0
                    """)
                for (version, expected) in [
                    (4, "backgroundColor Oat milk"), (7, "opacity Apples"), (8, "opacity Apples"),
                    (6, "transform Pears"),
                ] as [(UInt64, String)] {
                    try await page.go(to: "\(version - 1)")
                    try await page.wait(forVersion: version - 1)
                    try await page.evaluate("motions.length = 0")
                    try await page.go(to: "\(version)")
                    try await page.wait(forVersion: version)
                    #expect(
                        try await page.evaluate("motions").elements.compactMap(\.text).contains(expected),
                        "version \(version)")
                }
                // More changes than are marked: the page says so.
                let newest = try list.newest
                try await page.click("#last")
                try await page.wait(forVersion: newest)
                try await page.fill("#other", "\(newest - 1)")
                try await page.press("Enter")
                try await page.wait("document.querySelector('#other-title').textContent.includes('too many changes')")
            }
        }
    }
}

extension Page {
    /// Lets a test make answers late, short or missing. `control.fault`: "cut" or "lost", for addresses that begin with
    /// `control.path`; `control.limit`: how many commits or rows an answer has; `control.hold(path)`: such answers wait for
    /// `control.release()`; `control.sources`: event streams.
    fileprivate static let control = """
        window.control = { fault: "", path: "", limit: 0, held: "", wait: null, sources: [], isHidden: false };
        control.hold = (path) => {
          control.held = path;
          control.wait = new Promise((release) => { control.release = release; });
        };
        { const original = window.fetch;
        window.fetch = async (address, options) => {
          const { limit, held, wait } = control;
          const fault = address.startsWith(control.path) ? control.fault : "";
          if (held && address.startsWith(held)) await wait;
          if (fault === "lost") throw new TypeError("lost");
          const isSearch = address.startsWith("api/log") || address.startsWith("api/search");
          const answer = await original(limit && isSearch ? address.replace(/limit=\\d+/, `limit=${limit}`) : address, options);
          if (fault === "cut") answer.text = () => Promise.reject(new TypeError("cut"));
          return answer;
        };
        const Source = window.EventSource;
        window.EventSource = class extends Source {
          constructor(...all) { super(...all); control.sources.push(this); }
        };
        Object.defineProperty(Document.prototype, "hidden", { get: () => control.isHidden }); }
        """

    /// Adds a row to the first section, as another process.
    fileprivate func addRow(_ title: String, to list: TestList) async throws {
        let section = try #require(list.store.snapshot.sections.first).id
        let id = UntypedID.integer(1_000_000 + Int64(try list.newest))
        try list.store.edit(title) { try $0.insert([TestList.row(id, title)], at: .end(ofSection: section)) }
        try list.store.waitUntilDurable()
    }

    /// The text of the first line in sight.
    fileprivate func firstInSight(_ selector: String) async throws -> String {
        try await text(
            """
            (() => {
              const scroller = document.querySelector("\(selector)"), box = scroller.getBoundingClientRect();
              return document.elementFromPoint(box.left + 30, box.top + 10).closest("[role=option]").textContent;
            })()
            """)
    }
}
