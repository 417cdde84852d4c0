// Touches in the order of a segment, and how they are made from records.
//
// Always holds: what is sorted comes first, with ascending fingerprints; the touches of one fingerprint go from the newest version to
// the oldest, one for each commit. What was added since follows, from the oldest commit to the newest.

/// Touches of consecutive commits.
package struct TouchRun: Sendable {
    package private(set) var touches: [Touch] = []
    /// The landmarks: the versions of the commits that deleted rows or changed sections, ascending. They lead to deleted rows,
    /// and to the sections that these were in.
    package private(set) var landmarks: [Version] = []
    /// How many touches are sorted.
    private var sortedCount = 0

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
        if isLandmark { landmarks.append(version) }
    }

    /// Makes room for more touches.
    package mutating func reserve(_ more: Int) { touches.reserveCapacity(touches.count + more) }

    /// Removes the touches of the commits up to a version, and sorts the others.
    ///
    /// - Complexity: O(n).
    package mutating func removeAll(through version: Version) {
        sort()
        touches.removeAll { $0.version <= version }
        sortedCount = touches.count
        landmarks.removeFirst(landmarks.sortedIndex { $0 > version })
    }

    /// Sorts what was added.
    ///
    /// - Complexity: O(n); O(1) if nothing was added.
    package mutating func sort() {
        let first = sortedCount
        if first == touches.count { return }
        // By the digits of the fingerprints, from the lowest one, which takes fewer instructions than comparing. Each pass leaves
        // touches with the same digit in their order, so the newest of a fingerprint stay first.
        touches.withUnsafeMutableBufferPointer { touches in
            let added = UnsafeMutableBufferPointer(rebasing: touches[first...])
            withUnsafeTemporaryAllocation(of: Touch.self, capacity: added.count) { other in
                // SAFETY: the first pass initialises all of `other`. Both have as many elements.
                TouchRun.distribute(added.reversed(), 0, other)
                TouchRun.distribute(other, 8, added)
                TouchRun.distribute(added, 16, other)
                TouchRun.distribute(other, 24, added)
            }
        }
        // What a commit did in several events becomes one touch.
        var last = first
        for index in touches.indices.dropFirst(first + 1) {
            let touch = touches[index]
            if touches[last].fingerprint == touch.fingerprint && touches[last].version == touch.version {
                touches[last].kinds.formUnion(touch.kinds)
            } else {
                last += 1
                if last < index { touches[last] = touch }
            }
        }
        touches.removeLast(touches.count - last - 1)
        // What was added is newer than what was sorted before.
        if first > 0 { touches = TouchMerge.merged(touches, first..<touches.count, 0..<first) }
        sortedCount = touches.count
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
