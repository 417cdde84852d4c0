// Writes and checks the public interface of the products, one line a declaration, from the symbol graphs of a build.
// Tools/interface calls it.
//
// Always holds: a file of the interface has the lines of the last version and of the present state. A line that begins with
// `+` is new since the last version, one that begins with `-` is gone, and all others are in both.

import Foundation

// MARK: - Symbol graphs

/// What is read of a symbol graph.
struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Text: Decodable { let spelling: String }
        struct Named: Decodable { let precise: String }
        struct Kind: Decodable { let identifier: String }
        struct Comment: Decodable {}
        struct Location: Decodable {
            struct Position: Decodable { let line: Int }
            let uri: String
            let position: Position
        }
        struct Extension: Decodable { let constraints: [Constraint]? }
        let kind: Kind
        let identifier: Named
        let pathComponents: [String]
        let declarationFragments: [Text]?
        let docComment: Comment?
        let location: Location?
        let swiftGenerics: Extension?
        let swiftExtension: Extension?
    }
    struct Constraint: Decodable, Hashable, CustomStringConvertible {
        let kind: String
        let lhs: String
        let rhs: String
        var description: String { kind == "sameType" ? "\(lhs) == \(rhs)" : "\(lhs): \(rhs)" }
    }
    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
        let targetFallback: String?
        let swiftConstraints: [Constraint]?
    }
    let symbols: [Symbol]
    let relationships: [Relationship]
}

/// The public interface of a module.
struct Interface {
    /// The declarations and conformances, sorted.
    private(set) var lines: [String] = []
    /// Where declarations without a comment are. A declaration that fulfils a requirement inherits its comment.
    private(set) var undocumented: [String] = []
    private(set) var documentedCount = 0

    /// Reads all graphs of a module in a folder: its own types', and those of the types that it extends.
    init(module: String, folder: URL) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for name in names.sorted() where name.hasSuffix(".symbols.json") {
            let parts = name.dropLast(".symbols.json".count).split(separator: "@")
            guard parts[0] == module else { continue }
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            add(try JSONDecoder().decode(SymbolGraph.self, from: data), extended: parts.count > 1 ? "\(parts[1])." : "")
        }
        lines = Set(lines).sorted()
        undocumented.sort()
    }

    private mutating func add(_ graph: SymbolGraph, extended: String) {
        var known: [String: SymbolGraph.Symbol] = [:]
        for symbol in graph.symbols { known[symbol.identifier.precise] = symbol }
        var requirements: Set<String> = []
        var defaults: Set<String> = []
        for relationship in graph.relationships {
            switch relationship.kind {
            case "requirementOf", "optionalRequirementOf": requirements.insert(relationship.source)
            case "defaultImplementationOf": defaults.insert(relationship.target)
            case "conformsTo", "inheritsFrom":
                guard let source = known[relationship.source] else { continue }
                let target =
                    known[relationship.target]?.pathComponents.joined(separator: ".")
                    ?? relationship.targetFallback ?? relationship.target
                // What every type is, unless it says otherwise.
                if ["Swift.SendableMetatype", "Swift.Copyable", "Swift.Escapable"].contains(target) { continue }
                let own = Set(source.swiftGenerics?.constraints ?? [])
                let path = extended + source.pathComponents.joined(separator: ".")
                lines.append("\(path) : \(target)" + clause(relationship.swiftConstraints, without: own))
            default: break
            }
        }
        let types = Dictionary(
            graph.symbols.map { ($0.pathComponents, Set($0.swiftGenerics?.constraints ?? [])) },
            uniquingKeysWith: { first, _ in first })
        for symbol in graph.symbols {
            let path = extended + symbol.pathComponents.joined(separator: ".")
            // The compiler has made it, because of a conformance or a raw value.
            guard let location = symbol.location else { continue }
            if symbol.docComment == nil {
                let file = URL(string: location.uri)?.path ?? location.uri
                undocumented.append("\(file):\(location.position.line + 1): \(path) has no comment")
            } else {
                documentedCount += 1
            }
            let text = (symbol.declarationFragments ?? []).map(\.spelling).joined()
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let own = types[symbol.pathComponents.dropLast()] ?? []
            var mark = ""
            if requirements.contains(symbol.identifier.precise) {
                mark = defaults.contains(symbol.identifier.precise) ? "(requirement with default) " : "(requirement) "
            }
            lines.append("\(path) | \(mark)\(text)" + clause(symbol.swiftExtension?.constraints, without: own))
        }
    }

    private func clause(_ constraints: [SymbolGraph.Constraint]?, without own: Set<SymbolGraph.Constraint>) -> String {
        let rest = (constraints ?? []).filter { !own.contains($0) }.map(\.description)
        return rest.isEmpty ? "" : " [where \(Set(rest).sorted().joined(separator: ", "))]"
    }
}

