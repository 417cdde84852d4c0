// Which database handles are valid.
//
// LMDB identifies an open database by a small index. When a transaction that opened a database aborts, LMDB gives the
// index to another database. A handle that outlived its transaction could then read and write the wrong database. So
// each handle has a serial number that is never used twice in a process.
//
// Always holds: a handle is valid if the table has its serial number at its index; looking up a name finds only handles
// that were opened in a committed transaction.

import Synchronization

/// Names a database within its environment; never equal to the handle of another database.
public struct DatabaseHandle: Sendable, Hashable {
    let index: UInt32
    let serial: UInt64
}

/// The valid database handles of one environment.
///
/// `@unchecked Sendable`: `published` is read and written with `monitor` locked; the serial numbers are atomic.
final class DatabaseTable: @unchecked Sendable {
    /// A database that was opened in a transaction.
    struct Opened {
        let name: String?
        let handle: DatabaseHandle
    }

    private static let lastSerial = Atomic<UInt64>(0)

    /// The serial number valid at each index, 0 for none. Read without a lock by every operation.
    let serials: UnsafeMutablePointer<Atomic<UInt64>>
    /// How many indices there are: LMDB keeps two for itself.
    let capacity: Int
    /// The name of the database at each index; nil bytes for the unnamed one. Read by operations on valid handles.
    let names: UnsafeMutablePointer<UnsafeRawBufferPointer?>
    /// Names that are no longer in the table. A transaction may still be reading them.
    private var oldNames: [UnsafeRawBufferPointer] = []

    private let monitor = Monitor()
    /// Databases are few, so they are searched in order.
    private var published: [Opened] = []

    init(capacity: Int) {
        self.capacity = max(0, capacity) + 2
        serials = .allocate(capacity: self.capacity)
        for index in 0..<self.capacity {
            // SAFETY: the index is within the allocation, and is initialised once.
            (serials + index).initialize(to: Atomic(0))
        }
        names = .allocate(capacity: self.capacity)
        names.initialize(repeating: nil, count: self.capacity)
    }

    deinit {
        // SAFETY: allocated and initialised with this capacity; the environment, and with it every transaction
        // that could read them, is gone.
        serials.deinitialize(count: capacity)
        serials.deallocate()
        for index in 0..<capacity { names[index]?.deallocate() }
        for name in oldNames { name.deallocate() }
        names.deallocate()
    }

    /// The handle of a database that was opened and committed before.
    func handle(named name: String?) -> DatabaseHandle? {
        monitor.lock()
        defer { monitor.unlock() }
        return published.first { $0.name == name }?.handle
    }

    /// Gives a new serial number to a database just opened at an index.
    func register(_ index: UInt32, named name: String?) -> DatabaseHandle {
        monitor.lock()
        defer { monitor.unlock() }
        if let old = names[Int(index)] { oldNames.append(old) }
        names[Int(index)] = name.map { name in
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: name.utf8.count, alignment: 1)
            bytes.copyBytes(from: name.utf8)
            return UnsafeRawBufferPointer(bytes)
        }
        let serial = Self.lastSerial.add(1, ordering: .relaxed).newValue
        // SAFETY: LMDB was told the capacity and returns no index beyond it.
        serials[Int(index)].store(serial, ordering: .relaxed)
        return DatabaseHandle(index: index, serial: serial)
    }

    /// Makes databases available to all transactions, once the transaction that opened them has committed.
    func publish(_ opened: [Opened]) {
        guard !opened.isEmpty else { return }
        monitor.lock()
        defer { monitor.unlock() }
        for database in opened where isValid(database.handle) {
            published.removeAll { $0.name == database.name }
            published.append(database)
        }
    }

    /// Makes handles invalid whose transaction aborted.
    func forget(_ opened: [Opened]) {
        for database in opened where isValid(database.handle) { invalidate(database.handle) }
    }

    private func isValid(_ handle: DatabaseHandle) -> Bool {
        // SAFETY: handles are made by `register` only, with an index within the capacity.
        serials[Int(handle.index)].load(ordering: .relaxed) == handle.serial
    }

    private func invalidate(_ handle: DatabaseHandle) {
        // SAFETY: as in `isValid`.
        serials[Int(handle.index)].store(0, ordering: .relaxed)
    }
}
