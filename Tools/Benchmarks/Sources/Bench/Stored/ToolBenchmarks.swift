// Measures how soon the commands of the tool begin to print, and how much memory they need, with a store that has a long past;
// how long a search for the first bad version takes, and how much memory a verification needs.
//
// Always holds: each command runs to its end in a process of its own, and succeeds.

import BenchSupport
import Foundation
import ProbeSupport

/// Measures commands that ask a store something, or make one edit.
struct ToolBenchmarks {
    let runner: Runner
    let isFull: Bool
    let probes: ProbeProgram
    /// The path of the tool.
    let tool: String

    private static let prefix = "tool/"
    private static let memory = "tool/memory"

    /// A command, and the word that its figure is named after.
    private struct Command {
        let name: String
        let arguments: [String]
        /// What it reads from its standard input.
        var input: String?
        /// The figure, if it is not when the command begins to print.
        var kind = Kind.beginning
        /// Whether it changes the store: then each run has a copy of its own, because the second would find nothing to do.
        var isEdit = false
        /// What is done before, without being measured.
        var preparation: [String] = []

        enum Kind {
            case beginning, ending, memory
        }

        init(
            _ name: String, _ arguments: String..., input: String? = nil, kind: Kind = .beginning,
            after preparation: [String] = []
        ) {
            (self.name, self.arguments, self.input, self.kind) = (name, arguments, input, kind)
            self.preparation = preparation
        }
    }

    /// Whether a figure is to be measured.
    var isWanted: Bool {
        runner.wants(Self.memory)
            || Self.commands("", "", 0).contains { runner.wants(Self.prefix + $0.name) }
    }

    private static func commands(_ path: String, _ row: String, _ version: Int) -> [Command] {
        let edits = editing(copy(of: path), row, String(version)).map { command in
            var command = command
            command.isEdit = true
            return command
        }
        return reading(path, row, String(version), String(version + 100)) + edits
    }

    private static func reading(_ path: String, _ row: String, _ version: String, _ near: String) -> [Command] {
        [
            Command("show", "show", path), Command("show-50", "show", path, "--limit", "50"),
            Command("show-json", "show", path, "--json"),
            Command("show-at", "show", path, "--at", version, "--limit", "50"),
            Command("show-row", "show", path, "--row", row),
            Command("search", "search", path, "milk 19"), Command("search-none", "search", path, "nowhere"),
            Command("log", "log", path), Command("log-stat", "log", path, "--stat"),
            Command("log-graph", "log", path, "--graph"), Command("log-row", "log", path, "--row", row),
            Command("log-text", "log", path, "--text", "spoiled"),
            Command("log-text-none", "log", path, "--text", "nowhere"),
            Command("diff", "diff", path), Command("diff-100", "diff", path, version, near),
            Command("history", "history", path, row), Command("blame", "blame", path, "--limit", "50"),
            Command("why", "why", path, row), Command("why-search", "why", path, row, "--search", "milk"),
            Command("why-sort", "why", path, row, "--sort", "title"),
            Command("trash", "trash", path), Command("trash-text", "trash", path, "--text", "milk 19"),
            Command("trash-text-none", "trash", path, "--text", "nowhere"),
            Command("play", "play", path, version, near, "--speed", "1000000"),
            Command("branches", "branches", path), Command("stats", "stats", path),
            Command("checkpoints", "checkpoints", path), Command("projections", "projections", path),
            Command("record", "record", path, version), Command("who", "who", path), Command("manual", "manual"),
            Command("compact-dry", "compact", path, "--dry-run"),
            Command("copy", "copy", path, copy(of: path)), Command("backup", "backup", path, copy(of: path)),
            Command("extract", "extract", path, "\(version)..\(near)", copy(of: path)),
            Command("bisect", "bisect", path, "--where", "row spoiled exists", kind: .ending),
            Command("bisect-text", "bisect", path, "--where", "contains spoiled", kind: .ending),
            Command("verify", "verify", path, kind: .memory),
        ]
    }

    private static func editing(_ path: String, _ row: String, _ version: String) -> [Command] {
        [
            Command("exec", "exec", path, input: #"{"toggle":{"id":"\#(row)"}}"#),
            Command("undo", "undo", path), Command("redo", "redo", path, after: ["undo", path]),
            Command("revert", "revert", path, version, "--skip-conflicts"),
            Command("earlier", "earlier", path, "10"),
            Command("later", "later", path, "10", after: ["earlier", path, "10"]),
            Command("restore-row", "restore", path, version, "--row", row),
            Command("restore-section", "restore", path, version, "--section", "gone"),
            Command("restore", "restore", path, version), Command("go", "go", path, version),
        ]
    }

    /// Where commands that make another file make it, and where those that edit do so.
    private static func copy(of path: String) -> String { "\(path)-copy" }

    /// Measures all commands.
    ///
    /// - Parameters:
    ///   - path: the store.
    ///   - row: a row of it.
    ///   - version: a version of it, in the middle.
    func run(with path: String, row: String, version: Int) throws {
        var most: (mebibytes: Double, name: String)?
        for command in Self.commands(path, row, version) {
            var memory: [Double] = []
            defer { removeCopy(of: path) }
            try runner.measure(
                Self.prefix + command.name, unit: command.kind == .memory ? "MiB" : "ms", target: target(of: command),
                note: {
                    command.kind == .memory ? nil : "\(NumberText.text(Statistics.median(memory))) MiB"
                }
            ) {
                removeCopy(of: path)
                if command.isEdit {
                    try FileManager.default.copyItem(atPath: path, toPath: Self.copy(of: path))
                    if !command.preparation.isEmpty { _ = try result(of: command.preparation) }
                    // Otherwise the command's own sync waits until the whole copy is on the disk.
                    sync()
                }
                let result = try result(of: command)
                memory.append(Double(result.peakBytes) / Double(1 << 20))
                switch command.kind {
                case .beginning: return result.firstByte * 1e3
                case .ending: return result.duration * 1e3
                case .memory: return memory.last!
                }
            }
            guard command.kind == .beginning, !memory.isEmpty else { continue }
            let median = Statistics.median(memory)
            if median > most?.mebibytes ?? 0 { most = (median, command.name) }
        }
        guard let most else { return }
        runner.add(
            Figure(
                name: Self.memory, unit: "MiB", samples: [most.mebibytes], peer: nil,
                target: isFull ? .median(atMost: 40) : nil, note: "\(most.name), which needs most"))
    }

    private func target(of command: Command) -> Target? {
        guard isFull else { return nil }
        switch command.kind {
        case .beginning: return .median(atMost: 40)
        case .ending: return .median(atMost: 2_000)
        case .memory: return .median(atMost: 100)
        }
    }

    private func result(of command: Command) throws -> CommandResult {
        try result(of: command.arguments, input: command.input)
    }

    private func result(of arguments: [String], input: String? = nil) throws -> CommandResult {
        var (program, arguments) = (tool, arguments)
        if let input {
            (program, arguments) = ("/bin/sh", ["-c", "exec \"$0\" \"$@\" <<'END'\n\(input)\nEND", tool] + arguments)
        }
        return try probes.result(of: .command(program: program, arguments: arguments), as: CommandResult.self)
    }

    private func removeCopy(of path: String) {
        for end in ["", "-lock", "-processes"] {
            try? FileManager.default.removeItem(atPath: Self.copy(of: path) + end)
        }
    }
}
