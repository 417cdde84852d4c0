// The results as tables for the documents.
//
// Always holds: every figure that was measured is in a table, whether its target is met or not.

import BenchSupport

extension Report {
    /// The subjects of figures, by the prefixes of their names.
    private static let rooms: [(title: String, prefixes: [String], text: String)] = [
        (
            "One edit in memory", ["apply/"],
            """
            One commit of one edit at a random position, with its event, record, checksum and state hash, in lists of which
            half were inserted at random places. Each cell: no snapshot kept / one kept / one taken and kept after every
            edit.
            """
        ),
        ("Undo and redo", ["undo/", "redo/", "history/"], ""),
        (
            "Appending to the log", ["append/"],
            "Commits of one inserted row each, in batches that are then waited for."
        ),
        (
            "Writers that wait", ["group-commit/"],
            "Each writer waits for each of its commits, on a thread that blocks or in a task that suspends."
        ),
        ("Replay", ["replay/"], ""),
        ("Changesets", ["changeset/"], "The peer gets its arrays ready-made, and compares ids only."),
        ("Transitions of list views", ["transition/"], "A changeset, and the batches, steps or splices that play it."),
        ("Derived views and projections", ["view/", "projection/"], ""),
        ("Stores", ["store/", "state-hash/"], ""),
        ("Packing while a store is open", ["packing/"], "The peer is a store that packs nothing."),
        (
            "Stored lists", ["stored/"],
            """
            A long list, imported and then edited as often at random places, with the default options. Every opening is a
            process of its own; the file is in the system's cache.
            """
        ),
    ]

    /// The tables, each under a heading of the third level.
    var markdown: String {
        var lines: [String] = []
        var rest = figures
        for room in Report.rooms + [("Other figures", [""], "")] {
            let members = rest.filter { figure in room.prefixes.contains(where: figure.name.hasPrefix) }
            rest.removeAll { figure in room.prefixes.contains(where: figure.name.hasPrefix) }
            guard !members.isEmpty else { continue }
            lines += ["### \(room.title)", ""] + (room.text.isEmpty ? [] : [room.text, ""])
            lines += room.prefixes == ["apply/"] ? Report.edits(members) : Report.table(members)
        }
        return (lines + [summary]).joined(separator: "\n")
    }

    private static func table(_ figures: [Figure]) -> [String] {
        let hasPeers = figures.contains { $0.peer != nil }
        let hasTargets = figures.contains { $0.target != nil }
        var table = MarkdownTable(
            ["figure", "median", "unit"] + (hasPeers ? ["peer", "ratio"] : []) + (hasTargets ? ["target", ""] : []))
        for figure in figures {
            let cells = cells(figure)
            let spread = figure.samples.count > 1 ? " (\(cells[2])–\(cells[3]))" : ""
            table.add(
                [cells[0], cells[1] + spread, cells[4]] + (hasPeers ? [cells[5], cells[6]] : [])
                    + (hasTargets ? [cells[7], verdict(figure)] : []))
        }
        let notes = notes(of: figures)
        return table.lines + (notes.isEmpty ? [] : notes.map { "- \($0)" } + [""])
    }

    /// A row for each kind of edit, a column for each size of list, and in a cell the uses of snapshots.
    private static func edits(_ figures: [Figure]) -> [String] {
        struct Cell: Hashable {
            let kind: String
            let size: String
        }
        var cells: [Cell: [String]] = [:]
        var kinds: [String] = []
        var sizes: [String] = []
        for figure in figures {
            let words = figure.name.split(separator: "/").map(String.init)
            let cell = Cell(kind: words[1..<(words.count - 2)].joined(separator: " by "), size: words[words.count - 2])
            if !kinds.contains(cell.kind) { kinds.append(cell.kind) }
            if !sizes.contains(cell.size) { sizes.append(cell.size) }
            let isMissed = figure.isTargetMet == false
            cells[cell, default: []].append(NumberText.text(figure.median) + (isMissed ? " **MISSED**" : ""))
        }
        var table = MarkdownTable(["edit, ns"] + sizes.map { "\($0) rows" })
        for kind in kinds {
            table.add(
                [kind] + sizes.map { (cells[Cell(kind: kind, size: $0)] ?? ["–"]).joined(separator: " / ") })
        }
        let targets = figures.filter { $0.target != nil }
        guard let last = targets.last, let size = last.name.split(separator: "/").dropLast().last else {
            return table.lines
        }
        var limits: [String] = []
        for limit in targets.compactMap({ $0.target.map { NumberText.text($0.limit) } }).prefix(3) {
            limits.append(limit)
        }
        return table.lines + ["Targets at \(size) rows: \(limits.joined(separator: " / ")).", ""]
    }

    private static func verdict(_ figure: Figure) -> String {
        figure.isTargetMet.map { $0 ? "met" : "**MISSED**" } ?? ""
    }
}
