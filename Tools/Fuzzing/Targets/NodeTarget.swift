// A checkpoint, its locators, and the nodes and chunks of both, which a stranger wrote.
//
// An input is a byte of choices and values, each after its length: the checkpoint, the locators, a number list, and the
// values that are stored under 1, 2 …. Choice 1: all of them get right checksums. A value may be a run: then the next one is
// stored under the first number after it.
//
// Always holds, and is checked: whatever cannot be read is reported as damage; nothing asks for memory by a number that
// the bytes claim.

@testable import ListModel
import TestSupport

/// A value, and the number under which it is stored.
private typealias FuzzValue = (first: UInt64, bytes: [UInt8])

/// Nodes in an array of values.
private final class FuzzNodes: NodeSource {
    private let values: [FuzzValue]

    init(_ values: [FuzzValue]) { self.values = values }

    func readNode(_ number: UInt64, _ body: (UnsafeRawBufferPointer?) -> Void) throws {
        guard let value = values.last(where: { $0.first <= number }) else { return body(nil) }
        value.bytes.withUnsafeBytes { body(NodeRun.node(number, in: (value.first, $0))) }
    }

    func saysDamage(_ error: any Error) -> Bool { true }

    func scan() -> any NodeSource { self }
}

enum NodeTarget {
    private static let version = Version(3)
    private static let most: UInt64 = 256

    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let isSealed = input.byte() & 1 != 0
        func value(_ number: UInt64) -> [UInt8] {
            let bytes = input.piece()
            return isSealed ? sealed(bytes, number) : bytes
        }
        let first = value(version.rawValue)
        let second = value(version.rawValue)
        let numbers = value(0)
        var (values, next): ([FuzzValue], UInt64) = ([], 1)
        while !input.isAtEnd && next <= most {
            let bytes = value(next)
            values.append((next, bytes))
            bytes.withUnsafeBytes { bytes in
                _ = StoredValue(bytes, number: next)
                next = NodeRun.lastNumber((next, bytes)) + 1
                guard let run = NodeRun(bytes) else { return }
                _ = run.removing([run.first, next - 1])
            }
        }
        _ = numbers.withUnsafeBytes { StoredNumbers.numbers($0, seed: 0) }

        guard let checkpoint = first.withUnsafeBytes({ Checkpoint($0, version: version) }) else { return }
        try BrokenPromise.check(
            checkpoint.bytes.withUnsafeBytes { Checkpoint($0, version: version) } == checkpoint,
            "a checkpoint is not read as it is written")
        let source = FuzzNodes(values)
        let past = NodePool(limits: FuzzSamples.limits, source: source, cacheSize: 1 << 16, salt: 7)
        let snapshot = checkpoint.snapshot(past)
        try ListUse.read(snapshot, FuzzLog())

        // As if the locators were damaged: all rows are read.
        let rebuilding = NodePool(limits: FuzzSamples.limits, source: source, cacheSize: 1 << 16, salt: 7)
        try answer {
            let state = try ListState(rebuilding: checkpoint, rebuilding)
            if let failure = rebuilding.failure(since: 0) { throw failure }
            try state.checkInvariants(isFilled: false)
        }

        guard let locators = second.withUnsafeBytes({ StoredLocators($0, version: version) }),
            locators.fit(checkpoint)
        else { return }
        let pool = NodePool(limits: FuzzSamples.limits, source: source, cacheSize: 1 << 16, salt: 7)
        let state = ListState(checkpoint, locators, pool)
        for section in snapshot.sections.prefix(8) {
            _ = state.indexOfSection(section.id)
            for item in section.items.prefix(8) { _ = state.indexPath(of: item.id) }
        }
        _ = state.indexPath(of: "nowhere")
        let log = FuzzLog()
        var editor = UntypedEditor(state, checksum: checkpoint.checksum, source: log)
        try ListUse.edit(&editor, log)
        let after = editor.snapshot()
        try ListUse.read(after, log)
        if checkpoint.itemCount < 10_000, pool.damage == nil { _ = Changeset(from: snapshot, to: after) }
    }

    /// The value with a right checksum, as an attacker would make it.
    private static func sealed(_ bytes: [UInt8], _ number: UInt64) -> [UInt8] {
        guard bytes.count > NodeCoding.headerSize else { return bytes }
        // That of a run covers its beginning.
        let end = bytes.withUnsafeBytes { NodeRun($0).map { NodeRun.beginningSize($0.count) } ?? bytes.count }
        let sum = bytes.withUnsafeBytes {
            XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[NodeCoding.headerSize..<end]), seed: number)
        }
        return withUnsafeBytes(of: UInt32(truncatingIfNeeded: sum).littleEndian) { Array($0) }
            + bytes[NodeCoding.headerSize...]
    }

    /// Checkpoints of random lists.
    static func seeds() throws -> [[UInt8]] {
        try ([1, 2, 4, 7] as [UInt64]).flatMap { seed in
            let log = FuzzLog()
            let pool = NodePool(limits: FuzzSamples.limits, source: FuzzNodes([]), salt: seed == 1 ? 0 : 7)
            var editor = UntypedEditor(ListState(pool), source: log)
            try FuzzSamples.fill(&editor, log, seed: seed, commits: 3)
            let image = editor.state.captureCheckpoint(nextNumber: 1)
            var (nodes, runs, count): ([[UInt8]], NodeRunWriter, UInt64) = ([], NodeRunWriter(), 0)
            func append(_ first: UInt64, _ value: [UInt8]) { nodes.append(value) }
            var writer = CheckpointWriter(image) { number, bytes in
                precondition(number == count + 1, "a first checkpoint numbers its values from 1 on")
                count = number
                runs.add(number, bytes, append)
                // For two of the seeds, each is stored by itself.
                if seed >= 4 { runs.finish(append) }
            }
            let last = try log.commit(version).checksum
            let checkpoint = try writer.write(eventCount: 3, work: 3, checksum: last, after: nil, pool)
            runs.finish(append)
            let pieces =
                [checkpoint.bytes, image.locators.bytes(version), StoredNumbers.bytes([2, 5, 900], seed: 0)] + nodes
            let bytes = pieces.flatMap(FuzzInput.piece)
            return [[0] + bytes, [1] + bytes]
        }
    }
}
