// The calls for files: what a path leads to, opening, locking, renaming, reading and writing.
//
// Always holds: a call that a signal interrupts is made again where it can be.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import CLMDB
import Glibc
#elseif canImport(Musl)
import CLMDB
import Musl
#endif

/// Which file a path leads to, whatever its name: the device and the inode.
package struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// What tells whether a file was written to: which file it is, how long, and when it was changed.
package struct FileFingerprint: Equatable {
    private let identity: FileIdentity
    private let size: Int
    private let time: [Int]

    /// The fingerprint of the file at a path; nil if there is none.
    package init?(_ path: String) {
        var record = stat()
        // SAFETY: `record` lives through the call; the path is a C string for its duration.
        guard stat(path, &record) == 0 else { return nil }
        let status = Platform.status(record)
        (identity, size) = (status.identity, status.size)
        #if canImport(Darwin)
        let changed = record.st_mtimespec
        #else
        let changed = record.st_mtim
        #endif
        time = [Int(changed.tv_sec), Int(changed.tv_nsec)]
    }
}

extension Platform {
    /// What a path leads to, symbolic links followed.
    struct Status {
        let identity: FileIdentity
        /// The length in bytes.
        let size: Int
        /// The disk space in bytes.
        let diskSize: Int
        /// The disk space of a file is allocated in blocks of so many bytes.
        let blockSize: Int

        /// Whether disk space is allocated for all of it.
        var isWhole: Bool { diskSize >= size }
    }

    /// The status of the file at a path, or the error number.
    static func status(of path: String) -> Result<Status, SystemError> {
        var record = stat()
        // SAFETY: `record` lives through the call; the path is a C string for its duration.
        guard stat(path, &record) == 0 else { return .failure(SystemError(number: errno)) }
        return .success(status(record))
    }

    /// Whether anything is at a path, symbolic links followed.
    package static func exists(_ path: String) -> Bool {
        if case .success = status(of: path) { true } else { false }
    }

    /// The length of the file at a path in bytes; 0 if there is none.
    package static func size(_ path: String) -> Int { (try? status(of: path).get().size) ?? 0 }

    /// The disk space of the file at a path in bytes: less than its length if it has holes. 0 if there is none.
    package static func diskSize(_ path: String) -> Int { (try? status(of: path).get().diskSize) ?? 0 }

    /// Which file a path leads to; nil if there is none.
    package static func identity(_ path: String) -> FileIdentity? { try? status(of: path).get().identity }

    /// The status of an open file, or the error number.
    static func status(of descriptor: Int32) -> Result<Status, SystemError> {
        var record = stat()
        // SAFETY: `record` lives through the call.
        guard fstat(descriptor, &record) == 0 else { return .failure(SystemError(number: errno)) }
        return .success(status(record))
    }

    /// The length of an open file in bytes, or the error number.
    ///
    /// On Linux, it asks for nothing else. Since Linux 6.13, the next write stores a new time of the last change if somebody has asked for
    /// that time before, and then its sync takes a third longer.
    static func length(of descriptor: Int32) -> Result<Int, SystemError> {
        #if canImport(Darwin)
        return status(of: descriptor).map(\.size)
        #else
        // With this flag, the empty path leads to the open file itself. The header that has it defines too much else.
        let emptyPathFlag: Int32 = 0x1000
        var record = statx()
        // SAFETY: `record` lives through the call; the empty path is a C string for its duration.
        if statx(descriptor, "", emptyPathFlag, UInt32(STATX_SIZE), &record) == 0 {
            return .success(Int(record.stx_size))
        }
        // Some containers do not allow the call.
        return status(of: descriptor).map(\.size)
        #endif
    }

    fileprivate static func status(_ record: stat) -> Status {
        Status(
            identity: FileIdentity(
                device: UInt64(truncatingIfNeeded: record.st_dev),
                inode: UInt64(truncatingIfNeeded: record.st_ino)
            ),
            size: Int(record.st_size), diskSize: Int(record.st_blocks) * 512,
            blockSize: max(512, Int(record.st_blksize))
        )
    }

    /// The path without symbolic links, or `nil` when something on it does not exist.
    package static func resolved(_ path: String) -> String? {
        // SAFETY: with a nil buffer, realpath allocates the result, which is freed below.
        guard let buffer = realpath(path, nil) else { return nil }
        defer { free(buffer) }
        // SAFETY: realpath returns a NUL-terminated string.
        return String(cString: buffer)
    }

