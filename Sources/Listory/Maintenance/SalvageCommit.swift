// The last commit of a salvaged store: adds the rows that are left over, and deletes those whose content is lost.
//
// Always holds: it is an ordinary commit, which undo takes back. It makes no section if there is one: an app whose sections are the cases
// of an enumeration could read no other, and the file does not say whether its app is one.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the last commit of a salvaged store does.
struct SalvageCommit {
    /// Rows that are added at the end of the section.
    private(set) var added: [NewRow] = []
    /// Rows that get a newer content.
    private(set) var updated: [(id: UntypedID, content: [UInt8])] = []
    /// The section to which rows are added, the last one or a new one; nil if none are added.
    private(set) var section: UntypedID?
    private let deleted: [UntypedID]

    var isEmpty: Bool { added.isEmpty && updated.isEmpty && deleted.isEmpty }

    init(_ leftovers: SalvageLeftovers, _ newest: SalvagedPiece?, _ kinds: IdentifierKinds?) {
        deleted = newest?.unreadable ?? []
        var present: [UntypedID: ContentReference] = [:]
        let sections = (newest?.rows ?? .empty).sections
        if !leftovers.rows.isEmpty {
            for section in sections { for item in section.items { present[item.id] = item.content } }
        }
        for id in deleted { present[id] = nil }
        for id in leftovers.identifiers {
            guard let row = leftovers.rows[id] else { continue }
            if let content = present[id] {
                if !content.fits(row.content) { updated.append((id, row.content)) }
            } else {
                added.append(NewRow(id: id, isChecked: row.isChecked, content: row.content, depth: row.depth))
            }
        }
        guard !added.isEmpty else { return }
        // In an outline, the first one belongs to no row that was there.
        added[0].depth = 0
        section = sections.last?.id ?? SalvageCommit.newSection(kinds?.sections ?? .string)
    }

    /// The id of a section in a list that has none.
    private static func newSection(_ kind: UntypedID.Kind) -> UntypedID {
        switch kind {
        case .integer: .integer(1)
        case .uuid: .uuid(UUID(untypedID: "salvaged"))
        case .string: "salvaged"
        }
    }

    /// Makes the commit in a store.
    func make(in path: String, _ options: StoreOptions) throws {
        let store = try UntypedStore.open(at: path, options: options)
        do {
            try store.edit("Salvage") { list in
                if !deleted.isEmpty { try list.delete(.items(deleted)) }
                for (id, content) in updated { try list.update(id, content: content) }
                guard let section else { return }
                if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: section, title: "Salvaged")) }
                try list.insert(added, at: .end(ofSection: section))
            }
        } catch {
            try? store.close(discardingUnappended: true)
            throw error
        }
        try store.close()
    }
}
