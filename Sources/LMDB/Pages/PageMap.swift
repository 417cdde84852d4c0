// The data file, mapped into memory for the code that checks every number.
//
// LMDB does not tell the address of its map, which also moves when it grows, so this is a second map of the same pages in memory.
// When the file grows, it is mapped again. Older maps stay until the environment closes, because transactions may use them.
//
// Always holds: no bytes beyond the end of the file are returned; while it is mapped, the file only grows. If anything
// cuts it off nevertheless, reading the missing pages would end the process. So the length is looked at before a
// transaction begins: each time before one that writes, and once in a tick of the system's clock before those that read.

import Synchronization

/// A data file mapped for reading.
///
/// `@unchecked Sendable`: the maps are changed with `monitor` locked; the rest is atomic or constant.
final class PageMap: @unchecked Sendable {
    let pageSize: Int
    private let descriptor: Int32
    private let path: String
    /// Whether the memory of pages that were read is given back.
    let unloads: Bool
    /// About how many bytes were read in the maps since that was done last, if it is.
    private let loaded = Atomic<Int>(0)
    /// After so many bytes it is given back.
    private static let unloadInterval = 1 << 20
    /// Branches that were copied; nil if no memory is given back.
    private let branches: BranchCache?
    private let monitor = Monitor()
    private var maps: [UnsafeRawBufferPointer] = []
    /// The map of LMDB, in which it reads the pages that it changes; only in a transaction that writes.
    private var engineMap: UnsafeRawBufferPointer?
    /// The newest map; it is stored before `mapped`, so that it is never too small for a number read before it.
    private let newest = Atomic<UInt>(0)
    /// How many pages the newest map has.
    private let mapped = Atomic<Int>(0)
    /// A lower bound for the number of pages in the file.
    private let written = Atomic<Int>(0)
    /// The version for which the length of the file was read last. A later version may have written pages that this one
    /// allocated and did not write.
    private let askedFor = Atomic<UInt64>(.max)
    /// The tick of the clock in which the length of the file was last compared.
    private let comparedAt = Atomic<Int>(-1)
    /// Whether the free pages and the pages of the trees are all pages of the file; used only by the writer.
    let isAccounted = Atomic<Bool>(false)

    /// The last version whose names of databases were checked.
    let checkedNames = Atomic<UInt64>(.max)

    /// - Parameter descriptor: the file, open as long as the map is used.
    init(descriptor: Int32, path: String, pageSize: Int, unloads: Bool) {
        self.descriptor = descriptor
        self.unloads = unloads
        self.path = path
        self.pageSize = pageSize
        branches = unloads ? BranchCache(pageSize: pageSize) : nil
    }

    deinit { close() }

    /// Unmaps the file. No transaction is live, and none begins.
    func close() {
        monitor.lock()
        defer { monitor.unlock() }
        // SAFETY: every transaction keeps the environment, and so the map, and it is not closed while one lives.
        for map in maps { Platform.unmap(map) }
        maps = []
    }

    /// Where the file begins.
    @inline(__always)
    func start() throws(LMDBError) -> UnsafeRawPointer {
        if mapped.load(ordering: .acquiring) == 0 { try ask(for: .max) }
        // SAFETY: a map was made, and its address is not 0.
        return UnsafeRawPointer(bitPattern: newest.load(ordering: .acquiring)).unsafelyUnwrapped
    }

    /// The pages up to the last one of a version, as far as they are in the file.
    func pages(
        upTo lastPage: UInt64, of version: UInt64
    ) throws(LMDBError) -> (start: UnsafeRawPointer, limit: UInt64) {
        if lastPage >= UInt64(written.load(ordering: .relaxed)), askedFor.load(ordering: .acquiring) != version {
            try ask(for: version)
        }
        let count = min(mapped.load(ordering: .acquiring), written.load(ordering: .relaxed))
        return (try start(), min(lastPage &+ 1, UInt64(count)))
    }

