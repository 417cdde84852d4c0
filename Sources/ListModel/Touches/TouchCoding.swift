// The rows of a segment as bytes: buckets of touches, then chunks of landmarks.
//
// The numbers of a bucket are bits, in the exponential Golomb code. Rows whose ids count up are neighbours in a bucket (see
// `RowOrSection.fingerprint`), and neighbours are most often inserted and deleted one after the other: so a version is stored as the
// difference to that of the neighbour, and a touch of a typed text takes one to two bytes. Those of random ids take four to five,
// and no code is much shorter.
//
// Always holds: bytes are checked before anything of them is used; a reader gets all that was written, or nil.

/// The coding of the rows of a segment.
package enum TouchCoding {
    /// Writes a bucket. The touches are sorted.
    static func write(
        _ touches: borrowing [Touch], _ segment: TouchCatalog.Segment, _ index: Int, _ writer: inout ByteWriter
    ) {
        NodeCoding.begin(NodeCoding.Kind.touches, count: touches.count, &writer)
        let layout = BucketLayout(touches, segment, index)
        layout.write(to: &writer)
        var bits = BitWriter()
        touches.forEachNumber(segment, index, besides: layout.isBeside) { field, number in
            bits.write(golomb: number, layout[field], &writer)
        } kinds: { kinds in
            bits.write(layout.number(of: kinds), layout.kindWidth, &writer)
        }
        bits.finish(&writer)
        NodeCoding.seal(segment.key(index), &writer)
    }

    /// Reads a bucket, or of it only the touches of one fingerprint; nil if it is damaged.
    package static func touches(
        _ bytes: UnsafeRawBufferPointer, _ segment: TouchCatalog.Segment, _ index: Int, of wanted: UInt32? = nil
    ) -> [Touch]? {
        guard var reader = NodeReader(bytes, number: segment.key(index), kind: NodeCoding.Kind.touches)
        else { return nil }
        let count = reader.readVarint()
        guard let layout = BucketLayout(&reader) else { return nil }
        // A touch takes at least a bit.
        guard count <= UInt64(reader.remaining) * 8 else { return nil }
        var bits = BitReader(reader.readBytes(reader.remaining))
        var touches: [Touch] = []
        if wanted == nil { touches.reserveCapacity(Int(count)) }
        guard read(&bits, Int(count), layout, segment, index, through: wanted, &touches), !bits.isBehindEnd else {
            return nil
        }
        guard let wanted else { return bits.isInLastByte ? touches : nil }
        // It is the last one that was read, or the bucket does not have it.
        let start = touches.sortedIndex { $0.fingerprint >= wanted }
        return Array(touches[start...].prefix { $0.fingerprint == wanted })
    }

    /// Reads the `count` touches of a bucket, or only those up to a fingerprint or to the next one after it.
    ///
    /// - Returns: whether they are intact, unless more was read than there is.
    private static func read(
        _ bits: inout BitReader, _ count: Int, _ layout: borrowing BucketLayout, _ segment: TouchCatalog.Segment,
        _ index: Int, through wanted: UInt32?, _ touches: inout [Touch]
    ) -> Bool {
        let fingerprints = segment.fingerprints(index)
        var family = UInt64(fingerprints.lowerBound &>> UInt32(UntypedID.familyBits))
        let lastFamily = UInt64(fingerprints.upperBound &>> UInt32(UntypedID.familyBits))
        // No sum overflows: a number has at most 51 bits.
        while touches.count < count {
            let distance = bits.readGolomb(layout[.family])
            guard distance > 0 || touches.isEmpty else { return false }
            family &+= distance
            guard family <= lastFamily else { return false }
            var fingerprint = family &<< UntypedID.familyBits
            let end = fingerprint &+ 1 &<< UntypedID.familyBits
            var previous = 0..<0
            for _ in 0...bits.readGolomb(layout[.memberCount]) {
                fingerprint &+= bits.readGolomb(layout[.member])
                let others = bits.readGolomb(layout[.touchCount])
                guard fingerprint < end, others < UInt64(count &- touches.count) else { return false }
                let start = touches.count
                var least = segment.first.rawValue
                for rank in 0...Int(truncatingIfNeeded: others) {
                    var version = least
                    if layout.isBeside && rank < previous.count {
                        let number = bits.readGolomb(layout[rank == 0 ? .firstBeside : .laterBeside])
                        version = touches[previous.upperBound &- 1 &- rank].version.rawValue
                        version &+= UInt64(bitPattern: Int64(zigzag: number))
                    } else {
                        version &+= bits.readGolomb(layout[rank == 0 ? .first : .later])
                    }
                    guard version >= least, version <= segment.last.rawValue,
                        let kinds = layout.kinds(bits.read(layout.kindWidth))
                    else { return false }
                    touches.append(Touch(UInt32(truncatingIfNeeded: fingerprint), kinds, Version(version)))
                    least = version &+ 1
                }
                // They were read from the oldest on.
                touches[start...].reverse()
                previous = start..<touches.count
                if let wanted, fingerprint >= UInt64(wanted) { return true }
                fingerprint &+= 1
            }
        }
        return true
    }

    /// Writes a chunk of landmarks, the newest version first.
    static func write(
        landmarks: ArraySlice<Version>, _ segment: TouchCatalog.Segment, _ index: Int, _ writer: inout ByteWriter
    ) {
        NodeCoding.begin(NodeCoding.Kind.landmarks, count: landmarks.count, &writer)
        var next = segment.last.next
        let skipped = landmarks.map { version in
            defer { next = version }
            return next.rawValue - version.rawValue - 1
        }
        var counts = GolombCounts(fieldCount: 1)
        for count in skipped { counts.add(count, field: 0) }
        let parameters = GolombParameters(counts)
        parameters.write(to: &writer)
        var bits = BitWriter()
        for count in skipped { bits.write(golomb: count, parameters[0], &writer) }
        bits.finish(&writer)
        NodeCoding.seal(segment.key(segment.bucketCount + index), &writer)
    }

    /// Reads a chunk of landmarks, the newest version first; nil if it is damaged.
    package static func landmarks(
        _ bytes: UnsafeRawBufferPointer, _ segment: TouchCatalog.Segment, _ index: Int
    ) -> [Version]? {
        let number = segment.key(segment.bucketCount + index)
        guard var reader = NodeReader(bytes, number: number, kind: NodeCoding.Kind.landmarks) else { return nil }
        let count = reader.readVarint()
        guard let parameters = GolombParameters(&reader, fieldCount: 1), count <= UInt64(reader.remaining) * 8 else {
            return nil
        }
        var bits = BitReader(reader.readBytes(reader.remaining))
        var next = segment.last.rawValue + 1
        var versions: [Version] = []
        for _ in 0..<count {
            next &-= bits.readGolomb(parameters[0]) &+ 1
            guard next >= segment.first.rawValue, next <= segment.last.rawValue else { return nil }
            versions.append(Version(next))
        }
        return bits.isBehindEnd || !bits.isInLastByte ? nil : versions
    }
}

