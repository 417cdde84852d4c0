// The rows of a segment as bytes: buckets of touches, then chunks of landmarks.
//
// A touch takes four to five bytes: the numbers of a bucket are bits, in Rice's code (R. Rice, "Some Practical Universal Noiseless
// Coding Techniques", 1979). Fingerprints are random, so no other code is much shorter.
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
        var fingerprint = segment.fingerprints(index).lowerBound
        var next = 0
        while next < touches.count {
            let first = touches[next].fingerprint
            let end = touches.endOfGroup(from: next)
            bits.write(rice: UInt64(first &- fingerprint), layout.fingerprint, &writer)
            bits.write(rice: UInt64(end &- next &- 1), layout.groupCount, &writer)
            fingerprint = first
            var version = segment.last.rawValue
            for place in next..<end {
                let touch = touches[place]
                let distance = version &- touch.version.rawValue
                if place == next {
                    bits.write(rice: distance, layout.newest, &writer)
                } else {
                    bits.write(rice: distance &- 1, layout.older, &writer)
                }
                bits.write(layout.number(of: touch.kinds), layout.kindWidth, &writer)
                version = touch.version.rawValue
            }
            next = end
        }
        bits.finish(&writer)
        NodeCoding.seal(segment.key(index), &writer)
    }

    /// Reads a bucket, or of it only the touches of one fingerprint; nil if it is damaged.
    package static func touches(
        _ bytes: UnsafeRawBufferPointer, _ segment: TouchCatalog.Segment, _ index: Int, of wanted: UInt32? = nil
    ) -> [Touch]? {
        guard var reader = reader(bytes, segment, index, NodeCoding.Kind.touches) else { return nil }
        let count = reader.readVarint()
        guard let layout = BucketLayout(&reader) else { return nil }
        // A touch takes at least a bit.
        guard count <= UInt64(reader.remaining) * 8 else { return nil }
        var bits = BitReader(reader.readBytes(reader.remaining))
        if let wanted {
            var touches: [Touch] = []
            let isIntact = read(&bits, count, layout, segment, index, through: wanted) { touch in
                if touch.fingerprint == wanted { touches.append(touch) }
            }
            return isIntact ? touches : nil
        }
        var isIntact = false
        let touches = [Touch](unsafeUninitializedCapacity: Int(count)) { touches, initialized in
            isIntact = read(&bits, count, layout, segment, index, through: nil) { touch in
                // SAFETY: no more than `count` touches are read, and there is room for as many.
                touches.initializeElement(at: initialized, to: touch)
                initialized &+= 1
            }
        }
        return isIntact && bits.isInLastByte ? touches : nil
    }

    /// Calls `body` with the `count` touches of a bucket, or only with those up to a fingerprint or to the next one after it.
    ///
    /// - Returns: whether they are intact.
    @inline(__always)
    private static func read(
        _ bits: inout BitReader, _ count: UInt64, _ layout: borrowing BucketLayout, _ segment: TouchCatalog.Segment,
        _ index: Int, through wanted: UInt32?, _ body: (Touch) -> Void
    ) -> Bool {
        let fingerprints = segment.fingerprints(index)
        let (first, last) = (segment.first.rawValue, segment.last.rawValue)
        var fingerprint = fingerprints.lowerBound
        var left = count
        while left > 0 {
            let distance = bits.readRice(layout.fingerprint)
            let others = bits.readRice(layout.groupCount)
            guard distance <= UInt64(fingerprints.upperBound &- fingerprint), distance > 0 || left == count,
                others < left
            else { return false }
            // Does not overflow: the distance is at most that to the last fingerprint of the bucket.
            fingerprint &+= UInt32(truncatingIfNeeded: distance)
            left &-= others &+ 1
            var version = last &- bits.readRice(layout.newest)
            var leftInGroup = others
            while true {
                guard version >= first, version <= last, let kinds = layout.kinds(bits.read(layout.kindWidth))
                else { return false }
                body(Touch(fingerprint, kinds, Version(version)))
                if leftInGroup == 0 { break }
                leftInGroup &-= 1
                version &-= bits.readRice(layout.older) &+ 1
            }
            if let wanted, fingerprint >= wanted { break }
        }
        return !bits.isBehindEnd
    }

    /// Writes a chunk of landmarks, the newest version first.
    static func write(
        landmarks: ArraySlice<Version>, _ segment: TouchCatalog.Segment, _ index: Int, _ writer: inout ByteWriter
    ) {
        NodeCoding.begin(NodeCoding.Kind.landmarks, count: landmarks.count, &writer)
        var last = segment.last
        for version in landmarks {
            writer.write(varint: last.rawValue - version.rawValue)
            last = version
        }
        NodeCoding.seal(segment.key(segment.bucketCount + index), &writer)
    }

    /// Reads a chunk of landmarks, the newest version first; nil if it is damaged.
    package static func landmarks(
        _ bytes: UnsafeRawBufferPointer, _ segment: TouchCatalog.Segment, _ index: Int
    ) -> [Version]? {
        guard var reader = reader(bytes, segment, segment.bucketCount + index, NodeCoding.Kind.landmarks) else {
            return nil
        }
        let count = reader.readVarint()
        guard count <= UInt64(reader.remaining) else { return nil }
        var last = segment.last.rawValue
        var versions: [Version] = []
        for _ in 0..<count {
            last &-= reader.readVarint()
            guard last >= segment.first.rawValue, last <= segment.last.rawValue else { return nil }
            versions.append(Version(last))
        }
        return reader.isDamaged || reader.remaining > 0 ? nil : versions
    }

    /// A reader after the kind; nil if the row is damaged or something else.
    private static func reader(
        _ bytes: UnsafeRawBufferPointer, _ segment: TouchCatalog.Segment, _ index: Int, _ kind: UInt8
    ) -> NodeReader? {
        guard NodeCoding.isIntact(bytes, number: segment.key(index)) else { return nil }
        var reader = NodeReader(UnsafeRawBufferPointer(rebasing: bytes[NodeCoding.headerSize...]))
        return reader.readByte() == kind ? reader : nil
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

/// How wide the numbers of a bucket are: what suits their means best, and the kinds that occur.
private struct BucketLayout {
    /// The parameters for what the fingerprints are apart, and for how many more touches than one a fingerprint has.
    private(set) var fingerprint = 0
    private(set) var groupCount = 0
    /// The same for the versions: how far the newest of a fingerprint is from the end of the segment, and the others from the one
    /// before, less 1.
    private(set) var newest = 0
    private(set) var older = 0
    /// A bit for each of the 64 combinations of kinds that occurs.
    private var occurring: UInt64 = 0
    /// How many bits the number of a combination takes.
    let kindWidth: Int
    /// The combinations that occur, by their numbers.
    private var combinations: [ChangeKinds] = []

    init(_ touches: borrowing [Touch], _ segment: TouchCatalog.Segment, _ index: Int) {
        var (fingerprints, newest, older) = (UInt64(0), UInt64(0), UInt64(0))
        var (groups, next) = (0, 0)
        while next < touches.count {
            let end = touches.endOfGroup(from: next)
            groups += 1
            newest &+= segment.last.rawValue &- touches[next].version.rawValue
            older &+= touches[next].version.rawValue &- touches[end &- 1].version.rawValue &- UInt64(end &- next &- 1)
            for place in next..<end { occurring |= 1 &<< UInt64(touches[place].kinds.rawValue) }
            next = end
        }
        if let last = touches.last { fingerprints = UInt64(last.fingerprint &- segment.fingerprints(index).lowerBound) }
        fingerprint = BitWriter.riceParameter(sum: fingerprints, count: groups)
        groupCount = BitWriter.riceParameter(sum: UInt64(touches.count - groups), count: groups)
        self.newest = BitWriter.riceParameter(sum: newest, count: groups)
        self.older = BitWriter.riceParameter(sum: older, count: touches.count - groups)
        kindWidth = BucketLayout.width(of: occurring)
    }

    /// Reads a layout; nil if it is damaged.
    init?(_ reader: inout NodeReader) {
        let parameters = reader.readBytes(4)
        guard parameters.count == 4, parameters.allSatisfy({ $0 <= BitWriter.greatestRiceParameter }) else {
            return nil
        }
        fingerprint = Int(parameters[0])
        groupCount = Int(parameters[1])
        newest = Int(parameters[2])
        older = Int(parameters[3])
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
        for parameter in [fingerprint, groupCount, newest, older] { writer.write(byte: UInt8(parameter)) }
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

extension [Touch] {
    /// The end of the touches that have the fingerprint of the one at `start`.
    @inline(__always)
    fileprivate func endOfGroup(from start: Int) -> Int {
        var end = start &+ 1
        while end < count && self[end].fingerprint == self[start].fingerprint { end &+= 1 }
        return end
    }
}
