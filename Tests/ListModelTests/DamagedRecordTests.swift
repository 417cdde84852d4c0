// Tests records with accidental damage: truncated, with flipped bits, or at the wrong place. The checksum detects all
// of it.

@testable import ListModel
import TestSupport
import Testing

@Suite("Damaged records")
struct DamagedRecordTests {
    /// A log of a few commits that together have every kind of event.
    static func log() throws -> [[UInt8]] {
        var list = MemoryList()
        try list.commit("fill") { editor in
            try editor.insertSection(
                NewSection(
                    id: "a", title: "A",
                    items: [
                        NewRow(id: 1, content: [1, 2, 3]), NewRow(id: "two", isChecked: true, content: []),
                    ]))
            try editor.insert([NewRow(id: 3, content: [9])], at: .end(ofSection: "a"))
            try editor.insertSection(NewSection(id: 5))
        }
        try list.commit("change") { editor in
            try editor.move(.run(ListIndexPath(section: 0, item: 0), count: 2), to: .end(ofSection: 5))
            try editor.toggle(.item(1))
            try editor.update(3, content: [8, 8])
            try editor.moveSection(.at(0), to: .end)
            try editor.renameSection(.section("a"), to: "Ä")
            try editor.delete(.item("two"))
            try editor.deleteSection(.section("a"))
        }
        try list.commit("reload") { try $0.reload([NewSection(id: "z", items: [NewRow(id: 9, content: [0])])]) }
        try list.undo()
        try list.undo()
        try list.redo()
        return (1...list.log.head.rawValue).map { list.log.record(of: Version($0)) }
    }

    @Test("A record truncated at any byte is refused")
    func truncation() throws {
        for (index, record) in try Self.log().enumerated() {
            let version = Version(UInt64(index) + 1)
            for count in 0..<record.count {
                let problem = TestRecords.problem(Array(record[..<count]), version: version)
                switch problem {
                case .truncated where count < RecordLayout.variable: break
                case .checksum where count >= RecordLayout.variable: break
                default: Issue.record("\(count) bytes of commit \(version): \(String(describing: problem))")
                }
            }
            #expect(TestRecords.problem(record, version: version) == nil)
        }
    }

    @Test("A record with any bit flipped is refused for its checksum")
    func bitFlips() throws {
        for (index, record) in try Self.log().enumerated() {
            let version = Version(UInt64(index) + 1)
            for bit in 0..<record.count * 8 {
                var damaged = record
                damaged[bit / 8] ^= 1 << UInt8(bit % 8)
                let problem = TestRecords.problem(damaged, version: version)
                guard case .checksum = problem else {
                    Issue.record("bit \(bit) of commit \(version): \(String(describing: problem))")
                    continue
                }
            }
        }
    }

    @Test("A record with extra bytes at its end is refused for its checksum")
    func trailingBytes() throws {
        for (index, record) in try Self.log().enumerated() {
            let problem = TestRecords.problem(record + [0], version: Version(UInt64(index) + 1))
            guard case .checksum = problem else {
                Issue.record("commit \(index + 1): \(String(describing: problem))")
                continue
            }
        }
    }

    @Test("A record in the place of another version is refused for its checksum")
    func otherVersion() throws {
        let log = try Self.log()
        for (index, record) in log.enumerated() {
            for version in 0...UInt64(log.count) + 1 where version != UInt64(index) + 1 {
                guard case .checksum = TestRecords.problem(record, version: Version(version)) else {
                    Issue.record("commit \(index + 1) passes for version \(version)")
                    continue
                }
            }
        }
    }