    /// Whether a path is itself a symbolic link.
    static func isSymbolicLink(_ path: String) -> Bool {
        var record = stat()
        // SAFETY: `record` lives through the call.
        return lstat(path, &record) == 0 && (record.st_mode & S_IFMT) == S_IFLNK
    }

    /// Takes the numbers of standard input, output and error, if they are closed, for a device that takes nothing. Otherwise the next files
    /// would get them, and what is printed would be written over the data file.
    static func takeStandardDescriptors() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // The lowest number that is free; another thread may have been faster.
            let found = open("/dev/null", O_RDONLY)
            if found > STDERR_FILENO { close(found) }
        }
    }

    /// Opens a file for reading, or returns the error.
    static func openForReading(_ path: String) -> Result<Int32, SystemError> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        return descriptor >= 0 ? .success(descriptor) : .failure(SystemError(number: errno))
    }

    /// Creates a file that must not exist, for writing.
    static func create(_ path: String, mode: UInt16) -> Result<Int32, SystemError> {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
        return descriptor >= 0 ? .success(descriptor) : .failure(SystemError(number: errno))
    }

    /// Closes an open file in the programs that this process starts; 0 or an error number.
    static func closeOnExec(_ descriptor: Int32) -> Int32 {
        fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 ? 0 : errno
    }

    /// Takes the exclusive lock of LMDB's lock file; only a process that is alone with the data file can have it.
    ///
    /// - Returns: the open lock file, nil if another process has a lock. Closing it releases the lock.
    static func lockAlone(_ path: String, mode: UInt16) -> Result<Int32?, SystemError> {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(mode))
        if descriptor < 0 { return .failure(SystemError(number: lastError)) }
        if setByteLock(descriptor, at: 0, isTaken: true) { return .success(descriptor) }
        let number = lastError
        close(descriptor)
        return number == EACCES || number == EAGAIN ? .success(nil) : .failure(SystemError(number: number))
    }

    /// Looks whether another process has the exclusive lock of LMDB's lock file, which this process does not have open: ``wouldBlock`` if
    /// one has it, otherwise 0, also if there is no such file or it cannot be opened.
    static func checkExclusiveLock(_ path: String) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return 0 }
        defer { close(descriptor) }
        var lock = byteLock(0, 1)
        lock.l_type = Int16(F_RDLCK)
        // It only asks. A lock that is taken here for a moment would tell another process that it is not alone.
        return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK) ? wouldBlock : 0
    }

    /// Takes the lock of an open file if it is free; 0 or an error number, ``wouldBlock`` if another process has it. The
    /// system releases it when the process ends. It is independent of the locks of LMDB's lock file.
    static func tryLock(_ descriptor: Int32) -> Int32 {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return errno }
        }
        return 0
    }

    /// Releases the lock of ``tryLock(_:)``.
    static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Takes or releases the lock on one byte of an open file; whether that succeeded. The system releases it when the process ends,
    /// and when the process closes the file, by whatever descriptor.
    package static func setByteLock(_ descriptor: Int32, at offset: Int, isTaken: Bool) -> Bool {
        var lock = byteLock(offset, 1)
        if !isTaken { lock.l_type = Int16(F_UNLCK) }
        return fcntl(descriptor, F_SETLK, &lock) == 0
    }

    /// Calls `body` with each of some bytes of an open file that other processes hold locks on, and with the holder.
    ///
    /// - Complexity: O(k) calls of the system for k locks.
    package static func forEachByteLock(_ descriptor: Int32, in bytes: Range<Int>, _ body: (Int, Int32) -> Void) {
        var lock = byteLock(bytes.lowerBound, bytes.count)
        guard !bytes.isEmpty, fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return }
        // The system names one of the locks in the range. Others may be on both sides of it.
        let start = Int(lock.l_start)
        let held = (start..<(lock.l_len == 0 ? .max : start + Int(lock.l_len))).clamped(to: bytes)
        if held.isEmpty { return }
        forEachByteLock(descriptor, in: bytes.lowerBound..<held.lowerBound, body)
        var byte = held.lowerBound
        while byte < held.upperBound {
            body(byte, lock.l_pid)
            byte += 1
        }
        forEachByteLock(descriptor, in: held.upperBound..<bytes.upperBound, body)
    }

    private static func byteLock(_ offset: Int, _ count: Int) -> flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(offset)
        lock.l_len = off_t(count)
        return lock
    }

    /// Opens a file for reading and writing, or makes it; nil if that is not possible.
    package static func openShared(_ path: String, mode: UInt16) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(mode))
        return descriptor < 0 ? nil : descriptor
    }

    /// Gives a file the owner, the group and the permissions of another one; on Apple's systems its extended attributes too.
    ///
    /// - Returns: whether it can take the place of the other one: not if that cannot be, or if that has further names.
    package static func adoptAttributes(of path: String, by copy: String) -> Bool {
        var record = stat()
        // SAFETY: `record` lives through the call; the paths are C strings for the duration of each.
        guard stat(path, &record) == 0, record.st_nlink == 1 else { return false }
        #if canImport(Darwin)
        return copyfile(path, copy, nil, copyfile_flags_t(COPYFILE_METADATA)) == 0
        #else
        return chown(copy, record.st_uid, record.st_gid) == 0 && chmod(copy, record.st_mode & 0o7777) == 0
        #endif
    }

    /// Whether another file can take the place of a file, as ``adoptAttributes(of:by:)`` says. Tries that with an empty one.
    package static func isReplaceable(_ path: String, trying scratch: String) -> Bool {
        guard case .success(let descriptor) = create(scratch, mode: 0o600) else { return false }
        close(descriptor)
        defer { remove(scratch) }
        return adoptAttributes(of: path, by: scratch)
    }

    /// Gives a file another name; one that has it already is replaced.
    static func rename(_ path: String, to target: String) -> SystemError? {
        #if canImport(Glibc)
        let result = Glibc.rename(path, target)
        #elseif canImport(Musl)
        let result = Musl.rename(path, target)
        #else
        let result = Darwin.rename(path, target)
        #endif
        return result == 0 ? nil : SystemError(number: lastError)
    }

    /// Gives a file a name that nothing has.
    ///
    /// - Returns: ``fileExists`` if something has it; nothing is replaced.
    static func rename(_ path: String, toUnused target: String) -> SystemError? {
        #if canImport(Glibc)
        let keepsTarget: UInt32 = 1  // RENAME_NOREPLACE
        let result = renameat2(AT_FDCWD, path, AT_FDCWD, target, keepsTarget)
        #elseif canImport(Musl)
        let result: Int32 = -1
        errno = ENOSYS
        #else
        let result = renamex_np(path, target, UInt32(RENAME_EXCL))
        #endif
        if result == 0 { return nil }
        let error = SystemError(number: lastError)
        guard [EINVAL, ENOSYS, ENOTSUP].contains(error.number) else { return error }
        // A file system that cannot do that in one step, as NFS. A kill between the two leaves an empty file.
        switch create(target, mode: 0o600) {
        case .success(let descriptor): close(descriptor)
        case .failure(let error): return error
        }
        let failure = rename(path, to: target)
        if failure != nil { remove(target) }
        return failure
    }

    /// Removes a file's name.
    package static func remove(_ path: String) {
        unlink(path)
    }

    /// Closes a descriptor.
    package static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
        _ = Darwin.close(descriptor)
        #elseif canImport(Glibc)
        _ = Glibc.close(descriptor)
        #else
        _ = Musl.close(descriptor)
        #endif
    }

    /// Allocates disk space for the beginning of a file whose content is not needed; 0 or an error number.
    package static func reserve(_ descriptor: Int32, _ count: Int) -> Int32 {
        #if !canImport(Darwin)
        let code = posix_fallocate(descriptor, 0, off_t(count))
        // Not every file system can do it.
        if code != EOPNOTSUPP && code != EINVAL { return code }
        #endif
        return [UInt8](repeating: 0, count: count).withUnsafeBytes { write(descriptor, $0, at: 0) }
    }

    /// Takes all bytes out of a file; 0 or an error number.
    static func empty(_ path: String) -> Int32 { truncate(path, 0) == 0 ? 0 : errno }

    /// Writes all bytes at `offset`; 0 or an error number, after which some of them may have been written.
    package static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        var done = 0
        while done < bytes.count {
            // SAFETY: `done` < `bytes.count`, so the rest of the buffer is readable.
            let written = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
            if written < 0 {
                if errno == EINTR { continue }
                return errno
            }
            if written == 0 { return noSpace }
            done += written
        }
        return 0
    }

    /// Reads up to `count` bytes at `offset`; the number read, or an error number.
    package static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) -> Result<Int, SystemError> {
        var done = 0
        while done < buffer.count {
            // SAFETY: `done` < `buffer.count`, so the rest of the buffer is writable.
            let read = pread(descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done))
            if read < 0 {
                if errno == EINTR { continue }
                return .failure(SystemError(number: errno))
            }
            if read == 0 { break }
            done += read
        }
        return .success(done)
    }
}
