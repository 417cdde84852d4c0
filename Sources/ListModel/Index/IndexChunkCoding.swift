// The encoding of a chunk of the index: bits, most of them in the exponential Golomb code.
//
// Entries are written in the order of their families (see `IdentifierHashing`) and in a family in the order of the ids, but for where it
// begins: neighbours are most often of the same leaf, and then an entry takes two bits or three. An id that is no integer, or of an index without families, is
// mostly alone in what looks like its family, and takes some 27 bits.
//
// Encoder and decoder use wrapping arithmetic, because damaged bytes may contain any number; decoded values are
// checked.
//
// Always holds: decoded fingerprints have at most 32 bits and ascend; nothing is read outside the bytes.

enum IndexChunkCoding {
    /// What a number of a chunk says, but for the leaf of the first member of a family.
    private enum Field: Int, CaseIterable {
        /// How far the families are apart, without the bits that all have in common.
        case family
        /// How many more members than one a family has, and how many are left out between two.
        case memberCount, member
        /// How far the number of the leaf is from that of the member before.
        case leaf
    }

    /// Entries with the same or another family follow when a member would not be greater than the one before: two ids may have the
    /// same fingerprint.
    private struct Keys {
        /// The family, the member and the leaf of each entry, in 26, 6 and 32 bits, ascending.
        let keys: [UInt64]
        /// How many of the lowest bits of all families are the same.
        let shift: UInt64
        let lowestLeaf: UInt64
        let leafWidth: Int

        init(_ words: UnsafeBufferPointer<UInt64>, _ fingerprintBits: Int) {
            var keys = words.map { word in
                let (family, member) = IndexChunkCoding.parts(of: word &>> 32, UInt64(fingerprintBits))
                return family &<< 38 | member &<< 32 | word & 0xFFFF_FFFF
            }
            keys.sort()
            let first = keys.first ?? 0
            let differing = keys.reduce(0) { $0 | ($1 ^ first) &>> 38 }
            shift = UInt64(min(fingerprintBits - Int(UntypedID.familyBits), differing.trailingZeroBitCount))
            let lowestLeaf = keys.reduce(0xFFFF_FFFF) { min($0, $1 & 0xFFFF_FFFF) }
            leafWidth = width(keys.reduce(0) { $0 | (($1 & 0xFFFF_FFFF) &- lowestLeaf) })
            (self.keys, self.lowestLeaf) = (keys, lowestLeaf)
        }

        /// The bits that all families have in common.
        var common: UInt64 { (keys.first ?? 0) &>> 38 & (1 &<< shift &- 1) }

        /// Calls `number` with each number, and `leaf` with the leaf of the first member of each family.
        @inline(__always)
        func forEachNumber(_ number: (Field, UInt64) -> Void, leaf: (UInt64) -> Void) {
            var family: UInt64 = 0
            var next = 0
            while next < keys.count {
                let end = endOfFamily(from: next)
                // Not wrapping: 64 bits if all are of one family and have 32 bits.
                let newFamily = keys[next] >> (38 &+ shift)
                number(.family, newFamily &- family)
                number(.memberCount, UInt64(end &- next &- 1))
                family = newFamily
                for place in next..<end {
                    let member = keys[place] &>> 32 & UntypedID.members
                    if place == next {
                        number(.member, member)
                        leaf((keys[place] & 0xFFFF_FFFF) &- lowestLeaf)
                    } else {
                        number(.member, member &- (keys[place &- 1] &>> 32 & UntypedID.members) &- 1)
                        let distance = (keys[place] & 0xFFFF_FFFF) &- (keys[place &- 1] & 0xFFFF_FFFF)
                        number(.leaf, Int64(bitPattern: distance).zigzag)
                    }
                }
                next = end
            }
        }

        /// The end of the members of a family that have different fingerprints.
        @inline(__always)
        private func endOfFamily(from start: Int) -> Int {
            var end = start &+ 1
            while end < keys.count && keys[end] &>> 38 == keys[start] &>> 38
                && keys[end] &>> 32 != keys[end &- 1] &>> 32
            { end &+= 1 }
            return end
        }
    }

    /// The parts of a fingerprint: its upper bits tell the members of a family apart.
    @inline(__always)
    private static func parts(of fingerprint: UInt64, _ width: UInt64) -> (family: UInt64, member: UInt64) {
        let bits = width &- UntypedID.familyBits
        return (fingerprint & (1 &<< bits &- 1), fingerprint &>> bits)
    }

