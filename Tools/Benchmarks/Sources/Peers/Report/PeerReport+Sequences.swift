// The report on the replayed recording, compared with libraries that keep sequences in memory.

import BenchSupport

extension PeerReport {
    /// The sections, each with its title.
    var sequenceSections: [(String, [String])] {
        [("A recorded editing session", traceLines), ("Undo after it", undoLines), ("Its middle", pastLines)]
    }

    private var traceLines: [String] {
        let rows: [(String, Quantity, Plot.Unit)] = [
            ("net time", .net, .seconds), ("raw time", .seconds, .seconds),
            ("calls from Python", .overhead, .seconds), ("memory", .memory, .bytes),
            ("on the disk, or exported", .disk, .bytes),
        ]
        var lines: [String] = []
        for (label, quantity, unit) in rows {
            let more = byContender([.listory, .listoryAtOnce] + Contender.sequences, .trace, label, quantity, unit)
            // One table of all, with one head.
            lines = lines.isEmpty ? more : lines.dropLast() + more.dropFirst(2)
        }
        guard !lines.isEmpty else { return [] }
        let keys = scale.isQuick ? "The first \(NumberText.count(scale.keyCount)) keys" : "All 259,778 keys"
        let text = """
            \(keys) of automerge-paper, one row or element each. Ours is applied, logged and, at the end, durable: once
            with a commit a key, each of which can be undone and looked at, and once with all keys in one commit, as
            Loro gets them. The others are in memory; pycrdt gets a transaction a key, which is fastest for it. Net is
            without what the calls from Python take. Text types have no rows.
            """
        return [text, ""] + lines
    }

    private var undoLines: [String] {
        let contenders: [Contender] = [.listory, .pycrdtArray, .pycrdtText, .loroList]
        let lines = byContender(contenders, .undo, "one undo, on average", .undo, .seconds)
        guard !lines.isEmpty else { return [] }
        let text = """
            \(NumberText.text(Double(scale.undoCount))) keys taken back, one by one. Ours are logged and, at the end,
            durable; the checkpoint that the recording asks for is taken before. pycrdt's and Loro's are in memory. Loro is
            measured once, and stopped after a minute.
            """
        return [text, ""] + lines
    }

    private var pastLines: [String] {
        let contenders: [Contender] = [.listory, .loroMovableList]
        let checkout = byContender(contenders, .trace, "the rows of the middle", .checkout, .seconds)
        guard !checkout.isEmpty else { return [] }
        let difference = byContender(contenders, .trace, "from the middle to the end", .difference, .seconds)
        return checkout.dropLast() + difference.dropFirst(2)
    }

    private func byContender(
        _ contenders: [Contender], _ workload: Workload, _ label: String, _ quantity: Quantity, _ unit: Plot.Unit
    ) -> [String] {
        table(contenders, unit).lines(
            "", [ComparisonTable.Row(label: label, workload: workload, size: scale.keyCount, quantity: quantity)])
    }
}
