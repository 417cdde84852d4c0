// Tests checkpoints, locators, nodes and chunks that an attacker made: any bytes, with a right checksum.

@testable import ListModel
import TestSupport
import Testing

@Suite("Hostile nodes")
struct HostileNodeTests {
    /// The outcome of reading and editing a list with a hostile value.
    private enum Outcome: Hashable { case refused, damaged, sound }

    /// The value with a right checksum.
    static func resealed(_ bytes: [UInt8], _ number: UInt64) -> [UInt8] {
        guard bytes.count > NodeCoding.headerSize else { return bytes }
        let sum = bytes.withUnsafeBytes {
            XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[NodeCoding.headerSize...]), seed: number)
        }
        return withUnsafeBytes(of: UInt32(truncatingIfNeeded: sum).littleEndian) { Array($0) }
            + bytes[NodeCoding.headerSize...]
    }

    /// The values of a stored list.
    private struct Subject {
        var version: Version
        var checkpoint: [UInt8]
        var locators: [UInt8]
        var nodes: MemoryNodes
        var records: [[UInt8]]
    }

    private static let limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)

    private static func subject(_ seed: UInt64) throws -> Subject {
        var edits = RandomEdits(seed: seed, targetCount: 60)
        var stored = StoredList(limits, salt: seed)
        while stored.list.log.head.rawValue < 60 {
            let list = try stored.list.contents()
            // Some edits do not fit.
            _ = try? stored.list.commit { try $0.apply(edits.next(list)) }
            // So that some nodes are stored as patches.
            if stored.list.log.head.rawValue % 5 == 0 { try stored.checkpoint() }
        }
        let (kept, rows) = (stored.kept, stored.locators)
        let checkpoint = try #require(kept.last).checkpoint
        let locators = try #require(rows)
        let log = stored.list.log
        return Subject(
            version: checkpoint.version, checkpoint: checkpoint.bytes,
            locators: locators.bytes(checkpoint.version), nodes: stored.nodes,
            records: (1...log.head.rawValue).map { log.record(of: Version($0)) })
    }

    /// Reads, looks up and edits; no error but the typed ones.
    private static func outcome(_ subject: Subject) throws -> Outcome {
        guard let checkpoint = subject.checkpoint.withUnsafeBytes({ Checkpoint($0, version: subject.version) }),
            let locators = subject.locators.withUnsafeBytes({ StoredLocators($0, version: subject.version) }),
            locators.fit(checkpoint)
        else { return .refused }
        let pool = NodePool(limits: limits, source: subject.nodes, salt: 1)
        let state = ListState(checkpoint, locators, pool)
        let snapshot = checkpoint.snapshot(pool)
        for section in snapshot.sections.prefix(20) {
            _ = state.indexOfSection(section.id)
            for item in section.items.prefix(20) { _ = state.indexPath(of: item.id) }
            if let last = section.items.indices.last { _ = section.items[last] }
        }
        var editor = UntypedEditor(
            state, checksum: checkpoint.checksum, source: ArraySource(records: subject.records))
        let draft = CommitDraft(name: "", time: Timestamp(microseconds: 0))
        func attempt(_ body: (inout UntypedEditor) throws -> Void) throws {
            do { try body(&editor) } catch is ListError {} catch is RecordError {} catch is NodeError {
            } catch is ArraySource.Missing {}
        }
        try attempt { _ = try $0.commit(draft) { try $0.insertSection(NewSection(id: "fresh"), at: .at(0)) } }
        try attempt { list in
            _ = try list.commit(draft) { try $0.insert(NewRow(id: "new", content: [1]), at: .at(ListIndexPath(1, 0))) }
        }
        try attempt { _ = try $0.commit(draft) { try $0.delete(.run(ListIndexPath(1, 1), count: 5)) } }
        try attempt { list in
            _ = try list.commit(draft) { try $0.move(.at(ListIndexPath(1, 1)), to: .end(ofSection: "fresh")) }
        }
        try attempt { _ = try $0.undo(time: Timestamp(microseconds: 0)) }
        _ = Changeset(from: snapshot, to: editor.snapshot())
        return pool.damage == nil ? .sound : .damaged
    }

    /// Numbers that a count, a length or a difference may be, as varints.
    static let greatNumbers: [[UInt8]] = {
        let numbers: [UInt64] = [1 << 31, 1 << 32, 1 << 53, 1 << 62, (1 << 63) - 1, 1 << 63, .max]
        return numbers.map { number in
            var writer = ByteWriter()
            writer.write(varint: number)
            return writer.withBytes { Array($0) }
        }
    }()

    @Test("A value with any bytes and a right checksum is refused, damaged or read, without a crash", arguments: 1...4)
    func damage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let subject = try Self.subject(seed)
        #expect(try Self.outcome(subject) == .sound)
        #expect(subject.nodes.numbers.contains { subject.nodes[$0]!.withUnsafeBytes { NodePatch.isPatch($0) } })
        let numbers = subject.nodes.numbers
        var outcomes: [Outcome: Int] = [:]
        for round in 0..<600 * Soak.factor {
            var hostile = subject
            // Several values of the list, because one that does not fit the others is refused early.
            var old: [UInt64: [UInt8]] = [:]
            func spoil(_ bytes: [UInt8], _ number: UInt64) -> [UInt8] {
                var bytes = bytes
                let place = Int.random(in: NodeCoding.headerSize..<bytes.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[place] ^= 1
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + 2))
                case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 5)], at: place)
                default:
                    bytes.replaceSubrange(
                        place...place, with: Self.greatNumbers.randomElement(using: &generator)!)
                }
                return Self.resealed(bytes, number)
            }
            switch round % 4 {
            case 0: hostile.checkpoint = spoil(hostile.checkpoint, subject.version.rawValue)
            case 1: hostile.locators = spoil(hostile.locators, subject.version.rawValue)
            default:
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let number = numbers.randomElement(using: &generator)!
                    let bytes = subject.nodes[number]!
                    old[number] = old[number] ?? bytes
                    subject.nodes[number] = spoil(bytes, number)
                }
            }
            do { outcomes[try Self.outcome(hostile), default: 0] += 1 } catch {
                Issue.record("seed \(seed), round \(round): \(error)")
            }
            for (number, bytes) in old { subject.nodes[number] = bytes }
        }
        #expect(outcomes.count == 3, "\(outcomes)")
    }
}