    static func encode(_ words: UnsafeBufferPointer<UInt64>, _ fingerprintBits: Int, _ writer: inout ByteWriter) {
        if words.isEmpty { return }
        let keys = Keys(words, fingerprintBits)
        var counts = GolombCounts(fieldCount: Field.allCases.count)
        keys.forEachNumber {
            counts.add($1, field: $0.rawValue)
        } leaf: { _ in
        }
        let parameters = GolombParameters(counts)
        writer.write(byte: UInt8(fingerprintBits))
        writer.write(byte: UInt8(keys.shift))
        writer.write(varint: keys.common)
        writer.write(varint: keys.lowestLeaf)
        writer.write(byte: UInt8(keys.leafWidth))
        parameters.write(to: &writer)
        var bits = BitWriter()
        keys.forEachNumber { field, number in
            bits.write(golomb: number, parameters[field.rawValue], &writer)
        } leaf: {
            bits.write($0, keys.leafWidth, &writer)
        }
        bits.finish(&writer)
    }

    static func decode(
        _ reader: inout NodeReader, _ words: UnsafeMutableBufferPointer<UInt64>, _ fingerprintBits: Int
    ) {
        if words.isEmpty { return }
        let width = UInt64(fingerprintBits)
        let isIntact = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words.count) { entries in
            entries.initialize(repeating: 0)
            guard readEntries(&reader, entries, width) else { return false }
            sort(entries, into: words, width)
            return true
        }
        if !isIntact { fail(&reader, words) }
    }

    /// Reads the entries in the order of their families.
    ///
    /// - Parameter width: the bits of a fingerprint.
    /// - Returns: whether they are intact.
    private static func readEntries(
        _ reader: inout NodeReader, _ entries: UnsafeMutableBufferPointer<UInt64>, _ width: UInt64
    ) -> Bool {
        let statedWidth = UInt64(reader.readByte())
        let shift = UInt64(reader.readByte())
        let common = reader.readVarint()
        let lowestLeaf = reader.readVarint()
        let leafWidth = Int(reader.readByte())
        guard let parameters = GolombParameters(&reader, fieldCount: Field.allCases.count), statedWidth == width,
            shift &+ UntypedID.familyBits <= width, common &>> shift == 0, lowestLeaf &>> 32 == 0, leafWidth <= 32
        else { return false }
        func parameter(_ field: Field) -> Int { parameters[field.rawValue] }
        var bits = BitReader(reader.readBytes(reader.remaining))
        var upper: UInt64 = 0
        var next = 0
        while next < entries.count {
            upper &+= bits.readGolomb(parameter(.family))
            let others = bits.readGolomb(parameter(.memberCount))
            guard upper &>> (width &- UntypedID.familyBits &- shift) == 0, others < UInt64(entries.count &- next) else {
                return false
            }
            var member = bits.readGolomb(parameter(.member))
            var leaf = lowestLeaf &+ bits.read(leafWidth)
            let end = next &+ Int(truncatingIfNeeded: others)
            while true {
                guard member <= UntypedID.members, leaf &>> 32 == 0 else { return false }
                let fingerprint = member &<< (width &- UntypedID.familyBits) | upper &<< shift | common
                entries[next] = fingerprint &<< 32 | leaf
                next &+= 1
                if next > end { break }
                member &+= bits.readGolomb(parameter(.member)) &+ 1
                leaf &+= UInt64(bitPattern: Int64(zigzag: bits.readGolomb(parameter(.leaf))))
            }
        }
        return !bits.isBehindEnd && bits.isInLastByte
    }

    /// Sorts entries by their fingerprints. They are in the order of their families already, so those with the same upper bits stay as
    /// they are.
    private static func sort(
        _ entries: UnsafeMutableBufferPointer<UInt64>, into words: UnsafeMutableBufferPointer<UInt64>, _ width: UInt64
    ) {
        let shift = 32 &+ width &- UntypedID.familyBits
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 &<< Int(UntypedID.familyBits)) { places in
            places.initialize(repeating: 0)
            for entry in entries { places[Int(truncatingIfNeeded: entry &>> shift)] &+= 1 }
            var next = 0
            for upper in places.indices { (places[upper], next) = (next, next &+ places[upper]) }
            for entry in entries {
                let upper = Int(truncatingIfNeeded: entry &>> shift)
                words[places[upper]] = entry
                places[upper] &+= 1
            }
        }
    }

    /// Decodes a chunk that an earlier release has written.
    static func decodeEarlier(
        _ reader: inout NodeReader, _ words: UnsafeMutableBufferPointer<UInt64>, _ fingerprintBits: Int
    ) {
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
        let isTooGreat = upper >> (32 - shift) != 0 || (upper << shift | common) >> UInt64(fingerprintBits) != 0
        if !isRight || isTooGreat { fail(&reader, words) }
    }

    private static func fail(_ reader: inout NodeReader, _ words: UnsafeMutableBufferPointer<UInt64>) {
        reader.fail()
        words.update(repeating: 0)
    }

    private static func width(_ value: UInt64) -> Int { 64 - value.leadingZeroBitCount }
}
