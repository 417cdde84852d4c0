// Prints why a row is where it is, and as it is.
//
// Always holds: texts of others are harmless for a terminal.

import ListModel
import Listory

/// Explains a row.
public struct ExplanationReport {
    private let explanation: RowExplanation
    private let source: any CommitSource

    /// A report on a row, seen through a view of the list.
    ///
    /// - Parameters:
    ///   - version: the version of the rows; nil for the newest.
    ///   - view: the view; without parts, the list as it is.
    /// - Throws: ``ToolError`` if there never was a row of that id.
    public init(
        _ id: IdentifierText, in store: UntypedStore, at version: VersionName?, through view: ViewRequest
    ) throws {
        guard let known = try Self.ifKnown(id, in: store, at: version, through: view) else {
            throw ToolError(.refused, "row: expected one that the log has, found \"\(id.text.visible)\"")
        }
        self = known
    }

    /// The same report; nil if no row of that id was there until the version.
    public static func ifKnown(
        _ id: IdentifierText, in store: UntypedStore, at version: VersionName?, through view: ViewRequest
    ) throws -> ExplanationReport? {
        let version = try version?.version(in: store)
        let live = try view.live(in: store, at: version)
        let found = try id.first { id in
            let explanation = try live?.explanation(ofRow: id, at: version) ?? store.explanation(ofRow: id, at: version)
            return explanation.row == nil && explanation.blame.deleted == nil ? nil : explanation
        }
        return found.map { ExplanationReport(explanation: $0, source: store.source) }
    }

    private init(explanation: RowExplanation, source: any CommitSource) {
        (self.explanation, self.source) = (explanation, source)
    }

    /// A sentence a line, first where the row is.
    public func text(_ style: TerminalStyle = .plain) throws -> String {
        var sentences = explanation.sentences.map(\.shown)
        if let row = explanation.row { sentences.append("Its content is \(try source.title(of: row.content)).") }
        if let previous = explanation.previousContent, let updated = explanation.blame.updated {
            sentences.append("Before \(updated.version), it was \(try source.title(of: previous)).")
        }
        if let first = sentences.first { sentences[0] = style.bold(first) }
        return sentences.map { $0 + "\n" }.joined()
    }

    /// A line of JSON.
    public func json() throws -> [UInt8] {
        try JSONWriter.line { writer in
            writer.key("id")
            writer.write(explanation.id)
            writer.member("version", explanation.version.rawValue)
            writer.write("shown", explanation.location)
            writer.write("list", explanation.listLocation)
            if let row = explanation.row {
                writer.key("row")
                try writer.write(row, source)
            }
            writer.key("decisions")
            writer.array { writer in for decision in explanation.decisions { writer.write(decision) } }
            writer.key("commits")
            writer.object { $0.write(commits: commits) }
            if let previous = explanation.previousContent {
                writer.key("previousContent")
                try writer.write(previous, source)
            }
        }
    }

    private var commits: [(String, CommitInfo?)] {
        explanation.blame.parts + [
            ("contentWritten", explanation.contentWritten), ("sectionMoved", explanation.sectionMoved),
        ]
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ name: String, _ location: RowExplanation.Location?) {
        guard let location else { return }
        key(name)
        object { writer in
            writer.key("at")
            writer.write(location.path)
            writer.key("section")
            writer.write(location.section)
        }
    }

    fileprivate mutating func write(_ decision: QueryDecision) {
        object { writer in
            writer.member("part", decision.part.rawValue)
            guard let isPassed = decision.isPassed else { return }
            writer.member("passed", isPassed)
            switch decision.reason {
            case nil: break
            case .section(let id):
                writer.key("section")
                writer.write(id)
            case .collapsedAncestors(let ids):
                writer.key("collapsed")
                writer.array { writer in for id in ids { writer.write(id) } }
            case .filter(let failed, let count):
                if let failed { writer.member("failed", failed) }
                writer.member("filters", count)
            case .group(let group):
                guard let group else { return }
                writer.key("section")
                writer.write(group.id)
                writer.member("title", group.title)
            case .words(let found, let missing):
                writer.key("found")
                writer.write(.array(found.map { .string($0) }))
                writer.key("missing")
                writer.write(.array(missing.map { .string($0) }))
            case .order(let key, let after, let before):
                writer.member("key", "\(key)")
                for (name, neighbour) in [("after", after), ("before", before)] {
                    guard let neighbour else { continue }
                    writer.key(name)
                    writer.object { writer in
                        writer.key("id")
                        writer.write(neighbour.id)
                        writer.member("key", "\(neighbour.key)")
                    }
                }
            case .rank(let rank, let limit):
                writer.member("rank", rank)
                writer.member("limit", limit)
            }
        }
    }
}
