import SharedLog
import Testing

@Suite struct EntryTests {
    /// The bytes of an entry, derived by hand from the layout; its checksum is that of the published XXH64.
    @Test func theBytesOfAnEntryAreThoseOfTheFormat() throws {
        let entry = LogEntry(number: 0, link: 0x0807_0605_0403_0201, payload: [])
        // XXH64 of nothing with seed 0.
        #expect(entry.checksum == 0xEF46_DB37_51D8_E999)
        #expect(entry.encoded() == [1, 1, 2, 3, 4, 5, 6, 7, 8, 0x99, 0xE9, 0xD8, 0x51, 0x37, 0xDB, 0x46, 0xEF])
        // XXH64 of "abc" with seed 0.
        let text = LogEntry(number: 0, link: 0, payload: Array("abc".utf8))
        #expect(text.checksum == 0x44BC_2CF5_AD77_0999)
        #expect(text.encoded().suffix(3) == Array("abc".utf8))
    }

    @Test func anEntryIsReadFromItsBytes() throws {
        var generator = SeededGenerator(seed: 1)
        for size in 0..<200 {
            let payload = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let entry = LogEntry(number: generator.next() >> 1, link: generator.next(), payload: payload)
            #expect(try LogEntry(encoded: entry.encoded(), number: entry.number) == entry)
            #expect(entry.encoded().count == entry.encodedCount)
            // At another number it is another entry.
            #expect(throws: SharedLogError.self) { try LogEntry(encoded: entry.encoded(), number: entry.number + 1) }
        }
    }

    @Test func anyFlippedBitOfTheChecksumOrThePayloadIsNoticed() throws {
        let entry = LogEntry(number: 3, link: 77, payload: Array("a payload of some bytes".utf8))
        let next = LogEntry(after: entry.position, payload: [1])
        for bit in 0..<entry.encodedCount * 8 {
            var bytes = entry.encoded()
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            do {
                let found = try LogEntry(encoded: bytes, number: 3)
                // A bit of the link was flipped: the chain shows it.
                #expect((1..<9).contains(bit / 8))
                #expect(throws: SharedLogError.self) {
                    try LogChain.verify([found, next], after: LogPosition(number: 2, checksum: 77))
                }
            } catch SharedLogError.damaged(let place, _, _) {
                #expect(place == .entry(3))
            } catch SharedLogError.futureFormat {
                #expect(bit < 8)
            }
        }
    }

    @Test func hostileBytesGiveAnErrorOfTheRightKind() throws {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                Bool.random(using: &generator) ? 1 : UInt8.random(in: 0...255, using: &generator)
            }
            #expect(throws: SharedLogError.self) { try LogEntry(encoded: bytes, number: generator.next()) }
        }
        #expect(throws: SharedLogError.futureFormat(.entry(4), expected: 1, found: 2)) {
            try LogEntry(encoded: [2], number: 4)
        }
        #expect(throws: SharedLogError.damaged(.entry(4), expected: "an entry", found: "no bytes")) {
            try LogEntry(encoded: [], number: 4)
        }
    }

    @Test func aChainIsCheckedAtEachEntry() throws {
        let entries = LogPosition.beginning.entries("a", "b", "c", "d")
        #expect(try LogChain.verify(entries, after: .beginning) == entries[3].position)
        #expect(try LogChain.verify(Array(entries[2...]), after: entries[1].position) == entries[3].position)
        #expect(try LogChain.verify([], after: entries[1].position) == entries[1].position)
        for missing in 0..<3 {
            var others = entries
            others.remove(at: missing)
            #expect(throws: SharedLogError.self) { try LogChain.verify(others, after: .beginning) }
        }
        let forged = LogEntry(number: 3, link: entries[1].checksum, payload: Array("other".utf8))
        #expect(try LogChain.verify([forged], after: entries[1].position) == forged.position)
        #expect(throws: SharedLogError.self) { try LogChain.verify([forged, entries[3]], after: entries[1].position) }
        let last = LogPosition(number: LogPosition.maximumNumber, checksum: 1)
        #expect(throws: SharedLogError.self) {
            try LogChain.verify([LogEntry(number: .max, link: 1, payload: [])], after: last)
        }
    }

    @Test func anErrorSaysWhatWhereAndWhat() {
        let errors: [(SharedLogError, String)] = [
            (.unavailable(cause: "no route"), "The shared log is unavailable: no route"),
            (
                .damaged(.entry(7), expected: "checksum a", found: "b"),
                "In the shared log, entry 7 is damaged: expected checksum a, found b"
            ),
            (
                .tooLarge(number: 9, bytes: 20, limit: 10),
                "The entry or the snapshot at 9 is too large for the shared log: it has 20 bytes, and the limit is 10"
            ),
            (.refused(.credentials, cause: "x"), "The server does not accept the credentials: x"),
            (.notFound(list: "a\u{1B}b\n"), "The server has no list “a\u{FFFD}b\u{FFFD}”"),
        ]
        for (error, text) in errors { #expect(error.description == text) }
    }
}