    /// Throws an error if the file has been cut off since it was opened. The environment is in use, so it is not closed.
    ///
    /// - Parameter isExact: whether to look now, and not once in a tick of the clock.
    /// - Throws: ``LMDBError``: `damaged`; `engine` if the length cannot be read.
    @inline(__always)
    func checkLength(isExact: Bool = false) throws(LMDBError) {
        unloadIfDue()
        let tick = Platform.clockTick
        if !isExact && comparedAt.load(ordering: .relaxed) == tick { return }
        try compareLength(tick)
    }

    /// Notes that a page is read in the map, if its memory is given back. The system maps from 64 KiB to 2 MiB around it.
    func noteMapping() { loaded.wrappingAdd(1 << 18, ordering: .relaxed) }

    /// Notes that a large value is read in the map. Few are read between edits, and far from each other.
    func noteMapping(ofValue size: Int) { loaded.wrappingAdd(max(1 << 19, size), ordering: .relaxed) }

    /// Notes that LMDB reads a page that it may change, and gives memory back when it has read many.
    func noteWriting() {
        noteMapping()
        unloadIfDue()
    }

    /// Copies a branch of a version; whether all of it was read.
    func copyBranch(_ number: UInt64, of version: UInt64, into page: UnsafeMutableRawBufferPointer) -> Bool {
        if branches?.copy(number, of: version, into: page) == true { return true }
        guard copy(number, into: page) else { return false }
        branches?.keep(number, of: version, page)
        return true
    }

    /// Copies a page; whether all of it was read.
    func copy(_ number: UInt64, into page: UnsafeMutableRawBufferPointer) -> Bool {
        guard case .success(pageSize) = Platform.read(descriptor, into: page, at: Int(number) * pageSize) else {
            return false
        }
        return true
    }

    /// Gives back the memory of the pages, if that is asked for and many were read. They are mapped again when they are read again.
    @inline(__always)
    func unloadIfDue() {
        if unloads && loaded.load(ordering: .relaxed) >= PageMap.unloadInterval { unload() }
    }

    /// Gives back the memory of all pages. They are mapped again when they are read again.
    @inline(never)
    func unload() {
        loaded.store(0, ordering: .relaxed)
        monitor.lock()
        defer { monitor.unlock() }
        for map in maps { Platform.unload(map) }
        if let engineMap { Platform.unload(engineMap) }
    }

    /// Notes where LMDB has mapped the file; nil if that is not known.
    func noteEngine(_ start: UnsafeRawPointer?, size: Int = 0) {
        let count = min(size, written.load(ordering: .relaxed) * pageSize)
        monitor.lock()
        defer { monitor.unlock() }
        engineMap = start.map { UnsafeRawBufferPointer(start: $0, count: count) }
    }

    @inline(never)
    private func compareLength(_ tick: Int) throws(LMDBError) {
        // Both meta pages were read when the file was opened.
        let expected = max(2, written.load(ordering: .relaxed)) * pageSize
        switch Platform.length(of: descriptor) {
        case .success(let length) where length >= expected: comparedAt.store(tick, ordering: .relaxed)
        case .success(let length):
            throw LMDBError(
                .damaged(
                    .init(
                        what: "length of the file, which was cut off while it was open", offset: length,
                        expected: "at least \(expected) bytes", found: "\(length)")),
                in: "mdb_txn_begin", detail: path)
        case .failure(let error): throw LMDBError(code: error.number, in: "fstat", detail: path)
        }
    }

    @inline(never)
    private func ask(for version: UInt64) throws(LMDBError) {
        monitor.lock()
        defer { monitor.unlock() }
        let length: Int
        switch Platform.length(of: descriptor) {
        case .success(let found): length = found
        case .failure(let error): throw LMDBError(code: error.number, in: "fstat", detail: path)
        }
        let pages = length / pageSize
        if pages > mapped.load(ordering: .relaxed) || maps.isEmpty {
            let size = Engine.roundedMapSize(max(2 * length, 16 * pageSize))
            guard let map = Platform.map(descriptor, size) else {
                throw LMDBError(.sizeUnavailable(requested: size), in: "mmap", detail: path)
            }
            maps.append(map)
            newest.store(UInt(bitPattern: map.baseAddress), ordering: .releasing)
            mapped.store(size / pageSize, ordering: .releasing)
        }
        written.max(pages, ordering: .relaxed)
        askedFor.store(version, ordering: .releasing)
    }
}
