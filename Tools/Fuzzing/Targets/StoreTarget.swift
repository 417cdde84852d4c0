// The file of a store that was damaged, or that a stranger changed.
//
// An input is a byte of choices and changes of the kept file `store.base`: a kind, a page, an offset and what the kind
// needs. Choices: 1: the whole file is checked at opening; 2: opened for reading only; 4: verified instead of used.
//
// Always holds, and is checked: whatever is wrong is reported by a typed error of the store.

import Foundation
import LMDB
@testable import ListModel
@testable import Listory
import TestSupport

enum StoreTarget {
    private static let pageSize = 4_096
    private static let most = 24

    /// The file that inputs change.
    static let basePath = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("store.base").path

    private static let base: Result<[UInt8], any Error> = Result {
        let path = ProcessInfo.processInfo.environment["LISTORY_FUZZ_BASE"] ?? basePath
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let choices = input.byte()
        var bytes = try base.get()
        var changes = 0
        while !input.isAtEnd && changes < most {
            change(&bytes, &input)
            changes += 1
        }
        let folder = try TemporaryFolder(in: scratch)
        let path = folder.file("fuzz.store")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try typed { try DataFile.check(path: path, depth: .full) }
        if choices & 4 != 0 { return try typed { _ = try StoreVerification(path: path) } }
        var options = options
        options.gate = choices & 1 == 0 ? .quick : .full
        options.isReadOnly = choices & 2 != 0
        try typed {
            let store = try UntypedStore.open(at: path, options: options)
            defer { try? store.close(discardingUnappended: true) }
            try use(store)
        }
    }

    /// One change of the file.
    private static func change(_ bytes: inout [UInt8], _ input: inout FuzzInput) {
        let kind = input.byte()
        let page = Int(input.byte()) * pageSize % max(pageSize, bytes.count)
        let place = page + input.word() % pageSize
        switch kind % 8 {
        case 0...3:
            let new = input.bytes(Int(kind / 8) % 16 + 1)
            for (index, byte) in new.enumerated() where place + index < bytes.count { bytes[place + index] = byte }
        case 4:
            // A page number, a size or a count that is a little different.
            guard place + 1 < bytes.count else { return }
            let word = UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
            let new = word &+ UInt16(truncatingIfNeeded: Int(Int8(bitPattern: input.byte())))
            (bytes[place], bytes[place + 1]) = (UInt8(new & 0xFF), UInt8(new >> 8))
        case 5:
            let other = Int(input.byte()) * pageSize
            guard other + pageSize <= bytes.count, page + pageSize <= bytes.count else { return }
            bytes.replaceSubrange(page..<page + pageSize, with: bytes[other..<other + pageSize])
        case 6:
            guard page + pageSize <= bytes.count else { return }
            bytes.replaceSubrange(page..<page + pageSize, with: repeatElement(0, count: pageSize))
        default: bytes.removeLast(max(0, bytes.count - place))
        }
    }

    /// Where files are made: in memory, if there is such a folder.
    static let scratch: String? =
        ProcessInfo.processInfo.environment["LISTORY_FUZZ_SCRATCH"]
        ?? (FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : nil)

    private static var options: StoreOptions {
        var options = StoreOptions()
        options.checkpoints.isBackground = false
        options.limits = FuzzSamples.limits
        options.maximumFileSize = 16 << 20
        options.memoryBudget = 1 << 20
        options.journal.storeDelay = .seconds(1_000)
        options.now = { Timestamp(microseconds: 9) }
        return options
    }

    /// Runs `body`. An error of the store is an answer.
    static func typed(_ body: () throws -> Void) throws {
        do { try body() } catch is ListError {} catch is LMDBError {} catch is RecordError {} catch is NodeError {}
    }

    private static func use(_ store: UntypedStore) throws {
        try typed { try ListUse.read(store.snapshot, FuzzLog()) }
        let newest = (try? store.version.rawValue) ?? 0
        for part in 1..<4 as Range<UInt64> {
            try typed { try ListUse.read(store.snapshot(at: Version(newest / 4 * part)), FuzzLog()) }
        }
        if newest > 0 {
            try typed { try store.forEachCommit(in: Version(1)...Version(newest)) { _ = try $0.events() } }
        }
        for index in 0..<3 as Range<Int64> {
            try typed {
                try store.edit("change") { list in
                    try list.insertSection(NewSection(id: .string("fresh \(index)")))
                    try list.insert(NewRow(id: .integer(-90 - index), content: [1]), at: .at(ListIndexPath(0, 0)))
                    try list.delete(.at(ListIndexPath(0, 3)))
                }
            }
        }
        try typed { try store.undo(2) }
        try typed { try store.checkpoint() }
        try typed { try store.close() }
    }

    /// Writes the file that inputs change: sections, rows, large contents, checkpoints, free pages, and a journal with
    /// commits that are nowhere else.
    public static func makeBase(at path: String) throws {
        let folder = try TemporaryFolder(in: scratch)
        var options = options
        options.journal.size = 2 * pageSize - JournalOptions.pageHeaderSize
        options.checkpoints.atClose = false
        let store = try UntypedStore.create(at: folder.file("base"), options: options)
        try store.edit("sections") { list in
            try list.insertSection(NewSection(id: "a", title: "A"))
            try list.insertSection(NewSection(id: 2, title: "B", items: [NewRow(id: "two", content: [2])]))
        }
        for round in 0..<6 as Range<Int64> {
            try store.edit("rows", origin: round % 2 == 0 ? "" : "phone") { list in
                let rows = (0..<9).map {
                    NewRow(
                        id: .integer(round * 10 + $0), content: [UInt8](repeating: 7, count: $0 == 5 ? 4_500 : 6),
                        depth: Int($0 % 3))
                }
                try list.insert(rows, at: .at(ListIndexPath(0, 0)))
                if round > 2 { try list.delete(.run(ListIndexPath(0, 12), count: 8)) }
            }
            if round == 2 || round == 4 { try store.checkpoint() }
        }
        try store.undo()
        try Data(contentsOf: URL(fileURLWithPath: folder.file("base"))).write(to: URL(fileURLWithPath: path))
        try store.close(discardingUnappended: true)
    }

    /// Whether the kept file can be read without an error; what is wrong otherwise.
    static func checkBase() throws {
        let folder = try TemporaryFolder(in: scratch)
        let path = folder.file("fuzz.store")
        try Data(base.get()).write(to: URL(fileURLWithPath: path))
        let found = try StoreVerification(path: path)
        try BrokenPromise.check(
            found.journalCommitCount > 0 && found.checkpointCount > 1, "the kept store has no journal or checkpoints")
    }

    /// The file as it is, in each way; and a change of each kind.
    static func seeds() -> [[UInt8]] {
        (0..<8).map { [$0] } + (0..<8).map { [0, $0, $0 + 1, 16, 0, 1, 2, 3] }
            + [[1, 0, 0, 24, 0, 9], [0, 64, 1, 40, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255]]
    }
}
