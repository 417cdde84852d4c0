// The last commit of a salvaged store: adds the rows that are left over, and deletes those whose content is lost.
//
// Always holds: it is an ordinary commit, which undo takes back.

import ListModel

/// What the last commit of a salvaged store does.
struct SalvageCommit {
    /// Rows that are added in a section of their own.
    private(set) var added: [NewItem] = []
    /// Rows that get a newer content.
    private(set) var updated: [(id: Identifier, content: [UInt8])] = []
    /// The section of the added rows; nil if there are none.
    private(set) var section: Identifier?
    private let deleted: [Identifier]

    var isEmpty: Bool { added.isEmpty && updated.isEmpty && deleted.isEmpty }

    init(_ leftovers: SalvageLeftovers, _ newest: SalvagedPiece?) {
        deleted = newest?.unreadable ?? []
        var present: [Identifier: ContentReference] = [:]
        var sections: Set<Identifier> = []
        if !leftovers.rows.isEmpty {
            for section in newest?.rows.sections ?? Snapshot.empty.sections {
                sections.insert(section.id)
                for item in section.items { present[item.id] = item.content }
            }
        }
        for id in deleted { present[id] = nil }
        for id in leftovers.identifiers {
            guard let row = leftovers.rows[id] else { continue }
            if let content = present[id] {
                let isSame = row.content.withUnsafeBytes { bytes in
                    bytes.count == Int(content.length) && (try? content.check(bytes)) != nil
                }
                if !isSame { updated.append((id, row.content)) }
            } else {
                added.append(NewItem(id: id, isChecked: row.isChecked, content: row.content, depth: row.depth))
            }
        }
        guard !added.isEmpty else { return }
        section = (0...).lazy.map { .string($0 == 0 ? "salvaged" : "salvaged \($0)") }.first { !sections.contains($0) }
    }

    /// Makes the commit in a store.
    func make(in path: String, _ options: StoreOptions) throws {
        let store = try Store.open(at: path, options: options)
        do {
            try store.edit("Salvage") { list in
                if !deleted.isEmpty { try list.delete(.items(deleted)) }
                for (id, content) in updated { try list.update(id, content: content) }
                if let section { try list.insertSection(NewSection(id: section, title: "Salvaged", items: added)) }
            }
        } catch {
            try? store.close(discardingUnappended: true)
            throw error
        }
        try store.close()
    }
}
