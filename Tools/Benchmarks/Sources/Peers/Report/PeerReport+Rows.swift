// The report on lists of rows on a disk.

import BenchSupport

extension PeerReport {
    /// The sections, each with its title.
    var rowSections: [(String, [String])] {
        [
            ("Bulk import", importLines), ("Edits that wait for durability, one at a time", editLines),
            ("Many writers", writerLines), ("Opening, to the first \(OpenWorkload.screen) rows", openLines),
            ("Memory with all rows loaded", memoryLines), ("Changesets", changesetLines),
        ]
    }

    private var importLines: [String] {
        let rows = { ComparisonTable.rows(results, .rows, $0) }
        let times = table(Contender.stores).lines("time", rows(.seconds))
        guard !times.isEmpty else { return [] }
        return [
            "Rows of some 40 bytes, \(NumberText.count(RowsWorkload.batch)) a transaction, each transaction synced.",
            "",
        ]
            + times + table(Contender.stores, .bytes).lines("memory at most", rows(.peak))
            + table(Contender.stores, .bytes).lines("on the disk", rows(.disk))
    }

    private var editLines: [String] {
        let kinds: [(String, Quantity)] = [
            ("toggle", .toggle), ("insert", .insert), ("move", .move), ("undo a toggle", .undo),
            ("undo a move", .undoMove),
        ]
        let means = lines(kinds, results.sizes(.rows))
        guard !means.isEmpty else { return [] }
        let slow: [(String, Quantity)] = [("toggle", .toggleSlow), ("insert", .insertSlow), ("move", .moveSlow)]
        return ["At random rows, by id; the mean of up to \(scale.editCount) edits, or of two seconds of them.", ""]
            + means
            + ["The slowest of a hundred (p99):", ""] + lines(slow, [scale.targetRowCount])
    }

    private func lines(_ kinds: [(String, Quantity)], _ sizes: [Int]) -> [String] {
        let rows = kinds.flatMap { name, quantity in
            sizes.map { size in
                ComparisonTable.Row(
                    label: "\(name), \(NumberText.count(size))", workload: .rows, size: size, quantity: quantity)
            }
        }
        return table(Contender.stores).lines("edit, rows", rows)
    }

    private var writerLines: [String] {
        var table = MarkdownTable(["writers that wait for each commit", "commits a second", "p50", "p99"])
        for count in results.sizes(.writers) {
            let cells = [(Quantity.rate, Plot.Unit.count), (.typical, .seconds), (.slow, .seconds)].map {
                results.samples(.writers, .listory, count, $0.0).map { [unit = $0.1] in Spread($0, unit).text } ?? "–"
            }
            table.add([String(count)] + cells)
        }
        return table.isEmpty ? [] : table.lines
    }

    private var openLines: [String] {
        let contenders: [Contender] = [.listory, .lmdb, .sqliteFractional]
        let main = table(contenders).lines("from the start of `main`", ComparisonTable.rows(results, .open, .fromMain))
        guard !main.isEmpty else { return [] }
        let spawn = table(contenders).lines("from before the spawn", ComparisonTable.rows(results, .open, .fromSpawn))
        return ["A new process each time; the file is in the system's cache.", ""] + main + spawn
    }

    private var memoryLines: [String] {
        let rows = ComparisonTable.rows(results, .memory, .memory)
        let own = table([.listory, .array], .bytes).lines("memory of its own, nothing evicted", rows)
        guard !own.isEmpty else { return [] }
        let mapped = table([.listory], .bytes).lines(
            "pages of the file that are mapped", ComparisonTable.rows(results, .memory, .mapped))
        let cached = table([.listory], .bytes).lines(
            "memory of its own after looking at all rows, with the default cache",
            ComparisonTable.rows(results, .memory, .cached))
        return ["Ids, checkmarks and references to contents, which stay in the file.", ""] + own + cached + mapped
    }

    private var changesetLines: [String] {
        let rows = [(Workload.oneEdit, "one edit"), (.onePercent, "1 %")].flatMap { workload, name in
            results.sizes(workload).map {
                ComparisonTable.Row(
                    label: "\(name), \(NumberText.count($0)) rows", workload: workload, size: $0, quantity: .seconds)
            }
        }
        return table([.listory, .difference]).lines("change", rows)
    }
}
