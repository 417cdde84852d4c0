// A file as bytes, read where one asks, and numbers in such bytes.
//
// Always holds: the descriptor is open as long as the value lives; a read hands out exactly the bytes asked for,
// or fails; a number is read only from bytes that are there. LMDB's files have the byte order of the machine.

/// A file open for reading.
final class RawFile {
    private let descriptor: Int32
    private let isOwned: Bool
    let path: String

    /// A file that somebody else has open, for at least as long as the value lives.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
        isOwned = false
    }

    /// Opens a file; `nil` when there is none.
    init?(_ path: String) throws(LMDBError) {
        self.path = path
        isOwned = true
        switch Platform.openForReading(path) {
        case .success(let opened): descriptor = opened
        case .failure(let error) where error.number == Platform.noSuchFile: return nil
        case .failure(let error): throw LMDBError(code: error.number, in: "open", detail: path)
        }
    }

    deinit {
        if isOwned { Platform.close(descriptor) }
    }

    /// The length in bytes, now.
    func length() throws(LMDBError) -> Int {
        switch Platform.status(of: descriptor) {
        case .success(let status): return status.size
        case .failure(let error): throw LMDBError(code: error.number, in: "fstat", detail: path)
        }
    }

    /// Up to `count` bytes at `offset`; fewer at the end of the file.
    func bytes(at offset: Int, count: Int) throws(LMDBError) -> RawPage {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // SAFETY: the read fills at most the buffer, and `filled` is what it has filled.
            switch Platform.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer), at: offset) {
            case .success(let read): filled = read
            case .failure(let error): failure = error
            }
        }
        if let failure { throw LMDBError(code: failure.number, in: "pread", detail: "\(path) at byte \(offset)") }
        return RawPage(bytes: bytes, offset: offset)
    }
}

/// A piece of a file, and where it lies in the file.
struct RawPage {
    let bytes: [UInt8]
    /// Where the first byte lies in the file.
    let offset: Int

    /// The number at a place in the page; the caller has checked that it is there. Array bounds are the proof.
    func load<Number: FixedWidthInteger>(_ place: Int, as type: Number.Type) -> Number {
        let size = MemoryLayout<Number>.size
        return bytes[place..<place + size].withUnsafeBytes {
            // SAFETY: the slice has exactly the size of the number, and an unaligned load needs no alignment.
            $0.loadUnaligned(as: Number.self)
        }
    }

    /// An error about a place in the page.
    func damage(_ what: String, at place: Int, expected: String, found: String) -> LMDBError {
        LMDBError(
            .damaged(.init(what: what, offset: offset + place, expected: expected, found: found)),
            in: "DataFile.check"
        )
    }

    /// Refuses what does not hold.
    func require(
        _ condition: Bool, _ what: @autoclosure () -> String, at place: Int,
        expected: @autoclosure () -> String, found: @autoclosure () -> String
    ) throws(LMDBError) {
        guard condition else { throw damage(what(), at: place, expected: expected(), found: found()) }
    }
}
