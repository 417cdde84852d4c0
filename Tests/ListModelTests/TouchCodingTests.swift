// Reads buckets of touches back, whole and one fingerprint at a time: random ones, all kinds, the greatest numbers; and bytes that
// are no bucket, with a right checksum.

@testable import ListModel
import TestSupport
import Testing

@Suite("Touch coding")
struct TouchCodingTests {
    /// How the touches of a bucket are spread over fingerprints and versions.
    enum Spread: CaseIterable {
        /// Each row is touched once or twice, and has a random id.
        case many
        /// As in a text that is typed and corrected: ids count up, and so do the versions that insert and delete them.
        case typed
        /// A few rows are touched very often.
        case few
        /// One distance is as large as the others together.
        case uneven
        /// The first and the last fingerprint and version.
        case edges
    }

    private func makeSegment(_ generator: inout SeededGenerator, _ spread: Spread) -> TouchCatalog.Segment {
        let first = spread == .edges ? 1 : 1 + generator.next() % 1_000
        let last = spread == .edges ? Limits.versions - 1 : first + 100_000 + generator.next() % 1_000_000
        return TouchCatalog.Segment(
            number: 3, first: Version(first), last: Version(last), count: 600,
            bits: spread == .edges ? 0 : generator.below(12), landmarkCount: 0)
    }

    /// Sorted touches of a bucket, one for each fingerprint and version.
    private func makeTouches(
        _ generator: inout SeededGenerator, _ spread: Spread, _ segment: TouchCatalog.Segment, _ bucket: Int
    ) -> [Touch] {
        // A shift by 32 gives 0.
        let lowest = UInt32(bucket) << UInt32(32 - segment.bits)
        let highest = lowest | UInt32.max >> UInt32(segment.bits)
        let (first, last) = (segment.first.rawValue, segment.last.rawValue)
        var kinds: [UInt8] = [1, 2, 4, 8, 16]
        if generator.oneIn(4) { kinds = Array(0..<64) }
        if generator.oneIn(4) { kinds = [UInt8(generator.below(64))] }
        var touches: Set<[UInt64]> = []
        for _ in 0..<generator.below(600) {
            var fingerprint = UInt32.random(in: lowest...highest, using: &generator)
            var version = UInt64.random(in: first...last, using: &generator)
            switch spread {
            case .many: break
            case .typed:
                let member = UInt32(generator.below(600))
                let insertion = min(last, first + UInt64(member) * 3 / 2)
                fingerprint = min(highest, lowest + member)
                version = generator.oneIn(3) ? min(last, insertion + UInt64(generator.below(40))) : insertion
            case .few: fingerprint = lowest + fingerprint % 4
            case .uneven:
                if !generator.oneIn(50) { (fingerprint, version) = (lowest + fingerprint % 4, first + version % 40) }
            case .edges:
                if generator.oneIn(2) { fingerprint = [lowest, highest].randomElement(using: &generator)! }
                if generator.oneIn(2) { version = [first, first + 1, last].randomElement(using: &generator)! }
            }
            touches.insert([UInt64(fingerprint), version])
        }
        return touches.map {
            Touch(UInt32($0[0]), ChangeKinds(rawValue: kinds.randomElement(using: &generator)!), Version($0[1]))
        }.sorted { $0.fingerprint == $1.fingerprint ? $0.version > $1.version : $0.fingerprint < $1.fingerprint }
    }

    @Test("A bucket is read as it was written, whole and one fingerprint at a time", arguments: Spread.allCases)
    func roundTrip(spread: Spread) throws {
        for seed in UInt64(0)..<300 {
            var generator = SeededGenerator(seed: seed)
            let segment = makeSegment(&generator, spread)
            let bucket = generator.below(segment.bucketCount)
            let touches = makeTouches(&generator, spread, segment, bucket)
            if touches.isEmpty { continue }
            var writer = ByteWriter()
            TouchCoding.write(touches, segment, bucket, &writer)
            try writer.withBytes { bytes in
                try #require(TouchCoding.touches(bytes, segment, bucket) == touches, "seed \(seed)")
                for _ in 0..<20 {
                    var wanted = touches.randomElement(using: &generator)!.fingerprint
                    // One that no touch has, or another one that some have.
                    if generator.oneIn(4) { wanted ^= 1 }
                    let found = TouchCoding.touches(bytes, segment, bucket, of: wanted)
                    try #require(found == touches.filter { $0.fingerprint == wanted }, "seed \(seed), \(wanted)")
                }
            }
        }
    }

