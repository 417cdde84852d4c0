// The functions of a store of rows that are compared.
//
// Always holds: when a call returns, its changes survive a power cut; rows are named by id, places by the row after
// them.

/// An edit of one row.
enum RowEdit {
    /// A new row, before another.
    case insert(Int64, before: Int64)
    case toggle(Int64)
    /// To the place before another row.
    case move(Int64, before: Int64)
}

/// The result of reading the first rows.
struct FirstRows {
    /// Their ids, in order; empty if the store has no order.
    var ids: [Int64] = []
    /// How many bytes their contents have together.
    var byteCount = 0
}

/// A list on a disk.
protocol RowStore {
    /// Rows in the format of the store, so that encoding them is not measured.
    associatedtype Batch

    /// Rows of these ids.
    func prepare(_ ids: Range<Int>) -> Batch
    /// Appends rows.
    func append(_ batch: Batch) throws
    /// Makes an edit.
    func edit(_ edit: RowEdit) throws
    /// Takes back the newest edit that is not undone yet.
    func undo() throws
    /// Reads the first rows.
    func readFirst(_ count: Int) throws -> FirstRows
    func close() throws
}

extension Contender {
    /// Opens the store, or makes a new one.
    func open(path: String) throws -> any RowStore {
        switch self {
        case .listory: try ListoryRows(path: path)
        case .lmdb: try LMDBRows(path: path)
        case .sqliteFractional: try SQLiteRows(path: path, schema: SQLiteSchema(hasUndo: true))
        case .sqlitePlain: try SQLiteRows(path: path, schema: SQLiteSchema(hasUndo: false))
        default: throw NotSupported()
        }
    }
}

/// The store does not have this function.
struct NotSupported: Error {}

/// What rows contain: JSON of 40 bytes, as an app would write it.
func rowContent(_ id: Int) -> [UInt8] {
    let digits = String(id)
    return Array(#"{"title":"Call the plumber on \#(String(repeating: "0", count: 8 - digits.count))\#(digits)"}"#.utf8)
}
