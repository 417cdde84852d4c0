// Gives every section and row of an input its place and its id.
//
// Always holds: a new id is used neither in the store nor in the input; ids from the input are kept.

import ListModel
import Listory

/// The sections and rows that an import inserts.
struct ImportPlan {
    /// Rows that go to the end of a section.
    struct Part {
        let section: UntypedID
        /// The title of the section, if it has to be inserted first.
        let title: String?
        let rows: [NewRow]
    }

    private(set) var parts: [Part] = []

    /// - Parameters:
    ///   - snapshot: the rows of the store.
    ///   - store: the store; nil if it is empty.
    /// - Throws: ``ImportError`` if no integer is left for an id; an error of the log.
    /// - Complexity: as ``FreshIdentifiers``: the greatest integer id is searched.
    init(_ list: ImportedList, into snapshot: UntypedSnapshot = .empty, of store: UntypedStore? = nil) throws {
        var taken = Set(snapshot.sections.map(\.id))
        for case .named(let id) in list.sections.map(\.name) { taken.insert(id) }
        let known = Set(snapshot.sections.map(\.id))
        var ids = FreshIdentifiers(snapshot, list, of: store)
        for section in list.sections {
            let rows = try section.rows.map { row in
                try NewRow(
                    id: row.id ?? ids.next(), isChecked: row.isChecked, content: row.content, depth: row.depth,
                    isCollapsed: row.isCollapsed)
            }
            switch section.name {
            case .named(let id):
                parts.append(Part(section: id, title: known.contains(id) ? nil : section.title, rows: rows))
            case .new(let name):
                let id = ImportPlan.unique(name, &taken)
                parts.append(Part(section: id, title: section.title, rows: rows))
            }
        }
    }

    /// A name that no section has, with a number after it if necessary.
    static func unique(_ name: String, _ taken: inout Set<UntypedID>) -> UntypedID {
        var id = UntypedID.string(name)
        var number = 2
        while !taken.insert(id).inserted {
            id = .string("\(name)-\(number)")
            number += 1
        }
        return id
    }
}