    @Test("A bucket has the bytes that the page on the format draws")
    func golden() {
        let segment = TouchCatalog.Segment(
            number: 1, first: Version(1), last: Version(10), count: 5, bits: 0, landmarkCount: 0)
        let touches = [
            Touch(5, .deleted, Version(9)), Touch(5, .inserted, Version(7)), Touch(6, .inserted, Version(8)),
            Touch(8, .deleted, Version(10)), Touch(8, .inserted, Version(9)),
        ]
        var writer = ByteWriter()
        TouchCoding.write(touches, segment, 0, &writer)
        let bytes = writer.withBytes { Array($0.dropFirst(NodeCoding.headerSize)) }
        #expect(
            bytes == [75, 5, 1, 0, 2, 1, 1, 3, 2, 0, 0, 6, 0xEB, 0x37, 0xAD, 0xFA, 0x1A])
    }

    @Test("A chunk of landmarks has the bytes that the page on the format draws")
    func goldenLandmarks() {
        let segment = TouchCatalog.Segment(
            number: 1, first: Version(1), last: Version(10), count: 5, bits: 0, landmarkCount: 1)
        var writer = ByteWriter()
        TouchCoding.write(landmarks: [Version(10), Version(9), Version(4)], segment, 0, &writer)
        let bytes = writer.withBytes { Array($0.dropFirst(NodeCoding.headerSize)) }
        #expect(bytes == [71, 3, 0, 0x33])
    }

    @Test("A touch of a typed text takes less than two bytes, one of a row with a random id less than five")
    func size() throws {
        func size(_ touches: [Touch]) -> Int {
            let segment = TouchCatalog.Segment(
                number: 1, first: Version(1), last: Version(260_000), count: 260_000, bits: 10, landmarkCount: 0)
            var writer = ByteWriter()
            TouchCoding.write(touches, segment, 0, &writer)
            return writer.count
        }
        var generator = SeededGenerator(seed: 1)
        let random = (0..<UInt32(256)).map { number in
            Touch(number << 14 | UInt32(generator.next() >> 50), .inserted, Version(1 + generator.next() % 260_000))
        }
        #expect(size(random) < 5 * random.count)
        var version = UInt64(1_000)
        let typed = (0..<UInt32(256)).map { number in
            version += generator.oneIn(5) ? 3 : 1
            return Touch((number / 64) << 20 | number % 64, .inserted, Version(version))
        }
        #expect(size(typed) < 2 * typed.count)
    }

    @Test("Bytes that are no bucket are refused or read as touches of the segment, however they are damaged")
    func damage() throws {
        var (readCount, refusedCount) = (0, 0)
        for seed in UInt64(0)..<4_000 {
            var generator = SeededGenerator(seed: seed)
            let segment = makeSegment(&generator, .many)
            let bucket = generator.below(segment.bucketCount)
            let spread = [Spread.many, .few, .typed].randomElement(using: &generator)!
            let touches = makeTouches(&generator, spread, segment, bucket)
            if touches.isEmpty { continue }
            var writer = ByteWriter()
            TouchCoding.write(touches, segment, bucket, &writer)
            for _ in 0..<1 + generator.below(3) {
                // Behind the checksum and the kind.
                let place = 5 + generator.below(writer.count - 5)
                writer.patch(UInt8(truncatingIfNeeded: generator.next()), at: place)
            }
            if generator.oneIn(4) { writer.truncate(to: 6 + generator.below(writer.count - 6)) }
            NodeCoding.seal(segment.key(bucket), &writer)
            writer.withBytes { bytes in
                guard let found = TouchCoding.touches(bytes, segment, bucket) else { return refusedCount += 1 }
                readCount += 1
                #expect(found.allSatisfy { $0.version >= segment.first && $0.version <= segment.last }, "seed \(seed)")
                #expect(found.allSatisfy { segment.bucket(of: $0.fingerprint) == bucket }, "seed \(seed)")
                #expect(
                    zip(found, found.dropFirst()).allSatisfy {
                        $0.fingerprint == $1.fingerprint ? $0.version > $1.version : $0.fingerprint < $1.fingerprint
                    }, "seed \(seed)")
                for touch in found { _ = TouchCoding.touches(bytes, segment, bucket, of: touch.fingerprint) }
            }
        }
        #expect(readCount > 100 && refusedCount > 100, "\(readCount) read, \(refusedCount) refused")
    }

    @Test("A catalog whose segments claim more touches together than any log has is refused")
    func catalogCounts() {
        func isRead(_ counts: [UInt64]) -> Bool {
            var catalog = TouchCatalog()
            for count in counts {
                let version = Version(catalog.nextNumber)
                catalog.segments.append(
                    TouchCatalog.Segment(
                        number: catalog.nextNumber, first: version, last: version, count: count, bits: 0,
                        landmarkCount: 0))
                catalog.nextNumber += 1
            }
            return catalog.bytes.withUnsafeBytes { TouchCatalog($0) } == catalog
        }
        let greatest = Limits.versions - 1
        #expect(isRead([greatest]) && isRead([greatest - 1, 0, 1]))
        #expect(!isRead([greatest, 1]) && !isRead([1, greatest, 0]))
        // Their sum would overflow.
        #expect(!isRead([UInt64](repeating: greatest, count: (1 << 16) + 1)))
    }

    @Test("Every number is read as it was written with every parameter")
    func numbers() throws {
        let greatest = UInt64(1) << 48 - 1
        let numbers = (0..<48).flatMap { [UInt64(1) << UInt64($0) - 1, UInt64(1) << UInt64($0)] } + [greatest]
        for parameter in 0...BitWriter.greatestGolombWidth {
            var writer = ByteWriter()
            var bits = BitWriter()
            for number in numbers { bits.write(golomb: number, parameter, &writer) }
            bits.finish(&writer)
            try writer.withBytes { bytes in
                var reader = BitReader(bytes)
                for number in numbers { try #require(reader.readGolomb(parameter) == number, "parameter \(parameter)") }
                #expect(reader.isInLastByte && !reader.isBehindEnd)
            }
        }
    }
}
