// The catalog of the index of touches: which segments there are.
//
// Always holds: the segments follow one another, from the first commit that no compaction has packed to the last indexed one; no two
// segments have the same number, and none has `nextNumber` or a greater one; together they have fewer than 2⁴⁸ touches, so no sum
// of their counts overflows.

/// The segments of the index, the oldest first.
package struct TouchCatalog: Equatable, Sendable {
    package var segments: [Segment] = []
    /// Segments that were merged into others, and whose rows are not deleted yet.
    package var retired: [UInt64] = []
    /// The number of the next segment.
    package var nextNumber: UInt64 = 1
    /// About how many bytes the records have that are indexed, and those before them.
    package var recordBytes: UInt64 = 0

    /// The touches of consecutive commits, in buckets: bucket b of 2ⁿ has the fingerprints whose upper n bits are b.
    package struct Segment: Equatable, Sendable {
        package var number: UInt64
        package var first: Version
        package var last: Version
        /// How many touches it has.
        package var count: UInt64
        /// n: the number of its buckets is 2ⁿ.
        package var bits: Int
        /// How many chunks of landmarks follow the buckets.
        package var landmarkCount: Int

        /// How many buckets it has.
        package var bucketCount: Int { 1 &<< bits }
        /// How many rows it has, at most.
        package var rowCount: Int { bucketCount + landmarkCount }

        /// The bucket of a fingerprint.
        package func bucket(of fingerprint: UInt32) -> Int { bits == 0 ? 0 : Int(fingerprint &>> UInt32(32 - bits)) }
    }

    package init() {}

    /// The last commit that is indexed; nil if none is.
    package var last: Version? { segments.last?.last }

    /// The newest segments that a new one of `count` touches is merged with, the newest first.
    ///
    /// Segments are of levels, each level `fanOut` times as large as the one before. As many of one level become one of the next
    /// level, so a touch is written again about once for each level.
    package func merged(with count: UInt64, bucketSize: Int, fanOut: Int) -> [Segment] {
        func level(_ count: UInt64) -> Int {
            var (level, rest) = (0, count / UInt64(bucketSize))
            while rest > 0 { (level, rest) = (level + 1, rest / UInt64(fanOut)) }
            return level
        }
        var (merged, count) = ([Segment](), count)
        while true {
            let greatest = level(count)
            let alike = segments.dropLast(merged.count).reversed().prefix { level($0.count) <= greatest }
            if alike.count < fanOut - 1 { return merged }
            merged += alike
            count += alike.reduce(0) { $0 + $1.count }
        }
    }
}

extension TouchCatalog.Segment {
    /// The greatest number of bits, so that a bucket has a key.
    static let greatestBits = 22
    /// How many bits a segment of so many touches has.
    ///
    /// - Parameter bucketSize: how many touches a bucket has on average, at most.
    static func bits(_ count: UInt64, bucketSize: Int) -> Int {
        var bits = 0
        while bits < greatestBits && count &>> UInt64(bits) > UInt64(bucketSize) { bits += 1 }
        return bits
    }

    /// The key of a bucket, or of a chunk of landmarks, which follow the buckets.
    package func key(_ index: Int) -> UInt64 { number &<< TouchCatalog.indexBits | UInt64(index) }
}

extension TouchCatalog {
    /// How many bits of a key are the index in the segment.
    static let indexBits: UInt64 = 24

    /// The keys of all rows of a segment.
    package static func keys(of number: UInt64) -> ClosedRange<UInt64> {
        number &<< indexBits...(number &<< indexBits | (1 &<< indexBits &- 1))
    }
}

// MARK: - Coding

extension TouchCatalog {
    /// The row of `meta`.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        NodeCoding.begin(NodeCoding.Kind.touchCatalog, count: segments.count, &writer)
        for segment in segments {
            for number in [segment.number, segment.first.rawValue, segment.last.rawValue, segment.count] {
                writer.write(varint: number)
            }
            writer.write(count: segment.bits)
            writer.write(count: segment.landmarkCount)
        }
        writer.write(varint: nextNumber)
        writer.write(varint: recordBytes)
        writer.write(count: retired.count)
        for number in retired { writer.write(varint: number) }
        NodeCoding.seal(0, &writer)
        return writer.withBytes { Array($0) }
    }

    /// Whether the row is that of an earlier build. Its index counts as missing.
    package static func isOfEarlierBuild(_ bytes: UnsafeRawBufferPointer) -> Bool {
        NodeCoding.isIntact(bytes, number: 0)
            && NodeCoding.Kind.earlierTouchCatalogs.contains(bytes[NodeCoding.headerSize])
    }

    /// Reads the row; nil if it is damaged.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard var reader = NodeReader(bytes, number: 0, kind: NodeCoding.Kind.touchCatalog) else { return nil }
        let count = reader.readVarint()
        guard count <= UInt64(reader.remaining) else { return nil }
        var touchCount: UInt64 = 0
        for _ in 0..<count {
            let numbers = (0..<6).map { _ in reader.readVarint() }
            guard numbers[1] > 0, numbers[1] <= numbers[2], numbers[2] < Limits.versions,
                numbers[1] == (segments.last?.last.next.rawValue ?? numbers[1]),
                numbers[0] < 1 &<< (64 - TouchCatalog.indexBits), numbers[0] > segments.last?.number ?? 0,
                numbers[3] < Limits.versions - touchCount, numbers[4] <= UInt64(Segment.greatestBits),
                numbers[4] == 0 || numbers[3] &>> numbers[4] > 0, numbers[5] < 1 &<< 23
            else { return nil }
            touchCount += numbers[3]
            segments.append(
                Segment(
                    number: numbers[0], first: Version(numbers[1]), last: Version(numbers[2]), count: numbers[3],
                    bits: Int(numbers[4]), landmarkCount: Int(numbers[5])))
        }
        nextNumber = reader.readVarint()
        recordBytes = reader.readVarint()
        let retiredCount = reader.readVarint()
        guard retiredCount <= UInt64(reader.remaining) else { return nil }
        for _ in 0..<retiredCount { retired.append(reader.readVarint()) }
        guard !reader.isDamaged, reader.remaining == 0, nextNumber < 1 &<< (64 - TouchCatalog.indexBits),
            (segments.map(\.number) + retired).allSatisfy({ $0 > 0 && $0 < nextNumber }),
            Set(retired).isDisjoint(with: segments.map(\.number))
        else { return nil }
    }
}
