// Writes the page of the documents with all figures, completely, from the last results of each program.
//
// Always holds: the page is not edited by hand. A part that was not measured again keeps its figures, date, commit and
// machine, because each part is stored as JSON beside the page.

import Foundation

/// The results of one program.
public struct BenchmarkPart: Codable, Sendable {
    /// The name of the part.
    public enum Name: String, Codable, CaseIterable, Sendable {
        case library
        case peers

        fileprivate var title: String {
            switch self {
            case .library: "The library"
            case .peers: "Beside its peers"
            }
        }
    }

    let name: Name
    /// The day, as 2026-03-01.
    let date: String
    /// The commit of the project.
    let commit: String
    /// The machine and the versions.
    let machine: [String]
    /// The tables, under headings of the third level.
    let markdown: String

    public init(_ name: Name, commit: String, machine: [String], markdown: String, now: Date = Date()) {
        self.name = name
        self.commit = commit
        self.machine = machine
        self.markdown = markdown
        date = now.formatted(.iso8601.year().month().day())
    }

    fileprivate var lines: [String] {
        ["## \(name.title)", ""] + ["\(date), commit \(commit)"].map { "- \($0)" } + machine.map { "- \($0)" }
            + ["", markdown.trimmingCharacters(in: .newlines), ""]
    }
}

/// The page `Benchmarks.md` in the folder of the documents.
public struct BenchmarkPage {
    private let folder: URL

    /// The page in a folder of documents.
    public init(docs: String) { folder = URL(fileURLWithPath: docs) }

    private var page: URL { folder.appendingPathComponent("Benchmarks.md") }

    private func file(_ name: BenchmarkPart.Name) -> URL {
        folder.appendingPathComponent("Benchmarks-\(name.rawValue).json")
    }

    /// Writes the page with a new part, and the last results of the other parts.
    public func write(_ part: BenchmarkPart) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(part).write(to: file(part.name))
        let parts = try BenchmarkPart.Name.allCases.filter { FileManager.default.fileExists(atPath: file($0).path) }
            .map { try JSONDecoder().decode(BenchmarkPart.self, from: Data(contentsOf: file($0))) }
        let lines = ["# Benchmarks", "", BenchmarkPage.method, ""] + parts.flatMap(\.lines)
        try Data(lines.joined(separator: "\n").utf8).write(to: page)
    }

    private static let method = """
        `Tools/bench --write` and `Tools/bench --peers --write` make this page. Each writes its own part and keeps the
        other part. Each figure is measured several times, after one run that does not count. If there is a peer, the two
        take turns in the same run. The page shows the median, and the smallest and the largest sample. The machine causes
        the difference between those two, so ratios are more reliable than times. **MISSED** marks a target that was not
        reached. `Tools/bench --instructions` counts the instructions of single operations, which are the same in every run.
        """
}
