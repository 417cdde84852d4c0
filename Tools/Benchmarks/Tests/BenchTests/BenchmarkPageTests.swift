// Tests the page of the documents that the benchmarks write.

import BenchSupport
import Foundation
import TestSupport
import Testing

struct BenchmarkPageTests {
    private let folder: TemporaryFolder
    private let page: BenchmarkPage

    init() throws {
        folder = try TemporaryFolder()
        page = BenchmarkPage(docs: folder.path)
    }

    private func part(_ name: BenchmarkPart.Name, _ markdown: String, commit: String = "abc") -> BenchmarkPart {
        BenchmarkPart(
            name, commit: commit, machine: ["2 × a processor"], markdown: markdown,
            now: Date(timeIntervalSince1970: 1_772_323_200))
    }

    private func text() throws -> String { try String(contentsOfFile: folder.file("Benchmarks.md"), encoding: .utf8) }

    @Test func aPartSaysWhenOfWhatAndWhereItWasMeasured() throws {
        try page.write(part(.library, "### Edits\n\ntable\n"))
        let text = try text()
        #expect(text.hasPrefix("# Benchmarks\n\n"))
        #expect(
            text.hasSuffix(
                "## The library\n\n- 2026-03-01, commit abc\n- 2 × a processor\n\n### Edits\n\ntable\n"))
    }

    @Test func theOtherPartStaysAsItWasMeasured() throws {
        try page.write(part(.peers, "others", commit: "first"))
        let alone = try text()
        try page.write(part(.library, "ours", commit: "second"))
        let both = try text()
        // In a fixed order, whichever part was measured first.
        let peers = try #require(alone.firstRange(of: "## Beside its peers"))
        #expect(both.hasSuffix(alone[peers.lowerBound...]))
        #expect(try #require(both.firstRange(of: "ours")).lowerBound < both.firstRange(of: "others")!.lowerBound)
        try page.write(part(.library, "newer", commit: "third"))
        #expect(try !text().contains("second") && text().contains("commit first"))
    }

    @Test func whatWasWrittenByHandGoes() throws {
        _ = try folder.write("a diary", to: "Benchmarks.md")
        try page.write(part(.library, "ours"))
        #expect(try !text().contains("diary"))
    }
}
