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

    /// A commit of so many events is large.
    private static let largeCount = 1_024

    package var count: Int { touches.count }

    /// Adds the touches of a commit, which is newer than those so far.
    ///
    /// - Throws: ``RecordError``; then nothing is added.
    /// - Complexity: O(bytes).
    package mutating func add(_ record: UnsafeRawBufferPointer, of version: Version) throws {
        let events = try RecordHeader.events(record, version: version)
        var reader = RecordReader(record, version: version, from: events.offset)
        let first = touches.count
        // Most events touch one row. An array that grows needs the memory of the smaller and the larger one for a moment.
        if events.count >= TouchRun.largeCount { reserve(events.count) }
        var isLandmark = false
        do {
            for _ in 0..<events.count {
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

    /// Makes room for more touches.
    package mutating func reserve(_ more: Int) { touches.reserveCapacity(touches.count + more) }

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
        touches.withUnsafeMutableBufferPointer { touches in
            withUnsafeTemporaryAllocation(of: Touch.self, capacity: touches.count) { other in
                // SAFETY: the first pass initialises all of `other`. Both have as many elements.
                TouchRun.distribute(touches.reversed(), 0, other)
                TouchRun.distribute(other, 8, touches)
                TouchRun.distribute(touches, 16, other)
                TouchRun.distribute(other, 24, touches)
            }
        }
        // What a commit did in several events becomes one touch.
        var last = 0
        for index in touches.indices.dropFirst() {
            let touch = touches[index]
            if touches[last].fingerprint == touch.fingerprint && touches[last].version == touch.version {
                touches[last].kinds.formUnion(touch.kinds)
            } else {
                last += 1
                if last < index { touches[last] = touch }
            }
        }
        touches.removeLast(max(0, touches.count - last - 1))
    }

    /// Copies touches in the order of eight bits of their fingerprints.
    private static func distribute(
        _ from: some Collection<Touch>, _ shift: UInt32, _ to: UnsafeMutableBufferPointer<Touch>
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { places in
            places.initialize(repeating: 0)
            for touch in from { places[Int(touch.fingerprint &>> shift & 0xFF)] &+= 1 }
            var next = 0
            for digit in places.indices { (places[digit], next) = (next, next &+ places[digit]) }
            for touch in from {
                let digit = Int(touch.fingerprint &>> shift & 0xFF)
                // SAFETY: the places of all digits are those of all touches, of which `to` has as many.
                to.initializeElement(at: places[digit], to: touch)
                places[digit] &+= 1
            }
        }
    }
}
