// How much a commit changed: `log --stat`.
//
// Always holds: an event is counted once for each row that it names.

import ListModel

/// How many rows and sections events changed.
struct EventCounts {
    /// The words, and how many rows or sections each says something of.
    private var counts: [(word: String, count: Int)] = []

    init(_ events: [ListEvent]) {
        for event in events {
            switch event {
            case .itemsInserted(_, let items): add("inserted", items.count)
            case .itemsDeleted(_, let items): add("deleted", items.count)
            case .itemsMoved(_, _, let ids): add("moved", ids.count)
            case .itemToggled: add("checked", 1)
            case .itemUpdated: add("updated", 1)
            case .itemsIndented(_, let ids, _): add("indented", ids.count)
            case .itemCollapsed: add("collapsed", 1)
            case .sectionInserted(_, let section):
                add("sections inserted", 1)
                add("inserted", section.items.count)
            case .sectionDeleted(_, let section):
                add("sections deleted", 1)
                add("deleted", section.items.count)
            case .sectionMoved: add("sections moved", 1)
            case .sectionRenamed: add("sections renamed", 1)
            case .listReloaded(let old, let new):
                add("deleted", old.reduce(0) { $0 + $1.items.count })
                add("inserted", new.reduce(0) { $0 + $1.items.count })
            case .annotated, .unrecognised: add("annotations", 1)
            }
        }
    }

    private mutating func add(_ word: String, _ count: Int) {
        if count == 0 { return }
        if let index = counts.firstIndex(where: { $0.word == word }) {
            counts[index].count += count
        } else {
            counts.append((word, count))
        }
    }

    /// The counts, in the order in which they first changed something.
    var text: String {
        counts.isEmpty ? "nothing" : counts.map { "\($0.count) \($0.word)" }.joined(separator: ", ")
    }
}

extension JSONWriter {
    /// Writes the counts as an object.
    mutating func write(_ counts: EventCounts) { object { counts.write(to: &$0) } }
}

extension EventCounts {
    fileprivate func write(to writer: inout JSONWriter) {
        for (word, count) in counts { writer.member(word, count) }
    }
}
