// The bit-packed encoding of a chunk of the index.
//
// All entries of a chunk share the lowest bits of their fingerprints, because these bits select the chunk. They are
// stored once. The other bits are stored as differences to the entry before, all with the same width. Node numbers of
// leaves are stored as differences to the lowest one.
//
// Encoder and decoder use wrapping arithmetic, because damaged bytes may contain any number; decoded values are
// checked.
//
// Always holds: decoded fingerprints have at most 32 bits and ascend; nothing is read outside the bytes.

enum IndexChunkCoding {
    static func encode(_ words: UnsafeBufferPointer<UInt64>, _ writer: inout ByteWriter) {
        guard let first = words.first else { return }
        let differing = words.reduce(0) { $0 | (($1 ^ first) &>> 32) }
        let shift = min(32, differing.trailingZeroBitCount)
        let lowest = words.reduce(first & 0xFFFF_FFFF) { min($0, $1 & 0xFFFF_FFFF) }
        var deltas: [UInt64] = []
        deltas.reserveCapacity(words.count)
        var previous: UInt64 = 0
        for word in words {
            let upper = (word &>> 32) >> UInt64(shift)
            deltas.append(upper &- previous)
            previous = upper
        }
        let deltaWidth = width(deltas.reduce(0, |))
        let leafWidth = width(words.reduce(0) { $0 | (($1 & 0xFFFF_FFFF) &- lowest) })
        writer.write(byte: UInt8(shift))
        writer.write(varint: (first &>> 32) & ((1 << UInt64(shift)) &- 1))
        writer.write(varint: lowest)
        writer.write(byte: UInt8(deltaWidth))
        writer.write(byte: UInt8(leafWidth))
        var bits = BitWriter()
        for (index, word) in words.enumerated() {
            bits.write(deltas[index], deltaWidth, &writer)
            bits.write((word & 0xFFFF_FFFF) &- lowest, leafWidth, &writer)
        }
        bits.finish(&writer)
    }

    static func decode(_ reader: inout NodeReader, _ words: UnsafeMutableBufferPointer<UInt64>) {
        if words.isEmpty { return }
        let shift = UInt64(reader.readByte())
        let common = reader.readVarint()
        let lowest = reader.readVarint()
        let deltaWidth = Int(reader.readByte())
        let leafWidth = Int(reader.readByte())
        guard shift <= 32, common >> shift == 0, lowest >> 32 == 0, deltaWidth <= 32, leafWidth <= 32 else {
            return fail(&reader, words)
        }
        let bytes = reader.readBytes((words.count * (deltaWidth + leafWidth) + 7) / 8)
        if reader.isDamaged { return fail(&reader, words) }
        var position = 0
        var upper: UInt64 = 0
        var isRight = true
        for index in words.indices {
            upper &+= bytes.bits(at: position, deltaWidth)
            let leaf = lowest &+ bytes.bits(at: position + deltaWidth, leafWidth)
            position += deltaWidth + leafWidth
            if leaf >> 32 != 0 { isRight = false }
            words[index] = (upper << shift | common) &<< 32 | (leaf & 0xFFFF_FFFF)
        }
        if !isRight || upper >> (32 - shift) != 0 { fail(&reader, words) }
    }

    private static func fail(_ reader: inout NodeReader, _ words: UnsafeMutableBufferPointer<UInt64>) {
        reader.fail()
        words.update(repeating: 0)
    }

    private static func width(_ value: UInt64) -> Int { 64 - value.leadingZeroBitCount }
}
