// Copies of branches that were read last, for a file whose memory is given back: reading a branch again costs no system call.
//
// Always holds: a copy is used only by readers of the version for which it was made, because the page may have other
// contents in another version.

/// Copies of branches.
///
/// `@unchecked Sendable`: `monitor` is locked while anything is read or changed.
final class BranchCache: @unchecked Sendable {
    private static let slotCount = 64

    private let pageSize: Int
    private let monitor = Monitor()
    /// Memory for a page in each slot; allocated when the first page is kept.
    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// Which page of which version is in a slot; none has the number 0.
    private var keys = [(number: UInt64, version: UInt64)](repeating: (0, 0), count: slotCount)

    init(pageSize: Int) { self.pageSize = pageSize }

    deinit { bytes.deallocate() }

    /// Copies a page; false if it is not in the cache.
    func copy(_ number: UInt64, of version: UInt64, into page: UnsafeMutableRawBufferPointer) -> Bool {
        monitor.lock()
        defer { monitor.unlock() }
        let slot = Int(number % UInt64(BranchCache.slotCount))
        guard keys[slot] == (number, version) else { return false }
        page.copyMemory(from: UnsafeRawBufferPointer(memory(slot)))
        return true
    }

    /// Keeps a page, in place of another one.
    func keep(_ number: UInt64, of version: UInt64, _ page: UnsafeMutableRawBufferPointer) {
        monitor.lock()
        defer { monitor.unlock() }
        if bytes.isEmpty { bytes = .allocate(byteCount: BranchCache.slotCount * pageSize, alignment: 8) }
        let slot = Int(number % UInt64(BranchCache.slotCount))
        keys[slot] = (number, version)
        memory(slot).copyMemory(from: UnsafeRawBufferPointer(page))
    }

    private func memory(_ slot: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: bytes[slot * pageSize..<(slot + 1) * pageSize])
    }
}
