// The rows of a segment as bytes: buckets of touches, then chunks of landmarks.
//
// Always holds: bytes are checked before anything of them is used; a reader gets all that was written, or nil.

/// The coding of the rows of a segment.
package enum TouchCoding {
    /// Writes a bucket. The touches are sorted.
    static func write(
        _ touches: ArraySlice<Touch>, _ segment: TouchCatalog.Segment, _ index: Int, _ writer: inout ByteWriter
    ) {
        NodeCoding.begin(NodeCoding.Kind.touches, count: touches.count, &writer)
        var fingerprint = segment.firstFingerprint(index)
        var start = touches.startIndex
        while start < touches.endIndex {
            let next = touches[start].fingerprint
            var end = start + 1
            while end < touches.endIndex && touches[end].fingerprint == next { end += 1 }
            writer.write(varint: UInt64(next &- fingerprint))
            writer.write(count: end - start)
            var version = segment.last
            for touch in touches[start..<end] {
                let distance = version.rawValue &- touch.version.rawValue
                writer.write(varint: distance &<< ChangeKinds.bitCount | UInt64(touch.kinds.rawValue))
                version = touch.version
            }
            fingerprint = next
            start = end
        }
        NodeCoding.seal(segment.key(index), &writer)
    }

    /// Reads a bucket, or of it only the touches of one fingerprint; nil if it is damaged.
    package static func touches(
        _ bytes: UnsafeRawBufferPointer, _ segment: TouchCatalog.Segment, _ index: Int, of wanted: UInt32? = nil
    ) -> [Touch]? {
        guard var reader = reader(bytes, segment, index, NodeCoding.Kind.touches) else { return nil }
        let count = reader.readVarint()
        // A touch takes at least a byte.
        guard count <= UInt64(reader.remaining) else { return nil }
        var touches: [Touch] = []
        if wanted == nil { touches.reserveCapacity(Int(count)) }
        var fingerprint = UInt64(segment.firstFingerprint(index))
        var seen: UInt64 = 0
        while seen < count {
            let distance = reader.readVarint()
            let groupCount = reader.readVarint()
            fingerprint &+= distance
            guard distance <= UInt64(UInt32.max), fingerprint <= UInt64(UInt32.max), distance > 0 || seen == 0,
                groupCount >= 1, groupCount <= count - seen, segment.bucket(of: UInt32(fingerprint)) == index
            else { return nil }
            let isWanted = wanted.map { UInt64($0) == fingerprint } ?? true
            var version = segment.last.rawValue
            for number in 0..<groupCount {
                let word = reader.readVarint()
                if number > 0 && word &>> ChangeKinds.bitCount == 0 { return nil }
                version &-= word &>> ChangeKinds.bitCount
                guard version >= segment.first.rawValue, version <= segment.last.rawValue else { return nil }
                if isWanted {
                    let kinds = ChangeKinds(rawValue: UInt8(truncatingIfNeeded: word) & (1 << ChangeKinds.bitCount - 1))
                    touches.append(Touch(UInt32(fingerprint), kinds, Version(version)))
                }
            }
            seen += groupCount
            if let wanted, fingerprint >= UInt64(wanted) { return reader.isDamaged ? nil : touches }
        }
        return reader.isDamaged || reader.remaining > 0 ? nil : touches
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
    /// The least fingerprint of a bucket.
    fileprivate func firstFingerprint(_ bucket: Int) -> UInt32 { bits == 0 ? 0 : UInt32(bucket) &<< UInt32(32 - bits) }
}