extension TouchCatalog.Segment {
    /// The fingerprints that a bucket can have.
    @inline(__always)
    fileprivate func fingerprints(_ bucket: Int) -> ClosedRange<UInt32> {
        // A shift by all 32 bits gives 0.
        let first = UInt32(bucket) << UInt32(32 - bits)
        return first...(first | UInt32.max >> UInt32(bits))
    }
}

// MARK: - The layout of a bucket

/// What a number of a bucket says.
private enum BucketField: Int, CaseIterable {
    /// How far the families are apart: the fingerprints that differ in their last bits only.
    case family
    /// How many more fingerprints than one a family has, and how many are left out between two.
    case memberCount, member
    /// How many more touches than one a fingerprint has.
    case touchCount
    /// The version of its oldest touch: how far it is from the first one of the segment, or from that of the neighbour.
    case first, firstBeside
    /// The version of a later touch: how many versions are left out since the one before, or how far it is from that of the
    /// neighbour.
    case later, laterBeside
}

extension [Touch] {
    /// Calls `number` with each number of a bucket, and `kinds` with what each touch did.
    ///
    /// - Parameter isBeside: whether versions are compared with those of the neighbour in the family, as far as it has as many
    ///   touches.
    @inline(__always)
    fileprivate func forEachNumber(
        _ segment: TouchCatalog.Segment, _ index: Int, besides isBeside: Bool,
        _ number: (BucketField, UInt64) -> Void, kinds: (ChangeKinds) -> Void
    ) {
        var family = segment.fingerprints(index).lowerBound &>> UInt32(UntypedID.familyBits)
        var next = 0
        while next < count {
            let (end, memberCount) = endOfFamily(from: next)
            let newFamily = self[next].fingerprint &>> UInt32(UntypedID.familyBits)
            number(.family, UInt64(newFamily &- family))
            number(.memberCount, UInt64(memberCount &- 1))
            family = newFamily
            var least = UInt64(family) &<< UntypedID.familyBits
            var previous = 0..<0
            while next < end {
                let member = next..<endOfMember(from: next)
                number(.member, UInt64(self[next].fingerprint) &- least)
                number(.touchCount, UInt64(member.count &- 1))
                forEachVersion(of: member, beside: isBeside ? previous : 0..<0, segment, number, kinds)
                least = UInt64(self[next].fingerprint) &+ 1
                previous = member
                next = member.upperBound
            }
        }
    }

