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
    /// - Complexity: O(n log n).
    package mutating func sort() {
        if isSorted { return }
        isSorted = true
        // Sorting numbers is several times as fast as sorting touches: fingerprint, then place from the end.
        let count = UInt64(touches.count)
        var keys = touches.indices.map { UInt64(touches[$0].fingerprint) &<< 32 | (count &- 1 &- UInt64($0)) }
        keys.sort()
        var sorted: [Touch] = []
        sorted.reserveCapacity(touches.count)
        for key in keys {
            let touch = touches[Int(count &- 1 &- (key & 0xFFFF_FFFF))]
            if let last = sorted.last, last.fingerprint == touch.fingerprint, last.version == touch.version {
                sorted[sorted.count - 1].kinds.formUnion(touch.kinds)
            } else {
                sorted.append(touch)
            }
        }
        touches = sorted
    }
}
