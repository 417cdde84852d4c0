// Makes one segment of several that follow one another, bucket by bucket.
//
// Always holds: memory is that of one bucket of each input; rows are written in the order of their keys.

/// Where a merge reads from: a run in memory, or a stored segment.
package struct TouchInput {
    /// As of a segment; a run is a segment of one bucket.
    package var segment: TouchCatalog.Segment
    /// Returns the touches of a bucket.
    package var touches: (_ bucket: Int) throws -> [Touch]
    /// Returns a chunk of landmarks, the newest version first.
    package var landmarks: (_ chunk: Int) throws -> [Version]

    package init(
        _ segment: TouchCatalog.Segment, touches: @escaping (Int) throws -> [Touch],
        landmarks: @escaping (Int) throws -> [Version]
    ) {
        (self.segment, self.touches, self.landmarks) = (segment, touches, landmarks)
    }

    /// A run of the touches of some commits. It is sorted.
    package init(_ run: TouchRun, _ versions: ClosedRange<Version>) {
        let segment = TouchCatalog.Segment(
            number: 0, first: versions.lowerBound, last: versions.upperBound, count: UInt64(run.count), bits: 0,
            landmarkCount: 1)
        self.init(segment) { _ in
            run.touches
        } landmarks: { _ in
            run.landmarks.reversed()
        }
    }
}

/// Merges segments.
package enum TouchMerge {
    /// Writes a segment.
    ///
    /// - Parameters:
    ///   - inputs: what it has, the newest first; each ends where the one before begins.
    ///   - number: its number.
    ///   - bucketSize: how many touches a bucket has on average, at most.
    ///   - put: stores a row; keys ascend.
    /// - Returns: the segment, with the number of touches that were written.
    /// - Throws: ``DamagedTouches``; what reading an input or `put` throws.
    /// - Complexity: O(touches).
    package static func write(
        _ inputs: [TouchInput], as number: UInt64, bucketSize: Int,
        _ put: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws -> TouchCatalog.Segment {
        guard let newest = inputs.first?.segment, let oldest = inputs.last?.segment else {
            preconditionFailure("a segment is made of something")
        }
        let count = inputs.reduce(0) { $0 + $1.segment.count }
        var segment = TouchCatalog.Segment(
            number: number, first: oldest.first, last: newest.last, count: count,
            bits: TouchCatalog.Segment.bits(count, bucketSize: bucketSize), landmarkCount: 0)
        var writer = ByteWriter()
        var streams = inputs.map(Stream.init)
        var touches: [Touch] = []
        segment.count = 0
        for bucket in 0..<segment.bucketCount {
            let last = UInt32.max &>> UInt32(segment.bits) | UInt32(truncatingIfNeeded: bucket &<< (32 - segment.bits))
            try take(from: &streams, through: last, &touches)
            if touches.isEmpty { continue }
            segment.count += UInt64(touches.count)
            TouchCoding.write(touches, segment, bucket, &writer)
            try writer.withBytes { try put(segment.key(bucket), $0) }
        }
        var landmarks: [Version] = []
        // A version takes a third of what a touch takes, or less.
        let chunkSize = 3 * bucketSize
        func flush(atLeast least: Int) throws {
            while landmarks.count >= least && !landmarks.isEmpty {
                let part = landmarks.prefix(chunkSize)
                TouchCoding.write(landmarks: part, segment, segment.landmarkCount, &writer)
                let key = segment.key(segment.bucketCount + segment.landmarkCount)
                try writer.withBytes { try put(key, $0) }
                segment.landmarkCount += 1
                landmarks.removeFirst(part.count)
            }
        }
        var last = segment.last.next
        for input in inputs {
            for chunk in 0..<input.segment.landmarkCount {
                for version in try input.landmarks(chunk) {
                    guard version < last else { throw DamagedTouches() }
                    landmarks.append(version)
                    last = version
                }
                try flush(atLeast: chunkSize)
            }
        }
        try flush(atLeast: 1)
        return segment
    }

    /// Takes the touches up to a fingerprint out of all streams, in order; of one fingerprint, those of the newest stream first.
    private static func take(from streams: inout [Stream], through last: UInt32, _ touches: inout [Touch]) throws {
        touches.removeAll(keepingCapacity: true)
        var ends: [Int] = []
        for index in streams.indices {
            let start = touches.count
            try streams[index].take(through: last, &touches)
            if touches.count > start { ends.append(touches.count) }
        }
        // Neighbours are merged until there is one run: log k passes for k streams.
        while ends.count > 1 { mergeNeighbours(&touches, &ends) }
    }

    /// Merges the first run with the second, the third with the fourth, and so on.
    ///
    /// - Parameter ends: where each run ends.
    private static func mergeNeighbours(_ touches: inout [Touch], _ ends: inout [Int]) {
        touches = touches.withUnsafeBufferPointer { runs in
            [Touch](unsafeUninitializedCapacity: runs.count) { merged, initialized in
                var start = 0
                for index in stride(from: 0, to: ends.count, by: 2) {
                    let end = ends[min(index + 1, ends.count - 1)]
                    merge(runs, start..<ends[index], ends[index]..<end, merged, at: start)
                    start = end
                }
                initialized = runs.count
            }
        }
        ends = stride(from: 0, to: ends.count, by: 2).map { ends[min($0 + 1, ends.count - 1)] }
    }

    /// Two runs that are all of an array, merged. Of equal fingerprints, those of the first run come first.
    static func merged(_ touches: borrowing [Touch], _ first: Range<Int>, _ second: Range<Int>) -> [Touch] {
        touches.withUnsafeBufferPointer { runs in
            [Touch](unsafeUninitializedCapacity: runs.count) { merged, initialized in
                merge(runs, first, second, merged, at: 0)
                initialized = runs.count
            }
        }
    }

    /// Merges two runs, to a place. Of equal fingerprints, those of the first run come first.
    private static func merge(
        _ runs: UnsafeBufferPointer<Touch>, _ one: Range<Int>, _ other: Range<Int>,
        _ merged: UnsafeMutableBufferPointer<Touch>, at start: Int
    ) {
        var (first, second, next) = (one.lowerBound, other.lowerBound, start)
        // SAFETY: `merged` has room for both runs from `start` on, and each of their elements is copied once.
        while first < one.upperBound && second < other.upperBound {
            let isSecond = runs[second].fingerprint < runs[first].fingerprint
            merged.initializeElement(at: next, to: runs[isSecond ? second : first])
            if isSecond { second &+= 1 } else { first &+= 1 }
            next &+= 1
        }
        let rest = first < one.upperBound ? first..<one.upperBound : second..<other.upperBound
        _ = merged[next..<start + one.count + other.count].initialize(fromContentsOf: runs[rest])
    }

    /// The touches of an input, from its first bucket to its last.
    private struct Stream {
        private let input: TouchInput
        private var bucket = 0
        private var touches: ArraySlice<Touch> = []

        init(_ input: TouchInput) { self.input = input }

        /// Moves the touches up to a fingerprint into an array.
        mutating func take(through last: UInt32, _ result: inout [Touch]) throws {
            while true {
                if touches.isEmpty {
                    if bucket == input.segment.bucketCount { return }
                    touches = try input.touches(bucket)[...]
                    bucket += 1
                }
                let end = touches.sortedIndex { $0.fingerprint > last }
                result += touches[..<end]
                touches = touches[end...]
                if !touches.isEmpty { return }
            }
        }
    }
}
