// The library under test, as a store of rows.

import ListModel
import Listory
import ProbeSupport

/// Rows in the only section of a store.
final class ListoryRows: RowStore {
    private let store: UntypedStore
    private static let section: UntypedID = "today"

    /// - Parameter memoryBudget: how many bytes of the rows stay in memory; nil for the default.
    init(path: String, memoryBudget: Int? = nil) throws {
        var options = StoreOptions()
        if let memoryBudget { options.memoryBudget = memoryBudget }
        // An undo takes back one edit, as with the peers.
        options.coalescing = .never
        do { store = try UntypedStore.open(at: path, options: options) } catch ListError.notFound {
            store = try UntypedStore.create(at: path, options: options)
            try store.edit("Begin") { try $0.insertSection(NewSection(id: ListoryRows.section, title: "Today")) }
        }
    }

    /// The newest rows.
    var rows: ItemCollection {
        get throws { try store.snapshot.sections[0].items }
    }

    func prepare(_ ids: Range<Int>) -> [NewRow] { ids.map(ListoryRows.item) }

    func append(_ batch: [NewRow]) throws {
        try store.edit("Import", durability: .immediate) { list in
            try list.insert(batch, at: .end(ofSection: ListoryRows.section))
        }
    }

    func edit(_ edit: RowEdit) throws {
        try store.edit("Edit", durability: .immediate) { list in
            switch edit {
            case .insert(let id, let next):
                try list.insert(ListoryRows.item(Int(id)), at: .before(.integer(next)))
            case .toggle(let id): try list.toggle(.item(.integer(id)))
            case .move(let id, let next): try list.move(.item(.integer(id)), to: .before(.integer(next)))
            }
        }
    }

    func undo() throws { _ = try store.undo(durability: .immediate) }

    func readFirst(_ count: Int) throws -> FirstRows {
        var first = FirstRows()
        for row in try rows.prefix(count) {
            guard case .integer(let id) = row.id else { throw WrongResult(what: "id of a row") }
            first.ids.append(id)
            first.byteCount += try store.source.withContent(of: row.content) { $0.count }
        }
        return first
    }

    func close() throws { try store.close() }

    private static func item(_ id: Int) -> NewRow { NewRow(id: .integer(Int64(id)), content: rowContent(id)) }
}