    @Test("A record that does not continue the one before is refused for its link")
    func wrongLink() throws {
        let log = try Self.log()
        let first = try Commit(record: log[0], version: Version(1), previousChecksum: 0)
        let second = try Commit(record: log[1], version: Version(2), previousChecksum: first.checksum)
        #expect(try Commit(record: log[1], version: Version(2)).checksum == second.checksum)
        let expected = UInt32(truncatingIfNeeded: first.checksum)
        #expect(
            TestRecords.problem(log[1], version: Version(2), previousChecksum: first.checksum ^ 1)
                == .link(expected: expected ^ 1, found: expected))
        #expect(TestRecords.problem(log[0], version: Version(1), previousChecksum: 7) == .link(expected: 7, found: 0))
        var state = ListState()
        #expect(throws: RecordError.self) {
            try log[0].withUnsafeBytes { _ = try state.replay($0, previousChecksum: 1) }
        }
        #expect(state.version == .empty)
    }

    @Test("Formats, causes, flags and kinds of a newer release are refused by different errors")
    func newerLibrary() throws {
        let version = Version(3)
        let record = TestRecords.record(of: [.sectionMoved(from: 0, to: 1, 7)], version: version)
        let eventsOffset = try Commit(record: record, version: version).eventsOffset
        func problem(_ byte: UInt8, at offset: Int) -> RecordError.Problem? {
            TestRecords.problem(
                TestRecords.resealed(record, version: version, byte: byte, at: offset), version: version)
        }
        for format in [0, 1, 3, 255] as [UInt8] {
            #expect(problem(format, at: 12) == .unknownFormat(found: Int(format)))
        }
        for cause in [6, 255] as [UInt8] {
            #expect(problem(cause, at: 13) == .unknown(what: "cause", found: Int(cause)))
        }
        #expect(problem(3, at: 14) == .unknown(what: "flags", found: 3))
        for bit in 4..<16 {
            #expect(
                problem(1 << UInt8(bit % 8), at: 14 + bit / 8) == .unknown(what: "flags", found: 1 << bit))
        }
        // Flags are checked first, because they can decide what follows a cause.
        let undo = TestRecords.resealed(record, version: version, byte: 1, at: 13)
        #expect(
            TestRecords.problem(TestRecords.resealed(undo, version: version, byte: 16, at: 14), version: version)
                == .unknown(what: "flags", found: 16))
        for kind in [0, 13, 127] as [UInt8] {
            #expect(problem(kind, at: eventsOffset) == .unknown(what: "kind of event", found: Int(kind)))
        }
    }

    @Test("An error names the commit and the byte, and says what was expected and found")
    func descriptions() throws {
        let record = TestRecords.record(of: [.sectionMoved(from: 0, to: 1, 7)], version: Version(3))
        let offset = try Commit(record: record, version: Version(3)).eventsOffset
        let damaged = TestRecords.resealed(record, version: Version(3), byte: 42, at: offset)
        let error = #expect(throws: RecordError.self) { try Commit(record: damaged, version: Version(3)).events() }
        #expect(error?.version == Version(3))
        #expect(error?.offset == offset)
        #expect(
            error?.description
                == "commit 3, byte \(offset): unknown kind of event 42: written by a newer version of the library")
        let link = RecordError(version: Version(2), offset: 8, problem: .link(expected: 0xAB, found: 0xCD))
        #expect(link.description.contains("expected the link ab, found cd"))
        let checksum = RecordError(version: Version(2), offset: 0, problem: .checksum(expected: 0x12, found: 0x34))
        #expect(checksum.description.contains("expected the checksum 12, found 34"))
    }

    @Test("A replay of a damaged log throws, and of the intact one gives every hash")
    func replay() throws {
        let log = try Self.log()
        for damagedIndex in log.indices {
            var state = ListState()
            var checksum: UInt64 = 0
            for (index, record) in log.enumerated() {
                var record = record
                if index == damagedIndex { record[record.count / 2] ^= 0x10 }
                let next = try? record.withUnsafeBytes {
                    try state.replay($0, previousChecksum: checksum, check: .everyHash)
                }
                try #require((next == nil) == (index == damagedIndex), "commit \(index + 1)")
                guard let next else { break }
                checksum = next
            }
            #expect(state.version == Version(UInt64(damagedIndex)))
        }
    }

    @Test("Content that extends beyond its record is an error")
    func contentOutsideTheRecord() throws {
        let source = ArraySource(records: try Self.log())
        let count = UInt32(source.records[0].count)
        for (offset, length) in [(count, 1), (0, count + 1), (.max - 1, .max), (count - 1, 2)] as [(UInt32, UInt32)] {
            let reference = ContentReference(version: Version(1), offset: offset, length: length, hash: 0)
            #expect(throws: RecordError.self) { try source.content(of: reference) }
        }
        let erased = ContentReference(version: Version(1), offset: .max, length: 1, hash: 0)
        #expect(throws: ListError.erasedContent(1)) { try source.content(of: erased) }
        let last = ContentReference(version: Version(1), offset: count - 1, length: 1, hash: 0)
        #expect(try source.content(of: last) == [source.records[0][Int(count) - 1]])
        let missing = ContentReference(version: Version(99), offset: 0, length: 0, hash: 0)
        #expect(throws: ArraySource.Missing.self) { try source.content(of: missing) }
    }
}
