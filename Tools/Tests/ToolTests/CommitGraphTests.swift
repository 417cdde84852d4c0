// Tests the graph of `log --graph`: read back from its lines, it has the parents that the commits have.

import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@Suite struct CommitGraphTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What the lines of a graph say.
    private struct Drawing: Equatable {
        /// The parent of each revision; nil if its column leads out of the graph.
        var parents: [Version: Version?] = [:]
        /// The commits that are no revisions, and those at which a history stands.
        var others: Set<Version> = []
        var positions: Set<Version> = []

        init() {}

        /// Reads the lines that `log --graph --oneline` printed.
        init(_ text: String) throws {
            // For each column, the revisions whose parent comes next in it.
            var columns: [Int: [Version]] = [:]
            for line in text.split(separator: "\n") {
                let cells = line.prefix { $0 != "v" }.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
                let words = line.drop { $0 != "v" }.split(separator: " ")
                let version = words.count > 1 ? UInt64(words[1]).map { Version($0) } : nil
                var target: Int?
                for (column, cell) in cells.enumerated() {
                    switch cell {
                    case "│", "┼", " ", "─": break
                    case "├": target = column
                    case "┴", "╯":
                        let target = try #require(target)
                        columns[target, default: []] += columns.removeValue(forKey: column) ?? []
                    case "╵":
                        for child in columns.removeValue(forKey: column) ?? [] { parents[child] = .some(.empty) }
                    case "·": others.insert(try #require(version))
                    case "●", "◉":
                        let version = try #require(version)
                        for child in columns[column] ?? [] { parents[child] = .some(version) }
                        columns[column] = [version]
                        parents[version] = .some(nil)
                        if cell == "◉" { positions.insert(version) }
                    default: Issue.record("\(cell) in \(line)")
                    }
                }
            }
        }
    }

    /// What they have to say of the commits of a range.
    private func expected(_ store: UntypedStore, from first: UInt64, to last: UInt64) throws -> Drawing {
        var drawing = Drawing()
        var positions: [HistoryScope: Version] = [:]
        try store.forEachCommit(in: Version(first)...Version(last)) { commit in
            if let scope = commit.scope { positions[scope] = commit.history?.position }
            guard let parent = commit.parent else {
                drawing.others.insert(commit.version)
                return
            }
            // The column of the last line leads out of the graph in any case.
            let isDrawn = parent.rawValue >= first || parent == .empty && commit.version.rawValue > 1
            drawing.parents[commit.version] = .some(isDrawn ? parent : nil)
        }
        drawing.positions = Set(positions.values.filter { $0.rawValue >= first })
        return drawing
    }

    @Test(arguments: [UndoScope.shared, .origin], 0..<4 * Soak.factor)
    func `The graph of a random history has the parents of its commits`(scope: UndoScope, round: Int) throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let path = folder.file("random")
        var history = RandomHistory(seed: seed)
        try history.make(at: path, edits: 120, undoScope: scope)
        let store = try UntypedStore.open(at: path)
        let newest = try store.version.rawValue
        let middle = UInt64.random(in: 1...newest, using: &random)
        for (first, last) in [(1, newest), (1, middle), (middle, newest)] {
            let text = try ToolProcess.run(
                "log", path, "--graph", "--oneline", "--all", "--from", "\(first)", "--to", "\(last)"
            ).output
            let expected = try expected(store, from: first, to: last)
            #expect(try Drawing(text) == expected, "seed \(seed), \(first)...\(last)\n\(text)")
        }
        try store.close()
    }

    @Test func `Roots are not joined`() throws {
        let (kept, store) = try ToolProcess.makeStore(
            """
            {"insertSection":{"id":"a"}}
            {"undo":1}
            {"insertSection":{"id":"b"}}

            """)
        func graph(_ options: String...) throws -> [Substring] {
            try ToolProcess(["log", store, "--graph"] + options).finish().output.split(separator: "\n")
                .map { $0.prefix { $0 != "v" } }
        }
        #expect(try graph("--oneline") == ["◉ ", "╵ ", "· ", "● "])
        let lines = try graph()
        #expect(lines.count == 7 && lines[1].hasPrefix("│ ") && lines[2] == "╵ " && lines[6].hasPrefix("   "))
        withExtendedLifetime(kept) {}
    }
}
