// What a store of rows has to do to be compared with the others.
//
// Always holds: when a call returns, what it did survives a power cut; rows are named by id, places by the row that
// comes after.

/// An edit of one row.
enum RowEdit {
    /// A new row, before another.
    case insert(Int64, before: Int64)
    case toggle(Int64)
    /// To the place before another row.
    case move(Int64, before: Int64)
}

/// What was read of the first rows.
struct FirstRows {
    /// Their ids, in order; none if the store has no order.
    var ids: [Int64] = []
    /// How many bytes their contents have together.
    var byteCount = 0
}

/// A list on a disk.
protocol RowStore {
    /// Rows in the form in which the store takes them, so that making them is not measured.
    associatedtype Batch

    /// Rows of these ids.
    func prepare(_ ids: Range<Int>) -> Batch
    /// Appends rows.
    func append(_ batch: Batch) throws
    /// Makes an edit.
    func edit(_ edit: RowEdit) throws
    /// Takes back the newest edit that was not taken back.
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
        case .sqliteRenumber: try SQLiteRows(path: path, schema: SQLiteSchema(position: .integer, hasUndo: true))
        case .sqliteFractional: try SQLiteRows(path: path, schema: SQLiteSchema(position: .fractional, hasUndo: true))
        case .sqlitePlain: try SQLiteRows(path: path, schema: SQLiteSchema(position: .fractional, hasUndo: false))
        default: throw NotSupported()
        }
    }
}

/// Something that a store has no notion of was asked for.
struct NotSupported: Error {}

/// What rows contain: JSON of 40 bytes, as an app would write it.
func rowContent(_ id: Int) -> [UInt8] {
    let digits = String(id)
    return Array(#"{"title":"Call the plumber on \#(String(repeating: "0", count: 8 - digits.count))\#(digits)"}"#.utf8)
}
