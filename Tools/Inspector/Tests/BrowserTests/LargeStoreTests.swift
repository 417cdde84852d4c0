// The page over a long log. With `LISTORY_SOAK=1` it has a million events and 100,000 rows, and figures are printed; time is
// never asserted.

import Foundation
import ListModel
import Listory
import Testing
import TestSupport
import ToolSupport

extension BrowserTests {
    @Suite struct LargeStores {
        @Test func `any part of a long log and of a long list is shown`() async throws {
            let (events, rows) = Soak.isEnabled ? (1_000_000, 100_000) : (4000, 1000)
            let list = try TestList.large(events: events, rows: rows)
            let newest = try list.newest
            try await withPage(of: list.path) { page in
                let usable = try await page.evaluate("performance.getEntriesByName('usable')[0].startTime")
                // To the ends, with the keys.
                try await page.evaluate("document.querySelector('#list').focus()")
                try await page.press("End")
                let last = try list.lines(at: newest).last!.title
                try await page.wait("document.querySelector('#list .chosen .title')?.textContent === '\(last)'")
                try await page.evaluate("document.querySelector('#log').focus()")
                try await page.press("End")
                try await page.wait(forVersion: 1)
                try await page.evaluate("performance.clearMeasures()")
                var random = SeededGenerator(seed: 7)
                let versions = (0..<50).map { _ in UInt64.random(in: 1...newest, using: &random) }
                for version in versions {
                    try await page.evaluate(
                        """
                        { const slider = document.querySelector("#slider");
                        slider.value = \(version);
                        slider.dispatchEvent(new Event("input")); }
                        """)
                    try await page.wait(forVersion: version)
                }
                for version in versions.suffix(3) {
                    try await page.go(to: "\(version)")
                    try await page.wait(forVersion: version)
                    let shown = try await page.lines()
                    let all = try list.lines(at: version)
                    let first = try #require(all.firstIndex(of: shown[0]))
                    #expect(shown == Array(all[first..<first + shown.count]), "version \(version)")
                    #expect(try await page.logVersions().contains(version))
                }
                // What is nowhere is looked for to the end, without scrolling.
                try await page.click("#filter-button")
                try await page.fill("#filter [name=text]", "nowhere")
                try await page.press("Enter")
                try await page.wait("document.querySelector('#log-count').textContent === '0 commits'", seconds: 600)
                try await page.openTab("find")
                try await page.fill("#detail [type=search]", "nowhere")
                try await page.press("Enter")
                try await page.wait(
                    "document.querySelector('#detail').textContent.includes('No row has these words')", seconds: 600)
                let times = try await page.evaluate(
                    "performance.getEntriesByName('version').map((entry) => entry.duration)"
                )
                .elements.compactMap(\.number).prefix(50).sorted()
                print(
                    """
                    Inspector, \(newest) commits, \(rows) rows: usable after \(usable.number ?? 0) ms; a random version in \
                    \(times[times.count / 2]) ms at the median, \(times.last!) ms at most
                    """)
            }
        }
    }
}

extension TestList {
    /// A list of so many rows, with as many events.
    static func large(events: Int, rows: Int) throws -> TestList {
        let list = try TestList(durability: .deferred)
        var random = SeededGenerator(seed: 1)
        try list.store.edit("Fill") { edit in
            for section in 0..<10 {
                let items = (0..<rows / 10).map { index in
                    row(.integer(Int64(section * rows / 10 + index)), "Row \(section * rows / 10 + index)")
                }
                try edit.insertSection(
                    NewSection(id: .string("s\(section)"), title: "Section \(section)", items: items))
            }
        }
        for number in 0..<events {
            let id = UntypedID.integer(Int64(random.below(rows)))
            try list.store.edit("Edit \(number)") { edit in
                switch number % 4 {
                case 0: try edit.toggle(.item(id))
                case 1: try edit.move(.item(id), to: .section(.string("s\(random.below(10))"), at: 0))
                default: try edit.update(id, content: content("Row \(id), edit \(number)"))
                }
            }
        }
        try list.store.waitUntilDurable()
        return list
    }
}
