// The common part of read and write transactions: a handle, and the checks before each use.
//
// Always holds: LMDB receives only keys of 1...maximumKeySize bytes, and only database handles of this environment that
// are still valid.

import Synchronization

/// What an operation in a transaction needs. Only the binding makes and reads it.
public struct TransactionCore {
    let handle: OpaquePointer
    let maximumKeySize: Int
    /// The serial number of each database handle; see `DatabaseTable`.
    let serials: UnsafeMutablePointer<Atomic<UInt64>>
    let serialCount: Int
    /// The name of the database at each index.
    let names: UnsafeMutablePointer<UnsafeRawBufferPointer?>
    /// The version that the transaction began with; nil if the file is not checked.
    let reader: TreeReader?
    /// The memory for the copy of a page, in bytes; 0 if pages are read in the map.
    @usableFromInline let copySize: Int
    /// The pages that have been checked; nil if nothing was written, or if the file is not checked.
    var writeGuard: WriteGuard?

    init(_ environment: borrowing Environment, _ handle: OpaquePointer, _ reader: TreeReader?) {
        self.handle = handle
        self.reader = reader
        copySize = reader?.copying?.pageSize ?? 0
        names = environment.databases.names
        maximumKeySize = environment.maximumKeySize
        serials = environment.databases.serials
        serialCount = environment.databases.capacity
    }

    @inline(__always)
    func check(_ key: UnsafeRawBufferPointer, _ call: String) throws(LMDBError) {
        if key.isEmpty { throw LMDBError(.keyEmpty, in: call) }
        if key.count > maximumKeySize {
            throw LMDBError(.keyTooLong(count: key.count, limit: maximumKeySize), in: call)
        }
    }

    /// Reads the version of the transaction; nil if something was written, because it must then be read through LMDB.
    @inline(__always)
    var unwritten: TreeReader? { writeGuard == nil ? reader : nil }

    /// The name of a database that was checked.
    @inline(__always)
    func name(_ database: DatabaseHandle) -> UnsafeRawBufferPointer? {
        // SAFETY: as in `check`, which was called before; a name is kept as long as the environment.
        names[Int(database.index)]
    }

    @inline(__always)
    func check(_ database: DatabaseHandle, _ call: String) throws(LMDBError) {
        // SAFETY: the index is within the table, which lives as long as the environment, which the transaction
        // keeps alive.
        guard Int(database.index) < serialCount,
            serials[Int(database.index)].load(ordering: .relaxed) == database.serial
        else { throw LMDBError(.staleDatabase, in: call) }
    }
}

/// A snapshot of all databases that can be read: a ``ReadTransaction`` or a ``WriteTransaction``.
///
/// Reading borrows the transaction, and writing needs it mutable. So bytes handed to a closure by
/// ``withValue(forKey:in:_:)`` or ``forEach(in:reverse:_:)`` cannot be changed by a write inside of it: the
/// compiler refuses the write.
public protocol Transaction: ~Copyable {
    /// For the binding's own use.
    var core: TransactionCore { get }
}
