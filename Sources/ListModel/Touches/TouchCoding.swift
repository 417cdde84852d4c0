// The rows of a segment as bytes: buckets of touches, then chunks of landmarks.
//
// Always holds: bytes are checked before anything of them is used; a reader gets all that was written, or nil.

/// The coding of the rows of a segment.
package enum TouchCoding {
    /// Writes a bucket. The touches are sorted.
    static func write(
        _ touches: borrowing [Touch], _ segment: TouchCatalog.Segment, _ index: Int, _ writer: inout ByteWriter
    ) {
        NodeCoding.begin(NodeCoding.Kind.touches, count: touches.count, &writer)
        // Each touch takes a number, and each fingerprint two more.
        writer.write(atMost: touches.count * 3 * ByteCursor.varintSize) { cursor in
            touches.withUnsafeBufferPointer { write($0, segment, index, &cursor) }
        }
        NodeCoding.seal(segment.key(index), &writer)
    }

    @inline(__always)
    private static func write(
        _ touches: UnsafeBufferPointer<Touch>, _ segment: TouchCatalog.Segment, _ index: Int, _ cursor: inout ByteCursor
    ) {
        var fingerprint = segment.fingerprints(index).lowerBound
        var next = 0
        while next < touches.count {
            let first = touches[next].fingerprint
            var end = next &+ 1
            while end < touches.count && touches[end].fingerprint == first { end &+= 1 }
            cursor.write(varint: UInt64(first &- fingerprint))
            cursor.write(varint: UInt64(truncatingIfNeeded: end &- next))
            fingerprint = first
            var version = segment.last
            while next < end {
                let touch = touches[next]
                let distance = version.rawValue &- touch.version.rawValue
                cursor.write(varint: distance &<< ChangeKinds.bitCount | UInt64(touch.kinds.rawValue))
                version = touch.version
                next &+= 1
            }
        }
    }

    /// Reads a bucket, or of it only the touches of one fingerprint; nil if it is damaged.
    package static func touches(
        _ bytes: UnsafeRawBufferPointer, _ segment: TouchCatalog.Segment, _ index: Int, of wanted: UInt32? = nil
    ) -> [Touch]? {
        guard var reader = reader(bytes, segment, index, NodeCoding.Kind.touches) else { return nil }
        let count = reader.readVarint()
        // A touch takes at least a byte.
        guard count <= UInt64(reader.remaining) else { return nil }
        if let wanted {
            var touches: [Touch] = []
            let isIntact = read(&reader, count, segment, index, through: wanted) { touch in
                if touch.fingerprint == wanted { touches.append(touch) }
            }
            return isIntact ? touches : nil
        }
        var isIntact = false
        let touches = [Touch](unsafeUninitializedCapacity: Int(count)) { touches, initialized in
            isIntact = read(&reader, count, segment, index, through: nil) { touch in
                // SAFETY: no more than `count` touches are read, and there is room for as many.
                touches.initializeElement(at: initialized, to: touch)
                initialized &+= 1
            }
        }
        return isIntact && reader.remaining == 0 ? touches : nil
    }

    /// Calls `body` with the `count` touches of a bucket, or only with those up to a fingerprint or to the next one after it.
    ///
    /// - Returns: whether they are intact.
    @inline(__always)
    private static func read(
        _ reader: inout NodeReader, _ count: UInt64, _ segment: TouchCatalog.Segment, _ index: Int,
        through wanted: UInt32?, _ body: (Touch) -> Void
    ) -> Bool {
        let fingerprints = segment.fingerprints(index)
        let (first, last) = (segment.first.rawValue, segment.last.rawValue)
        var fingerprint = fingerprints.lowerBound
        var left = count
        while left > 0 {
            let distance = reader.readVarint()
            let groupCount = reader.readVarint()
            guard distance <= UInt64(fingerprints.upperBound &- fingerprint), distance > 0 || left == count,
                groupCount >= 1, groupCount <= left
            else { return false }
            // Does not overflow: the distance is at most that to the last fingerprint of the bucket.
            fingerprint &+= UInt32(truncatingIfNeeded: distance)
            left &-= groupCount
            var version = last
            var leftInGroup = groupCount
            repeat {
                let word = reader.readVarint()
                if word &>> ChangeKinds.bitCount == 0 && leftInGroup < groupCount { return false }
                version &-= word &>> ChangeKinds.bitCount
                guard version >= first, version <= last else { return false }
                body(Touch(fingerprint, ChangeKinds(lowBitsOf: word), Version(version)))
                leftInGroup &-= 1
            } while leftInGroup > 0
            if let wanted, fingerprint >= wanted { break }
        }
        return !reader.isDamaged
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

extension ChangeKinds {
    /// The kinds in the lowest bits of a number.
    @inline(__always)
    fileprivate init(lowBitsOf word: UInt64) {
        self.init(rawValue: UInt8(truncatingIfNeeded: word) & (1 << ChangeKinds.bitCount - 1))
    }
}
