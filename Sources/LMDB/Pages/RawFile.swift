// Reads bytes of a file at any offset, and numbers in these bytes.
//
// Always holds: the descriptor is open as long as the value exists; a read returns exactly the bytes asked for, or
// fails; a number is read only within the bytes. LMDB's files have the byte order of the machine.

/// Where pages are read from.
protocol PageSource {
    /// The length in bytes, now.
    func length() throws(LMDBError) -> Int
    /// Up to `count` bytes at `offset`; fewer at the end of the file.
    func bytes(at offset: Int, count: Int) throws(LMDBError) -> RawPage
}

/// A file open for reading.
final class RawFile: PageSource {
    private let descriptor: Int32
    private let isOwned: Bool
    let path: String

    /// A file whose descriptor the caller keeps open as long as the value exists.
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

    func length() throws(LMDBError) -> Int {
        switch Platform.length(of: descriptor) {
        case .success(let length): return length
        case .failure(let error): throw LMDBError(code: error.number, in: "fstat", detail: path)
        }
    }

    /// Up to `count` bytes at `offset`; fewer at the end of the file.
    func bytes(at offset: Int, count: Int) throws(LMDBError) -> RawPage {
        let buffer = RawPage.Buffer(count)
        switch Platform.read(descriptor, into: buffer.bytes, at: offset) {
        case .success(let read): return RawPage(buffer, count: read, offset: offset)
        case .failure(let error):
            throw LMDBError(code: error.number, in: "pread", detail: "\(path) at byte \(offset)")
        }
    }
}

/// A part of a file, and its offset in the file.
struct RawPage {
    /// Memory into which a part of a file was read.
    final class Buffer {
        let bytes: UnsafeMutableRawBufferPointer
        init(_ count: Int) { bytes = .allocate(byteCount: count, alignment: 8) }
        deinit { bytes.deallocate() }
    }

    private let bytes: UnsafeRawBufferPointer
    /// Where the first byte lies in the file.
    let offset: Int
    /// The owner of the bytes; nil if they are in a map, which outlives the page.
    private let owner: Buffer?

    init(_ buffer: Buffer, count: Int, offset: Int) {
        bytes = UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])
        self.offset = offset
        owner = buffer
    }

    /// A part of a map that the caller keeps.
    init(mapped bytes: UnsafeRawBufferPointer, offset: Int) {
        self.bytes = bytes
        self.offset = offset
        owner = nil
    }

    /// A part of a page.
    init(slice range: Range<Int>, of page: RawPage) {
        bytes = UnsafeRawBufferPointer(rebasing: page.bytes[range])
        offset = page.offset + range.lowerBound
        owner = page.owner
    }

    /// How many bytes there are.
    var count: Int { bytes.count }

    /// A copy of some of the bytes; the caller has checked that they are there.
    func copy(_ range: Range<Int>) -> [UInt8] {
        withExtendedLifetime(owner) { Array(bytes[range]) }
    }

    /// Calls a closure with some of the bytes; the caller has checked that they are there.
    @inline(__always)
    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withExtendedLifetime(owner) { body(UnsafeRawBufferPointer(rebasing: bytes[range])) }
    }

    /// The number at a place in the page; the caller has checked that it is there.
    @inline(__always)
    func load<Number: FixedWidthInteger>(_ place: Int, as type: Number.Type) -> Number {
        precondition(place >= 0 && place + MemoryLayout<Number>.size <= bytes.count, "a number lies within its page")
        // SAFETY: the number lies within the bytes, which the owner keeps; an unaligned load needs no alignment.
        return withExtendedLifetime(owner) { bytes.loadUnaligned(fromByteOffset: place, as: Number.self) }
    }

    /// An error about a place in the page.
    func damage(_ what: String, at place: Int, expected: String, found: String) -> LMDBError {
        LMDBError(
            .damaged(.init(what: what, offset: offset + place, expected: expected, found: found)),
            in: "DataFile.check"
        )
    }

    /// Throws an error if a condition is false.
    func require(
        _ condition: Bool, _ what: @autoclosure () -> String, at place: Int,
        expected: @autoclosure () -> String, found: @autoclosure () -> String
    ) throws(LMDBError) {
        guard condition else { throw damage(what(), at: place, expected: expected(), found: found()) }
    }
}