    /// Calls `number` with the numbers of the versions of a fingerprint, from the oldest on.
    @inline(__always)
    private func forEachVersion(
        of member: Range<Int>, beside neighbour: Range<Int>, _ segment: TouchCatalog.Segment,
        _ number: (BucketField, UInt64) -> Void, _ kinds: (ChangeKinds) -> Void
    ) {
        var least = segment.first.rawValue
        for rank in 0..<member.count {
            let touch = self[member.upperBound &- 1 &- rank]
            let version = touch.version.rawValue
            if rank < neighbour.count {
                let other = self[neighbour.upperBound &- 1 &- rank].version.rawValue
                number(
                    rank == 0 ? .firstBeside : .laterBeside, Int64(bitPattern: version &- other).zigzag)
            } else {
                number(rank == 0 ? .first : .later, version &- least)
            }
            kinds(touch.kinds)
            least = version &+ 1
        }
    }

    /// The end of the touches that have the fingerprint of the one at `start`.
    @inline(__always)
    private func endOfMember(from start: Int) -> Int {
        var end = start &+ 1
        while end < count && self[end].fingerprint == self[start].fingerprint { end &+= 1 }
        return end
    }

    /// The end of the touches that are of the family of the one at `start`, and how many fingerprints they have.
    @inline(__always)
    private func endOfFamily(from start: Int) -> (end: Int, memberCount: Int) {
        var (end, memberCount) = (start &+ 1, 1)
        while end < count && (self[end].fingerprint ^ self[start].fingerprint) &>> UInt32(UntypedID.familyBits) == 0 {
            if self[end].fingerprint != self[end &- 1].fingerprint { memberCount &+= 1 }
            end &+= 1
        }
        return (end, memberCount)
    }
}

/// How the numbers of a bucket are written: with what suits most of them, and the kinds that occur.
private struct BucketLayout {
    /// Whether versions are compared with those of the neighbour.
    private(set) var isBeside = false
    /// The parameter of each field.
    private let parameters: GolombParameters
    /// A bit for each of the 64 combinations of kinds that occurs.
    private var occurring: UInt64 = 0
    /// How many bits the number of a combination takes.
    let kindWidth: Int
    /// The combinations that occur, by their numbers.
    private var combinations: [ChangeKinds] = []

    subscript(field: BucketField) -> Int {
        @inline(__always) get { parameters[field.rawValue] }
    }

    init(_ touches: borrowing [Touch], _ segment: TouchCatalog.Segment, _ index: Int) {
        var costs = [0, 0]
        var candidates = [GolombCounts](
            repeating: GolombCounts(fieldCount: BucketField.allCases.count), count: 2)
        var occurring = self.occurring
        for isBeside in [false, true] {
            let candidate = isBeside ? 1 : 0
            touches.forEachNumber(segment, index, besides: isBeside) { field, number in
                candidates[candidate].add(number, field: field.rawValue)
                costs[candidate] &+= UInt64.bitWidth &- number.leadingZeroBitCount
            } kinds: {
                occurring |= 1 &<< UInt64($0.rawValue)
            }
        }
        self.occurring = occurring
        isBeside = costs[1] < costs[0]
        parameters = GolombParameters(candidates[isBeside ? 1 : 0])
        kindWidth = BucketLayout.width(of: occurring)
    }

    /// Reads a layout; nil if it is damaged.
    init?(_ reader: inout NodeReader) {
        let flag = reader.readByte()
        guard flag <= 1, let parameters = GolombParameters(&reader, fieldCount: BucketField.allCases.count) else {
            return nil
        }
        isBeside = flag == 1
        self.parameters = parameters
        occurring = reader.readVarint()
        if reader.isDamaged { return nil }
        kindWidth = BucketLayout.width(of: occurring)
        var rest = occurring
        while rest != 0 {
            combinations.append(ChangeKinds(rawValue: UInt8(rest.trailingZeroBitCount)))
            rest &= rest &- 1
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(byte: isBeside ? 1 : 0)
        parameters.write(to: &writer)
        writer.write(varint: occurring)
    }

    private static func width(of occurring: UInt64) -> Int {
        Int.bitWidth - max(0, occurring.nonzeroBitCount - 1).leadingZeroBitCount
    }

    /// The number of a combination: how many lower ones occur.
    @inline(__always)
    func number(of kinds: ChangeKinds) -> UInt64 {
        UInt64((occurring & (1 &<< UInt64(kinds.rawValue) &- 1)).nonzeroBitCount)
    }

    /// The combination of a number; nil if there is none.
    @inline(__always)
    func kinds(_ number: UInt64) -> ChangeKinds? {
        number < UInt64(combinations.count) ? combinations[Int(truncatingIfNeeded: number)] : nil
    }
}
