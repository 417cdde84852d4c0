// LMDB from C: a record under each id, without order, history and undo. It shows the cost of durability alone.

import RawLMDB

/// Records under integer keys.
final class LMDBRows: RowStore {
    private let file: OpaquePointer

    /// A call of LMDB failed.
    struct Failed: Error {
        let code: Int32
    }

    /// Records, one after another in memory.
    struct Batch {
        let first: Int
        let count: Int
        let bytes: [UInt8]
    }

    init(path: String) throws {
        var file: OpaquePointer?
        try LMDBRows.check(raw_lmdb_open(path, 8 << 30, &file))
        self.file = file!
    }

    func prepare(_ ids: Range<Int>) -> Batch {
        Batch(first: ids.lowerBound, count: ids.count, bytes: ids.flatMap { LMDBRows.record($0, isChecked: false) })
    }

    func append(_ batch: Batch) throws {
        try batch.bytes.withUnsafeBytes { bytes in
            let size = bytes.count / batch.count
            // SAFETY: all records have the same size, and the bytes live until the closure returns.
            let records = (0..<batch.count).map { raw_record(bytes: bytes.baseAddress! + $0 * size, count: size) }
            try LMDBRows.check(raw_lmdb_append_batch(file, UInt64(batch.first), records, records.count))
        }
    }

    func edit(_ edit: RowEdit) throws {
        switch edit {
        case .insert(let id, _): try put(Int(id), isChecked: false)
        case .toggle(let id): try put(Int(id), isChecked: true)
        case .move: throw NotSupported()
        }
    }

    func undo() throws { throw NotSupported() }

    func readFirst(_ count: Int) throws -> FirstRows {
        var total = 0
        try LMDBRows.check(raw_lmdb_read(file, count, &total))
        return FirstRows(byteCount: total)
    }

    func close() { raw_lmdb_close(file) }

    private func put(_ id: Int, isChecked: Bool) throws {
        try LMDBRows.record(id, isChecked: isChecked).withUnsafeBytes { bytes in
            let record = raw_record(bytes: bytes.baseAddress, count: bytes.count)
            try LMDBRows.check(raw_lmdb_put(file, UInt64(id), record))
        }
    }

    private static func record(_ id: Int, isChecked: Bool) -> [UInt8] { [isChecked ? 1 : 0] + rowContent(id) }

    private static func check(_ code: Int32) throws {
        guard code == 0 else { throw Failed(code: code) }
    }
}
