// Replays a recorded editing session into a store: a row for each Unicode scalar.
//
// Always holds: the rows of the section are the scalars of the text, in order. A transaction is one commit, with the
// time of the recording; each patch is a run of deletions and a run of insertions.

import ListModel
import Listory

/// Replays a trace.
struct TraceImport {
    private let trace: EditingTrace

    init(_ trace: EditingTrace) {
        self.trace = trace
    }

    /// Replays the trace into a section of its own.
    ///
    /// - Throws: `ListError.unknownSection` if somebody deletes the section meanwhile; as an edit.
    func apply(to store: UntypedStore, progress: (Double) -> Void) throws {
        let snapshot = try store.snapshot
        var taken = Set(snapshot.sections.map(\.id))
        let section = NewSection(id: ImportPlan.unique("text", &taken))
        var ids = FreshIdentifiers(snapshot, of: store)
        try ids.prepare()
        var rows = ScalarRows(ids)
        var isInserted = false
        if !trace.startContent.isEmpty {
            isInserted = true
            let items = try rows.next(trace.startContent)
            try store.edit("start", durability: .deferred) { list in
                try list.insertSection(section)
                try list.insert(items, at: .end(ofSection: section.id))
            }
        }
        for (number, transaction) in trace.transactions.enumerated() {
            try store.edit("type", time: transaction.time, durability: .deferred) { list in
                if !isInserted { try list.insertSection(section) }
                // Since the last transaction, others may have inserted, moved or deleted sections.
                guard let index = list.state.indexOfSection(section.id) else {
                    throw ListError.unknownSection(section.id)
                }
                for patch in transaction.patches { try apply(patch, index, &list, &rows) }
            }
            isInserted = true
            if number % 1_024 == 0 { progress(Double(number) / Double(trace.transactions.count)) }
        }
    }

    private func apply(
        _ patch: EditingTrace.Patch, _ section: Int, _ list: inout UntypedEditor, _ rows: inout ScalarRows
    ) throws {
        let path = ListIndexPath(section: section, item: patch.position)
        if patch.deleted > 0 { try list.delete(.run(path, count: patch.deleted)) }
        let scalars = patch.inserted.unicodeScalars
        guard let first = scalars.first else { return }
        // Most patches are one key.
        if scalars.index(after: scalars.startIndex) == scalars.endIndex {
            try list.insert(rows.next(first), at: .at(path))
        } else {
            try list.insert(rows.next(patch.inserted), at: .at(path))
        }
    }
}
