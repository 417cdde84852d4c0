// The last commit of a salvaged store: adds the rows that are left over, and deletes those whose content is lost.
//
// Always holds: it is an ordinary commit, which undo takes back.

import ListModel

/// What the last commit of a salvaged store does.
struct SalvageCommit {
    /// Rows that are added in a section of their own.
    private(set) var added: [NewRow] = []
    /// Rows that get a newer content.
    private(set) var updated: [(id: UntypedID, content: [UInt8])] = []
    /// The section of the added rows; nil if there are none.
    private(set) var section: UntypedID?
    private let deleted: [UntypedID]

    var isEmpty: Bool { added.isEmpty && updated.isEmpty && deleted.isEmpty }

    init(_ leftovers: SalvageLeftovers, _ newest: SalvagedPiece?) {
        deleted = newest?.unreadable ?? []
        var present: [UntypedID: ContentReference] = [:]
        var sections: Set<UntypedID> = []
        if !leftovers.rows.isEmpty {
            for section in newest?.rows.sections ?? UntypedSnapshot.empty.sections {
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
                added.append(NewRow(id: id, isChecked: row.isChecked, content: row.content, depth: row.depth))
            }
        }
        guard !added.isEmpty else { return }
        section = (0...).lazy.map { .string($0 == 0 ? "salvaged" : "salvaged \($0)") }.first { !sections.contains($0) }
    }

    /// Makes the commit in a store.
    func make(in path: String, _ options: StoreOptions) throws {
        let store = try UntypedStore.open(at: path, options: options)
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