// MARK: - Changes

/// What a change asks of the next version, as semantic versioning has it.
enum Level: Int, Comparable {
    case none, additive, breaking

    static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
}

/// The change of one line.
struct LineChange {
    let line: String
    let isAdded: Bool
    let level: Level
    let reason: String

    /// The changes of a set of lines to another one, in their order.
    static func all(from old: Set<String>, to new: Set<String>) -> [LineChange] {
        let oldNames = Set(old.map(name))
        let newNames = Set(new.map(name))
        return old.symmetricDifference(new).sorted { (name($0), $0) < (name($1), $1) }.map { line in
            let name = name(line)
            if old.contains(line) {
                let isGone = !newNames.contains(name) || !line.contains(" | ")
                return LineChange(line: line, isAdded: false, level: .breaking, reason: isGone ? "removed" : "changed")
            }
            let parent = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? ""
            if oldNames.contains(parent), line.contains(" | case ") {
                return LineChange(
                    line: line, isAdded: true, level: .breaking, reason: "a case, which a switch does not expect")
            }
            if oldNames.contains(parent), line.contains(" | (requirement) ") {
                return LineChange(
                    line: line, isAdded: true, level: .breaking, reason: "a requirement that other types do not fulfil")
            }
            return LineChange(line: line, isAdded: true, level: .additive, reason: "added")
        }
    }

    /// The declaration's path.
    private static func name(_ line: String) -> String {
        for separator in [" | ", " : "] {
            if let range = line.range(of: separator) { return String(line[..<range.lowerBound]) }
        }
        return line
    }

    var text: String { "\(isAdded ? "+" : "-") \(line)    (\(level): \(reason))" }
}

/// A version's number.
struct Number: Comparable, CustomStringConvertible {
    let parts: [Int]

    init?(_ text: some StringProtocol) {
        parts = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard parts.count == 3, description == text else { return nil }
    }

    var description: String { parts.map(String.init).joined(separator: ".") }

    static func < (a: Number, b: Number) -> Bool { a.parts.lexicographicallyPrecedes(b.parts) }

    /// Whether a version may follow another one after such a change. Before 1.0.0, the second number counts breaking
    /// changes.
    func mayFollow(_ last: Number, _ level: Level) -> Bool {
        guard last < self else { return false }
        switch (level, last.parts[0]) {
        case (.none, _), (.additive, 0): return true
        case (.additive, _): return parts[0] > last.parts[0] || parts[1] > last.parts[1]
        case (.breaking, 0): return parts[0] > 0 || parts[1] > last.parts[1]
        case (.breaking, _): return parts[0] > last.parts[0]
        }
    }
}

// MARK: - Files

/// A kept interface: the lines of the last version and the present ones.
struct Kept {
    var last: Set<String> = []
    var present: Set<String> = []
    /// The version that `last` belongs to, if there is one.
    var lastVersion: Number?

    private static let since = "# + and - are changes since version "

