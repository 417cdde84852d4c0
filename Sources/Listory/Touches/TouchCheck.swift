// Compares the index of touches with the log, for verification.
//
// Both are summed up, so memory does not grow with the log.

import LMDB
import ListModel

/// A comparison of the index with the commits, which it is given one after another.
struct TouchCheck {
    private let touches: TouchDatabase
    private let rows: Database<UInt64, [UInt8]>?
    private let segments: [TouchCatalog.Segment]
    /// The segment of the next commit, and the sum of each.
    private var next = 0
    private var sums: [Sum]

    /// The touches and landmarks of a segment: how many, and the sum of their hashes.
    private struct Sum: Equatable {
        var touchCount: UInt64 = 0
        var touchHash: UInt64 = 0
        var landmarkCount = 0
        var landmarkHash: UInt64 = 0

        mutating func add(_ touches: [Touch]) {
            for touch in touches {
                touchCount += 1
                touchHash &+= touch.hash64
            }
        }

        mutating func add(landmarks: [Version]) {
            for version in landmarks {
                landmarkCount += 1
                landmarkHash &+= version.hash64
            }
        }
    }

    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if there is a catalog and it is damaged.
    init(_ touches: TouchDatabase) throws {
        self.touches = touches
        rows = try touches.hasCatalog() ? touches.rows(create: false) : nil
        let catalog = try touches.catalog()
        if try catalog == nil && touches.hasCatalog() { throw TouchCheck.damage("a catalog that can be read") }
        segments = catalog?.segments ?? []
        sums = segments.map { _ in Sum() }
    }

    private static func damage(_ expected: String) -> ListError {
        .headMismatch(what: "index of touches", expected: expected, found: "another")
    }

    /// Adds the next commit.
    mutating func add(_ record: UnsafeRawBufferPointer, of version: Version) throws {
        while next < segments.count && segments[next].last < version { next += 1 }
        guard next < segments.count, version >= segments[next].first else { return }
        var run = TouchRun()
        try run.add(record, of: version)
        run.sort()
        sums[next].add(run.touches)
        sums[next].add(landmarks: run.landmarks)
    }

    /// Compares the sums with the index, once it was given all commits.
    func finish(at head: Version) throws {
        for (segment, expected) in zip(segments, sums) {
            guard let rows, segment.last <= head, segment.count == expected.touchCount else {
                throw TouchCheck.damage("segments up to version \(head)")
            }
            var found = Sum()
            do {
                let input = touches.input(segment, rows)
                for bucket in 0..<segment.bucketCount {
                    let touches = try input.touches(bucket)
                    guard touches.allSatisfy({ segment.bucket(of: $0.fingerprint) == bucket }) else {
                        throw DamagedTouches()
                    }
                    found.add(touches)
                }
                for chunk in 0..<segment.landmarkCount { found.add(landmarks: try input.landmarks(chunk)) }
            } catch is DamagedTouches {
                throw TouchCheck.damage("rows of versions \(segment.first) to \(segment.last) that can be read")
            }
            guard found == expected, found.touchCount == segment.count else {
                throw TouchCheck.damage(
                    "the \(expected.touchCount) touches of versions \(segment.first) to \(segment.last)")
            }
        }
    }
}
