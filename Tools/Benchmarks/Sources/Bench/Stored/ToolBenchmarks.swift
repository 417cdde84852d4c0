// Measures how soon the commands of the tool begin to print, and how much memory they need, with a store that has a long past.
//
// Always holds: each command runs to its end in a process of its own, and succeeds.

import BenchSupport
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

    /// Whether a figure is to be measured.
    var isWanted: Bool {
        runner.wants(Self.memory)
            || Self.commands("", "", 0).contains { runner.wants(Self.prefix + $0.name) }
    }

    /// The commands, with the words that their figures are named after.
    private static func commands(
        _ path: String, _ row: String, _ version: Int
    ) -> [(name: String, arguments: [String])] {
        let (version, near) = (String(version), String(version + 100))
        return [
            ("show", ["show", path]), ("show-50", ["show", path, "--limit", "50"]),
            ("show-at", ["show", path, "--at", version, "--limit", "50"]), ("show-row", ["show", path, "--row", row]),
            ("search", ["search", path, "milk 19"]),
            ("log", ["log", path]), ("log-stat", ["log", path, "--stat"]), ("log-graph", ["log", path, "--graph"]),
            ("log-row", ["log", path, "--row", row]),
            ("diff", ["diff", path]), ("diff-100", ["diff", path, version, near]),
            ("history", ["history", path, row]), ("blame", ["blame", path, "--limit", "50"]),
            ("why", ["why", path, row]), ("trash", ["trash", path]),
            ("play", ["play", path, version, near, "--speed", "1000000"]),
            ("branches", ["branches", path]), ("stats", ["stats", path]), ("checkpoints", ["checkpoints", path]),
            ("record", ["record", path, version]), ("who", ["who", path]),
            ("undo", ["undo", path]), ("redo", ["redo", path]),
            ("restore-row", ["restore", path, version, "--row", row]),
            ("restore", ["restore", path, version]),
        ]
    }

    /// Measures all commands.
    ///
    /// - Parameters:
    ///   - path: the store.
    ///   - row: a row of it.
    ///   - version: a version of it, in the middle.
    func run(with path: String, row: String, version: Int) throws {
        var most: [Double] = []
        for (name, arguments) in Self.commands(path, row, version) {
            var memory: [Double] = []
            try runner.measure(
                Self.prefix + name, unit: "ms", target: isFull ? .median(atMost: 40) : nil,
                note: { "\(NumberText.text(Statistics.median(memory))) MiB" }
            ) {
                let run = try probes.result(
                    of: .command(program: tool, arguments: arguments), as: CommandResult.self)
                memory.append(Double(run.peakBytes) / Double(1 << 20))
                return run.firstByte * 1e3
            }
            if !memory.isEmpty { most.append(Statistics.median(memory)) }
        }
        guard let greatest = most.max() else { return }
        runner.add(
            Figure(
                name: Self.memory, unit: "MiB", samples: [greatest], peer: nil,
                target: isFull ? .median(atMost: 40) : nil, note: "the command that needs most"))
    }
}
