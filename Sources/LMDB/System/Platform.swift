// The calls of the operating system that the binding needs, with the same names on all systems.
//
// Always holds: a failure is returned to the caller as an `errno` value. Only the files of this folder import a C library.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import CLMDB
import Glibc
#elseif canImport(Musl)
import CLMDB
import Musl
#endif
import Synchronization

/// Wraps the differences between the C libraries of the operating systems.
package enum Platform {
    static let accessDenied = EACCES
    static let notPermitted = EPERM
    static let fileExists = EEXIST
    static let invalidArgument = EINVAL
    static let inputOutput = EIO
    static let noSuchFile = ENOENT
    static let outOfMemory = ENOMEM
    static let noSpace = ENOSPC
    static let quotaExceeded = EDQUOT
    static let fileTooLarge = EFBIG
    static let readOnlyFileSystem = EROFS
    static let tryAgain = EAGAIN
    static let wouldBlock = EWOULDBLOCK

    /// The error number of the last failed call on this thread.
    package static var lastError: Int32 { errno }

    /// The id of this process. The system call takes longer than reading a variable, so it is made once, and once more
    /// in a fork.
    @inline(__always)
    package static var processID: Int32 {
        let known = knownProcessID.load(ordering: .relaxed)
        return known != 0 ? known : askForProcessID()
    }

    private static let knownProcessID = Atomic<Int32>(0)

    private static let forgetInForks: Void = {
        // Runs in the child, before anything else there does.
        _ = pthread_atfork(nil, nil) { Platform.knownProcessID.store(0, ordering: .relaxed) }
    }()

    @inline(never)
    private static func askForProcessID() -> Int32 {
        _ = forgetInForks
        let found = getpid()
        knownProcessID.store(found, ordering: .relaxed)
        return found
    }

    /// The calling thread, as a number that no other live thread has.
    @inlinable
    package static var currentThread: UInt {
        #if canImport(Glibc)
        UInt(pthread_self())
        #else
        UInt(bitPattern: pthread_self())
        #endif
    }

    /// Compares bytes as LMDB does: lexicographically, and a prefix is less.
    @inline(__always)
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let common = min(left.count, right.count)
        if common > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress {
            // SAFETY: both buffers have at least `common` bytes.
            let order = memcmp(leftStart, rightStart, common)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }

    /// Whether this process could map that many bytes more. Nothing stays mapped.
    static func canMap(_ count: Int) -> Bool {
        #if canImport(Darwin)
        let flags = MAP_PRIVATE | MAP_ANON
        #else
        let flags = MAP_PRIVATE | Int32(MAP_ANONYMOUS) | Int32(MAP_NORESERVE)
        #endif
        // SAFETY: no address is asked for, so no existing mapping is replaced; nothing is accessible.
        let address = mmap(nil, count, PROT_NONE, flags, -1, 0)
        guard let address, address != MAP_FAILED else { return false }
        // SAFETY: exactly the mapping made above, which nobody else knows.
        munmap(address, count)
        return true
    }

    /// Maps a file for reading. The map may extend beyond the end of the file; that part must not be read.
    static func map(_ descriptor: Int32, _ count: Int) -> UnsafeRawBufferPointer? {
        // SAFETY: no address is asked for, so no existing mapping is replaced.
        let address = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { return nil }
        return UnsafeRawBufferPointer(start: address, count: count)
    }

    /// Maps the beginning of a file that all processes share, for reading and writing.
    static func mapForWriting(_ descriptor: Int32, _ count: Int) -> UnsafeMutableRawBufferPointer? {
        // SAFETY: no address is asked for, so no existing mapping is replaced.
        let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { return nil }
        return UnsafeMutableRawBufferPointer(start: address, count: count)
    }

    /// Gives the memory of a map of a file back. Its pages stay in the cache of the system, and are mapped again when they are read.
    static func unload(_ map: UnsafeRawBufferPointer) {
        guard let start = map.baseAddress else { return }
        // SAFETY: the map is only read, and shared with the file, so no bytes are lost.
        madvise(UnsafeMutableRawPointer(mutating: start), map.count, MADV_DONTNEED)
    }

    /// Unmaps a map that is not in use.
    static func unmap(_ map: UnsafeRawBufferPointer) {
        guard let start = map.baseAddress else { return }
        // SAFETY: the caller made the map with `map` and no longer uses it.
        munmap(UnsafeMutableRawPointer(mutating: start), map.count)
    }

    /// Sleeps.
    package static func sleep(microseconds: UInt32) { usleep(microseconds) }

    /// The system's wall clock, in microseconds since 1970.
    package static var wallClock: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// A number that changes a few hundred times in a second. Reading it is no system call.
    static var clockTick: Int {
        var time = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_MONOTONIC_RAW_APPROX, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        #endif
        return time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
    }

    /// The size of a page of memory, in bytes.
    static var pageSize: Int { sysconf(Int32(_SC_PAGESIZE)) }
}

/// An `errno` value, before it becomes an ``LMDBError``.
package struct SystemError: Error {
    package let number: Int32
}

// MARK: - Semaphores

extension Platform {
    /// A semaphore that processes find by its name.
    typealias NamedSemaphore = UnsafeMutablePointer<sem_t>

    /// Opens a semaphore that exists; nil if that is not possible.
    static func openSemaphore(_ name: String) -> NamedSemaphore? {
        guard let semaphore = sem_open(name, 0), semaphore != SEM_FAILED else { return nil }
        return semaphore
    }

    /// Closes a semaphore of ``openSemaphore(_:)``, whatever its value.
    static func closeSemaphore(_ semaphore: NamedSemaphore) { sem_close(semaphore) }

    /// Takes a semaphore if it is free; 0 or an error number, ``wouldBlock`` if it is taken.
    static func tryTake(_ semaphore: NamedSemaphore) -> Int32 {
        while sem_trywait(semaphore) != 0 {
            if errno != EINTR { return errno }
        }
        return 0
    }

    /// Makes a semaphore free.
    static func post(_ semaphore: NamedSemaphore) { sem_post(semaphore) }
}
