// Compresses bytes and unpacks them, with zlib: the one library for it that Linux and Apple's systems both have.
//
// Always holds: unpacking writes nothing outside of its buffer, whatever the bytes are.

import CZlib

enum Deflate {
    /// Compressed bytes, in zlib's own frame. Another version of zlib may compress to other bytes.
    ///
    /// - Parameter plain: at least one byte.
    static func packed(_ plain: UnsafeRawBufferPointer) -> [UInt8] {
        let source = plain.assumingMemoryBound(to: UInt8.self)
        var count = compressBound(UInt(plain.count))
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
            // The best compression: a block is written once.
            let code = compress2(buffer.baseAddress, &count, source.baseAddress, UInt(source.count), Z_BEST_COMPRESSION)
            precondition(code == Z_OK, "zlib has room for the bytes, and memory")
            initialized = Int(count)
        }
    }

    /// Unpacks compressed bytes, which may be damaged.
    ///
    /// - Returns: whether they fill the buffer exactly.
    static func unpack(_ packed: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer) -> Bool {
        guard let source = packed.baseAddress, let target = plain.baseAddress else { return false }
        var count = UInt(plain.count)
        let code = uncompress(
            target.assumingMemoryBound(to: UInt8.self), &count, source.assumingMemoryBound(to: UInt8.self),
            UInt(packed.count))
        return code == Z_OK && count == plain.count
    }
}