    init() {}

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let content = String(line.dropFirst(2))
            switch line.first {
            case "+": present.insert(content)
            case "-": last.insert(content)
            case "#":
                if line.hasPrefix(Kept.since) { lastVersion = Number(line.dropFirst(Kept.since.count).dropLast()) }
            default:
                last.insert(content)
                present.insert(content)
            }
        }
    }

    func text(module: String) -> String {
        var lines = ["# The public interface of \(module). Tools/interface --write makes this file."]
        if let lastVersion { lines.append("\(Kept.since)\(lastVersion).") }
        for line in last.union(present).sorted() {
            lines.append((last.contains(line) ? present.contains(line) ? "  " : "- " : "+ ") + line)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The versions in the headings of the changelog, the newest first: the next one, then the released ones.
func versions(changelog: URL) throws -> [Number] {
    try String(contentsOf: changelog, encoding: .utf8).split(separator: "\n").compactMap { line in
        guard line.hasPrefix("## ") else { return nil }
        return Number(line.dropFirst(3).prefix { $0 != "," && $0 != " " })
    }
}

// MARK: - The program

func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data("interface: \(text)\n".utf8))
    exit(1)
}

func run() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count > 4, ["--check", "--write"].contains(arguments[0]) else {
        fail("expected --check|--write CHANGELOG INTERFACES GRAPHS MODULE…")
    }
    let isWriting = arguments.removeFirst() == "--write"
    let changelog = URL(fileURLWithPath: arguments.removeFirst())
    let interfaces = URL(fileURLWithPath: arguments.removeFirst())
    let graphs = URL(fileURLWithPath: arguments.removeFirst())

    let versions = try versions(changelog: changelog)
    guard let next = versions.first else { fail("the changelog has no heading with a version") }
    let last = versions.dropFirst().first

    var level = Level.none
    var advice: [String] = []
    var counts = (lines: 0, documented: 0, undocumented: 0)
    for module in arguments {
        let interface = try Interface(module: module, folder: graphs)
        if interface.lines.isEmpty { fail("no symbol graph of \(module)") }
        let file = interfaces.appendingPathComponent("\(module).txt")
        var kept = (try? String(contentsOf: file, encoding: .utf8)).map(Kept.init) ?? Kept()
        if kept.lastVersion != last {
            // A version has been released, and its interface is what was kept until now.
            kept.last = kept.present
            kept.lastVersion = last
        }
        let now = Set(interface.lines)
        let changes = LineChange.all(from: kept.present, to: now)
        kept.present = now
        if last == nil { kept.last = now }
        if isWriting {
            try Data(kept.text(module: module).utf8).write(to: file)
        } else if !changes.isEmpty {
            if advice.isEmpty {
                advice.append("if that is on purpose, run Tools/interface --write and say so in the changelog")
            }
            print("The public interface of \(module) is not that of Docs/Interface/\(module).txt:")
            for change in changes { print("  " + change.text) }
        }
        level = max(level, LineChange.all(from: kept.last, to: now).map(\.level).max() ?? .none)
        for place in interface.undocumented { print(place) }
        counts.lines += interface.lines.count
        counts.documented += interface.documentedCount
        counts.undocumented += interface.undocumented.count
    }
    if counts.undocumented > 0, !isWriting { advice.append("write the comments that are missing") }
    if let last, !next.mayFollow(last, level) {
        advice.append("raise the version in the changelog and in Tools/Sources/Tool/ToolVersion.swift")
        print("The changes since version \(last) are \(level): the changelog says \(next), which is too low.")
    }
    if !advice.isEmpty { fail(advice.joined(separator: "; ")) }
    let since = last.map { level == .none ? "unchanged since \($0)" : "\(level) since \($0)" } ?? "the first"
    print(
        "interface: \(counts.lines) lines, \(counts.documented) declarations with a comment, \(counts.undocumented) without; "
            + "version \(next), \(since)")
}

@main
struct Program {
    static func main() {
        do { try run() } catch { fail("\(error)") }
    }
}
