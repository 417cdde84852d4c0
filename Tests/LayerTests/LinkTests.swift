// Checks that the links between the documents hold: each leads to a file, and to a heading of it if it names one.
//
// Anchors are those that a code host makes of a heading: lower case, without punctuation, with hyphens for spaces.

import Foundation
import Testing

@Suite("Links")
struct LinkTests {
    /// A document: its path below the folder of the project, and its lines outside of code.
    struct Page {
        let path: String
        let lines: [Substring]

        init(path: String, text: String) {
            self.path = path
            var isCode = false
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
                if line.hasPrefix("```") { isCode.toggle() }
                return !isCode && !line.hasPrefix("```")
            }
        }

        /// The anchors of its headings.
        var anchors: Set<String> {
            var anchors: Set<String> = []
            for line in lines where line.hasPrefix("#") {
                let heading = line.drop { $0 == "#" }.dropFirst().lowercased()
                let kept = heading.unicodeScalars.filter {
                    $0 == " " || $0 == "-" || $0 == "_" || CharacterSet.alphanumerics.contains($0)
                }
                let anchor = String(String.UnicodeScalarView(kept)).replacing(" ", with: "-")
                var name = anchor
                var count = 0
                while !anchors.insert(name).inserted {
                    count += 1
                    name = "\(anchor)-\(count)"
                }
            }
            return anchors
        }

        /// The targets of its links.
        var links: [String] {
            lines.flatMap { line in
                // What is between backticks is no link.
                line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }
            }
        }
    }

    /// All documents, by their paths.
    static func pages() throws -> [String: Page] {
        var pages: [String: Page] = [:]
        let files = FileManager.default.enumerator(atPath: LayerTests.root.path(percentEncoded: false))
        while let path = files?.nextObject() as? String {
            let parts = path.split(separator: "/")
            if parts.count == 1, !["README.md", "Docs", "Sources"].contains(path) { files?.skipDescendants() }
            guard path.hasSuffix(".md"), parts.count == 1 ? path == "README.md" : parts[0] != "Tools" else { continue }
            let text = try String(contentsOf: LayerTests.root.appending(path: path), encoding: .utf8)
            pages[path] = Page(path: path, text: text)
        }
        return pages
    }

    /// What is wrong with the links of a page.
    static func problems(of page: Page, among pages: [String: Page]) -> [String] {
        page.links.compactMap { link in
            if link.contains(/^(https?|mailto|doc):/) { return nil }
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            var path = page.path
            if !parts[0].isEmpty {
                let folder = LayerTests.root.appending(path: path).deletingLastPathComponent()
                let file = folder.appending(path: String(parts[0])).standardizedFileURL.path(percentEncoded: false)
                guard FileManager.default.fileExists(atPath: file) else { return "\(page.path): there is no \(link)" }
                path = String(file.dropFirst(LayerTests.root.path(percentEncoded: false).count).drop { $0 == "/" })
            }
            guard parts.count == 2, let target = pages[path] else { return nil }
            return target.anchors.contains(String(parts[1])) ? nil : "\(page.path): no heading of \(link)"
        }
    }

    @Test("Each link between documents leads to a file, and to a heading of it")
    func links() throws {
        let pages = try Self.pages()
        #expect(pages.values.flatMap { Self.problems(of: $0, among: pages) }.sorted() == [])
        #expect(pages.values.map(\.links.count).reduce(0, +) > 150)
        // The control: a link to a page and one to a heading that are not there are noticed, and one in code is not.
        let text = """
            # A title, `this`
            [a](Docs/None.md) [b](#none) [c](#a-title-this) `[d](None.md)`
            ```
            [e](None.md)
            ```
            """
        let page = Page(path: "README.md", text: text)
        #expect(
            Self.problems(of: page, among: ["README.md": page]) == [
                "README.md: there is no Docs/None.md", "README.md: no heading of #none",
            ])
    }

    @Test("Each guide is in the list of the README")
    func guides() throws {
        let pages = try Self.pages()
        let listed = Set(try #require(pages["README.md"]).links)
        for path in pages.keys.sorted() where path.contains(".docc/") {
            let parts = path.split(separator: "/")
            // The landing page has the name of its catalog.
            if parts[parts.count - 2].dropLast(5) == parts[parts.count - 1].dropLast(3) { continue }
            #expect(listed.contains(path), "\(path) is not in README.md")
        }
    }
}
