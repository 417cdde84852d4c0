// Touches in the order of a segment, and how they are made from records.
//
// Always holds: fingerprints ascend; the touches of one fingerprint go from the newest version to the oldest, one for each
// commit.

/// Touches of consecutive commits.
package struct TouchRun: Sendable {
    package private(set) var touches: [Touch] = []
    /// The landmarks: the versions of the commits that deleted rows or changed sections, ascending. They lead to deleted rows,
    /// and to the sections that these were in.
    package private(set) var landmarks: [Version] = []
    private var isSorted = true

    package init() {}

    package var count: Int { touches.count }

    /// Adds the touches of a commit, which is newer than those so far.
    ///
    /// - Throws: ``RecordError``; then nothing is added.
    /// - Complexity: O(bytes).
    package mutating func add(_ record: UnsafeRawBufferPointer, of version: Version) throws {
        let header = try RecordHeader(record, version: version, previousChecksum: nil)
        var reader = RecordReader(record, version: version, from: header.eventsOffset)
        let first = touches.count
        var isLandmark = false
        do {
            for _ in 0..<header.eventCount {
                try reader.readTouches { subject, kinds in
                    if kinds.contains(.deleted) || subject.isSection { isLandmark = true }
                    touches.append(Touch(subject.fingerprint, kinds, version))
                }
            }
        } catch {
            touches.removeLast(touches.count - first)
            throw error
        }
        if touches.count > first { isSorted = false }
        if isLandmark { landmarks.append(version) }
    }

    /// Removes the touches of the commits up to a version. Nothing has been sorted yet.
    package mutating func removeAll(through version: Version) {
        touches.removeFirst(touches.sortedIndex { $0.version > version })
        landmarks.removeFirst(landmarks.sortedIndex { $0 > version })
    }

    /// Sorts what was added.
    ///
    /// - Complexity: O(n).
    package mutating func sort() {
        if isSorted { return }
        isSorted = true
        // By the digits of the fingerprints, from the lowest one, which takes fewer instructions than comparing. Each pass leaves
        // touches with the same digit in their order, so the newest of a fingerprint stay first.
        var sorted = [Touch](touches.reversed())
        sorted.withUnsafeMutableBufferPointer { sorted in
            touches.withUnsafeMutableBufferPointer { other in
                TouchRun.distribute(sorted, 0, other)
                TouchRun.distribute(other, 8, sorted)
                TouchRun.distribute(sorted, 16, other)
                TouchRun.distribute(other, 24, sorted)
            }
        }
        touches.removeAll(keepingCapacity: true)
        for touch in sorted {
            if let last = touches.last, last.fingerprint == touch.fingerprint, last.version == touch.version {
                touches[touches.count - 1].kinds.formUnion(touch.kinds)
            } else {
                touches.append(touch)
            }
        }
    }

    /// Copies touches in the order of eight bits of their fingerprints.
    private static func distribute(
        _ from: UnsafeMutableBufferPointer<Touch>, _ shift: UInt32, _ to: UnsafeMutableBufferPointer<Touch>
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { places in
            places.initialize(repeating: 0)
            for touch in from { places[Int(touch.fingerprint &>> shift & 0xFF)] &+= 1 }
            var next = 0
            for digit in places.indices { (places[digit], next) = (next, next &+ places[digit]) }
            for touch in from {
                let digit = Int(touch.fingerprint &>> shift & 0xFF)
                to[places[digit]] = touch
                places[digit] &+= 1
            }
        }
    }
}
