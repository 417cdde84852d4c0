// Frees LMDB's locks after their holder was killed, where they are named semaphores, as on Apple's systems.
//
// When a process ends, the system releases its mutexes and its locks on files, but not its semaphores. So this library takes
// each of LMDB's two semaphores only with another lock held, which the system does release: for the writer's, the lock on
// the data file; for that of the reader table, the lock on a byte of the lock file. A process that has this lock and finds the
// semaphore taken knows that no living process that uses this library has it. Other programs, such as `mdb_stat`, may have it for
// moments, so a semaphore counts as abandoned only after a while.
//
// LMDB keeps the names of the semaphores in its lock file, which begins alike in all versions of 0.9:
//
//     0    magic 4, format 4
//     8    name of the reader table's semaphore 32; or the first mutex
//     40   number of the last transaction 8
//     64   name of the writer's semaphore 32
//
// Always holds: as long as LMDB has the lock file open, it is open here too, because closing it would drop LMDB's locks on it;
// when an abandoned writer's semaphore is freed, the lock file has the number of the last transaction.

/// The semaphores of an open environment. If LMDB uses mutexes instead, there is nothing to do.
///
/// `@unchecked Sendable`: the descriptor and the pointers are constants, and all threads may use what they lead to.
final class LockSemaphores: @unchecked Sendable {
    struct Semaphores {
        let reader: Platform.NamedSemaphore
        let writer: Platform.NamedSemaphore
        /// The number of the last transaction, in the map of the lock file.
        let lastTransaction: UnsafeMutablePointer<Int>
        /// The beginning of the lock file.
        let map: UnsafeMutableRawBufferPointer
    }

    /// How many bytes of the lock file are used here.
    private static let length = 96
    /// The byte of the lock file that is locked while the reader table's semaphore is taken. LMDB locks byte 0, and bytes whose
    /// numbers are process ids.
    private static let readerByte = 1 << 40
    /// How long a semaphore must stay taken to count as abandoned.
    private static let patience = Duration.milliseconds(300)

    private let path: String
    private let descriptor: Int32
    /// Nil if LMDB uses mutexes.
    let semaphores: Semaphores?
    /// The lock on a byte belongs to the process, so its threads need another one.
    private let monitor = Monitor()

    /// Opens the semaphores of a data file that LMDB has just opened.
    ///
    /// - Throws: ``LMDBError``: `engine`, with `versionMismatch` if the lock file has another layout.
    init(_ path: String) throws(LMDBError) {
        self.path = LockFile.path(of: path)
        guard let descriptor = Platform.openShared(self.path, mode: 0o600) else {
            // A read-only file system, where LMDB does without a lock file as well.
            guard Platform.lastError == Platform.readOnlyFileSystem else {
                throw LMDBError(code: Platform.lastError, in: "open", detail: self.path)
            }
            (self.descriptor, semaphores) = (-1, nil)
            return
        }
        self.descriptor = descriptor
        do throws(LMDBError) {
            semaphores = try Self.open(descriptor, self.path)
        } catch {
            Platform.close(descriptor)
            throw error
        }
    }

    private static func open(_ descriptor: Int32, _ path: String) throws(LMDBError) -> Semaphores? {
        let header = try RawFile(descriptor: descriptor, path: path).bytes(at: 0, count: length)
        func name(at offset: Int, _ prefix: String) -> String? {
            guard header.count == length else { return nil }
            let bytes = header.copy(offset..<offset + 32).prefix { $0 != 0 }
            return bytes.starts(with: prefix.utf8) && bytes.count < 32 ? String(decoding: bytes, as: UTF8.self) : nil
        }
        // A mutex begins with the number of a thread, which is never so large.
        guard let readerName = name(at: 8, "/MDBr") else { return nil }
        guard let writerName = name(at: 64, "/MDBw") else {
            throw LMDBError(.engine(.versionMismatch), in: "mdb_env_open", detail: path)
        }
        guard let reader = Platform.openSemaphore(readerName) else {
            throw LMDBError(code: Platform.lastError, in: "sem_open", detail: readerName)
        }
        guard let writer = Platform.openSemaphore(writerName) else {
            let code = Platform.lastError
            Platform.closeSemaphore(reader)
            throw LMDBError(code: code, in: "sem_open", detail: writerName)
        }
        guard let map = Platform.mapForWriting(descriptor, length), let start = map.baseAddress else {
            let code = Platform.lastError
            for semaphore in [reader, writer] { Platform.closeSemaphore(semaphore) }
            throw LMDBError(code: code, in: "mmap", detail: path)
        }
        // SAFETY: the file has that many bytes, and a map is aligned.
        let lastTransaction = (start + 40).assumingMemoryBound(to: Int.self)
        return Semaphores(reader: reader, writer: writer, lastTransaction: lastTransaction, map: map)
    }

    /// Closes the lock file. LMDB must have closed it before.
    func close() {
        if let semaphores {
            for semaphore in [semaphores.reader, semaphores.writer] { Platform.closeSemaphore(semaphore) }
            Platform.unmap(UnsafeRawBufferPointer(semaphores.map))
        }
        if descriptor >= 0 { Platform.close(descriptor) }
    }

    /// Makes sure that LMDB's lock of the write transaction is free. The calling thread has the lock on the data file.
    ///
    /// - Parameter environment: LMDB's handle, which is open.
    func freeWriter(_ environment: OpaquePointer) throws(LMDBError) {
        guard let semaphores else { return }
        if !Self.take(semaphores.writer) {
            // The dead process may have committed without saying so. The next transaction would then overwrite that commit,
            // page by page. SAFETY: `close` is only called when nobody uses the environment.
            semaphores.lastTransaction.pointee = try Engine.information(environment).lastTransaction
        }
        Platform.post(semaphores.writer)
    }

    /// Runs something that takes LMDB's lock of the reader table, which is free when `body` begins.
    ///
    /// - Throws: ``LMDBError``: `writerBusy` when another process has kept the lock on the byte for so long; what `body` throws.
    func withReaderTable<Result>(
        within timeout: Duration, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        guard let semaphores else { return try body() }
        monitor.lock()
        defer { monitor.unlock() }
        try Platform.lock("fcntl", path, within: timeout) {
            Platform.setByteLock(descriptor, at: Self.readerByte, isTaken: true) ? 0 : Platform.lastError
        }
        defer { _ = Platform.setByteLock(descriptor, at: Self.readerByte, isTaken: false) }
        _ = Self.take(semaphores.reader)
        Platform.post(semaphores.reader)
        return try body()
    }

    /// Takes a semaphore, unless it stays taken.
    private static func take(_ semaphore: Platform.NamedSemaphore) -> Bool {
        (try? Platform.lock("sem_trywait", "", within: patience) { Platform.tryTake(semaphore) }) != nil
    }
}
