// Imports an input as commits of a store.
//
// Always holds: an input is read and checked completely before the store is changed. A list becomes one commit, a
// recording one commit for each transaction. When the import returns, all of it is durable.

import ListModel
import Listory

/// An import, with its times.
public struct ListImport {
    /// The content of an input.
    enum Content {
        /// A list, and how it gets into an empty store.
        case list(ImportedList, ImportPlan)
        case trace(EditingTrace)
    }

    private let name: String
    let content: Content

    /// How long reading and parsing the input took.
    public private(set) var parseTime = Duration.zero
    /// How long the edits took, in memory.
    public private(set) var applyTime = Duration.zero
    /// How long it then took until everything was durable.
    public private(set) var commitTime = Duration.zero

    /// The lines of the input that were left out.
    public var ignoredLines: [Int] {
        if case .list(let list, _) = content { list.ignoredLines } else { [] }
    }

    /// Reads an input.
    ///
    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - format: its format.
    /// - Throws: ``ToolError``, ``ImportError``; also for a log, which makes a store of its own (``LogImport``).
    public init(path: String, format: ImportFormat) throws {
        let clock = ContinuousClock()
        let start = clock.now
        self = try ListImport(ImportInput(path: path), format)
        parseTime = clock.now - start
    }

    /// Parses an input.
    init(_ input: ImportInput, _ format: ImportFormat) throws {
        name = input.name
        // A list that does not fit an empty store must not make one.
        func content(_ list: ImportedList) throws -> Content { .list(list, try ImportPlan(list)) }
        self.content =
            switch format {
            case .editingTrace: .trace(try EditingTrace(json: input.bytes))
            case .markdown: try content(ImportedList(markdown: input.bytes))
            case .lines: try content(ImportedList(lines: input.bytes))
            case .jsonl: try content(ImportedList(jsonLines: input.bytes))
            case .log: throw ImportError("expected rows, found a log")
            }
    }

    /// Imports into a store, and waits until the commits are durable.
    ///
    /// - Parameter progress: called now and then with the share that is done, 0 to 1.
    /// - Throws: ``ImportError``, `ListError` if an id is taken, an error of the store.
    public mutating func apply(to store: UntypedStore, progress: (Double) -> Void = { _ in }) throws {
        let clock = ContinuousClock()
        let start = clock.now
        switch content {
        case .list(let list, let fresh):
            let rows = try store.snapshot
            try apply(rows.version == .empty ? fresh : ImportPlan(list, into: rows, of: store), to: store)
        case .trace(let trace): try TraceImport(trace).apply(to: store, progress: progress)
        }
        let applied = clock.now
        applyTime = applied - start
        try store.waitUntilDurable()
        commitTime = clock.now - applied
    }

    private func apply(_ plan: ImportPlan, to store: UntypedStore) throws {
        try store.edit("Import \(name)", durability: .deferred) { list in
            for part in plan.parts {
                if let title = part.title { try list.insertSection(NewSection(id: part.section, title: title)) }
                try list.insert(part.rows, at: .end(ofSection: part.section))
            }
        }
    }

    /// The times in seconds, with their names.
    public var seconds: [(name: String, seconds: Double)] {
        [("parse", parseTime), ("apply", applyTime), ("commit", commitTime)].map { ($0, $1 / .seconds(1)) }
    }

    /// The times as lines of text.
    public var timing: String { seconds.map { "\($0) \($1.text(places: 3)) s\n" }.joined() }
}
