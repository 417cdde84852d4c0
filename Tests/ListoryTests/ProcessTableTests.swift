// Tests what processes tell each other in the process table, without the races of several processes.

import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("The process table")
struct ProcessTableTests {
    @Test("A header or a slot with any changed byte is not whole, and one without a change is")
    func damage() {
        var header = TableFormat.Header()
        header.generation = 7
        header.end.head.version = Version(5)
        header.end.stored = Version(3)
        let slot = TableFormat.Slot(purpose: 1, leases: ProcessLeases([Version(4), Version(9)], located: Version(9)))
        #expect(header.bytes.withUnsafeBytes({ TableFormat.Header($0) })?.end == header.end)
        #expect(slot.bytes.withUnsafeBytes({ TableFormat.Slot($0) })?.leases == slot.leases)
        for index in header.bytes.indices {
            var bytes = header.bytes
            bytes[index] ^= 4
            #expect(bytes.withUnsafeBytes({ TableFormat.Header($0) }) == nil, "byte \(index)")
        }
        for index in slot.bytes.indices {
            var bytes = slot.bytes
            bytes[index] ^= 4
            #expect(bytes.withUnsafeBytes({ TableFormat.Slot($0) }) == nil, "byte \(index)")
        }
    }

    @Test("Every checkpoint that a process needs is needed by the leases that others read, however many there are")
    func leases() throws {
        for count in 0...3 * ProcessLeases.limit {
            let versions = (0..<count).map { Version(UInt64(10 + 3 * $0)) }
            for located in [nil, Version(9), Version(11)] + versions {
                let leases = ProcessLeases((versions + versions.prefix(1)).shuffled(), located: located)
                let read = try Self.read(TableFormat.Slot(purpose: 2, leases: leases).bytes)
                #expect(read == leases)
                #expect(read.isEmpty == versions.isEmpty)
                for version in versions { #expect(read.contains(version), "\(version) of \(count)") }
                #expect(!read.contains(Version(9)), "\(count)")
                // What cannot be stated becomes the first one, which is rather too old. If there are many, it alone is listed.
                let isStated = located.map { count <= ProcessLeases.limit && versions.contains($0) } ?? true
                #expect(read.located == (isStated ? located : versions.first))
            }
        }
    }

    @Test("A process of an earlier build, which says nothing of locators, needs those of its oldest checkpoint")
    func earlierBuild() throws {
        for versions in [[], [4], [4, 9]] as [[UInt64]] {
            var bytes = [UInt8](repeating: 0, count: TableFormat.slotSize)
            func put(_ word: UInt64, at index: Int) {
                withUnsafeBytes(of: word.littleEndian) { bytes.replaceSubrange(8 * index..<8 * (index + 1), with: $0) }
            }
            for (index, word) in ([1, UInt64(versions.count), 0] + versions).enumerated() { put(word, at: index + 1) }
            put(bytes[8...].withUnsafeBytes { XXHash64.hash($0, seed: UInt64(TableFormat.slotSize)) }, at: 0)
            let expected = ProcessLeases(versions.map { Version($0) }, located: versions.first.map { Version($0) })
            #expect(try Self.read(bytes) == expected)
        }
    }

    private static func read(_ bytes: [UInt8]) throws -> ProcessLeases {
        try #require(bytes.withUnsafeBytes { TableFormat.Slot($0) }).leases
    }

    @Test("Until a head is replaced by one of a newer checkpoint, the locators of the older one are needed")
    func twoHeads() {
        var table = LeaseTable()
        let old = table.leaseWithLocators(Version(3))
        let new = table.leaseWithLocators(Version(8))
        #expect(table.located == Version(3))
        #expect(table.versions == [Version(3), Version(8)])
        withExtendedLifetime((old, new)) {}
    }

    @Test("A closed store whose snapshots are still read needs their checkpoint, and no locators")
    func closedStore() throws {
        let fixture = try StoreFixture(CheckpointTests.onRequest)
        try fixture.fill(100)
        try fixture.store.checkpoint()
        let version = fixture.store.checkpointVersion
        func leases() throws -> [ProcessLeases] {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: ProcessTable.path(of: fixture.path))))
            return (0..<TableFormat.slotCount).compactMap { TableFormat.slot($0, in: bytes)?.leases }
        }
        let snapshot = try fixture.store.snapshot
        #expect(try leases() == [ProcessLeases([version], located: version)])
        try fixture.store.close()
        #expect(try leases() == [ProcessLeases([version], located: nil)])
        #expect(snapshot.itemCount == 100)
    }

    @Test("An older look at the slots, noted late, does not hide a process that has joined since")
    func lateLook() {
        var company = ProcessTable.Company()
        company.note(false, at: 1)
        #expect(company.isThere(at: 1) == false)
        #expect(company.isThere(at: 2) == nil)
        company.note(true, at: 2)
        company.note(false, at: 1)
        #expect(company.isThere(at: 2) == true)
        // It has left.
        company.note(false, at: 2)
        company.note(true, at: 2)
        #expect(company.isThere(at: 2) == false)
    }

    @Test("The published end never becomes older, and is published only while another process is there")
    func publishing() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try UntypedStore.create(at: path).close()
        let environment = try Environment.open(path: path)
        let table = try #require(try ProcessTable.join(environment))
        func end(_ version: UInt64, stored: UInt64) -> ProcessTable.Published {
            var head = LogPosition()
            head.version = Version(version)
            return ProcessTable.Published(head: head, stored: Version(stored))
        }
        try environment.whileNobodyWrites { try table.publish(end(8, stored: 2)) }
        #expect(try table.published() == nil)
        let other = try ChildProcess("StoreWriter", [path, "steps"])
        while try table.neighbours().isEmpty { usleep(200) }
        for (version, stored) in [(10, 2), (5, 4), (9, 3), (11, 1)] as [(UInt64, UInt64)] {
            try environment.whileNobodyWrites { try table.publish(end(version, stored: stored)) }
            let published = try #require(try table.published())
            #expect(published.head.version.rawValue == max(10, version))
            #expect(published.stored.rawValue == (version == 10 ? 2 : 4))
        }
        var replaced = end(11, stored: 1)
        replaced.head.checksum = 7
        try environment.whileNobodyWrites { try table.publish(replaced) }
        #expect(try table.published()?.head == replaced.head, "a replica replaces commits by as many")
        _ = other.kill()
        #expect(try table.neighbours().isEmpty)
        try environment.close()
    }

    @Test("If the table has the greatest number of joins, a process joins all the same, and others hear of its commits")
    func greatestGeneration() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try UntypedStore.create(at: path).close()
        let other = try ChildProcess("StoreWriter", [path, "reads"])
        #expect(other.firstLine() == "reading")
        var header = TableFormat.Header()
        header.generation = .max
        let file = try #require(FileHandle(forWritingAtPath: ProcessTable.path(of: path)))
        try file.write(contentsOf: header.bytes)
        try file.close()
        let store = try UntypedStore.open(at: path)
        #expect(try store.otherProcesses().count == 1)
        try store.edit("Edit") { try $0.insertSection(NewSection(id: "rows")) }
        #expect(try store.group.log.journal.table?.published()?.head.version == Version(1))
        other.kill()
        try store.close()
    }

    @Test("Leases that could not be written are written by the next call, although they have not changed since")
    func failedLeases() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try UntypedStore.create(at: path).close()
        let environment = try Environment.open(path: path)
        let table = try #require(try ProcessTable.join(environment))
        let file = ProcessTable.path(of: path)
        let descriptor = try #require(Self.descriptor(of: file))
        // In its place, one that cannot be written to.
        let (sound, readOnly) = (dup(descriptor), open(file, O_RDONLY))
        #expect(dup2(readOnly, descriptor) == descriptor)
        let needs = ProcessTable.Needs(versions: [Version(7)])
        #expect(throws: LMDBError.self) { try table.setLeases(of: environment) { needs } }
        #expect(dup2(sound, descriptor) == descriptor)
        try table.setLeases(of: environment) { needs }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        let leases = (0..<TableFormat.slotCount).compactMap { TableFormat.slot($0, in: bytes)?.leases }
        #expect(leases.flatMap(\.versions) == [Version(7)])
        for copy in [sound, readOnly] { _ = close(copy) }
        try environment.close()
    }

    /// The number under which this process has a file open.
    private static func descriptor(of path: String) -> Int32? {
        var wanted = stat()
        guard stat(path, &wanted) == 0 else { return nil }
        return (0..<65_536 as Range<Int32>).first { number in
            var found = stat()
            return fstat(number, &found) == 0 && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev
        }
    }

    @Test("If opening fails after a crash, the next process still knows that the log may not be on the device")
    func failedRecovery() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try UntypedStore.create(at: path).close()
        let crashed = try ChildProcess("StoreWriter", [path, "steps"])
        try Data().write(to: URL(fileURLWithPath: "\(path)-step1"))
        #expect(crashed.firstLine().hasPrefix("1 "))
        _ = crashed.kill()
        let holder = Locked<ChildProcess?>(nil)
        let error = #expect(throws: ListError.self) {
            _ = try UntypedStore.open(at: path) { options in
                options.lockTimeout = .milliseconds(50)
                // After it has joined the table.
                options.journal.whenFound = {
                    let other = try? ChildProcess("LMDBTestHelper", ["hold-writer", path])
                    _ = other?.firstLine()
                    holder.withLock { $0 = other }
                }
            }
        }
        #expect(error?.code == "busy")
        holder.withLock { _ = $0?.kill() }
        for followsCrash in [true, false] {
            let environment = try Environment.open(path: path)
            let table = try #require(try ProcessTable.join(environment))
            #expect(table.followsCrash == followsCrash)
            table.noteRecovery()
            try environment.close()
        }
    }

    @Test("A process that cannot use the table may not edit: the others would not hear of it")
    func unusable() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try UntypedStore.create(at: path).close()
        let table = path + "-processes"
        try FileManager.default.removeItem(atPath: table)
        try FileManager.default.createDirectory(atPath: table, withIntermediateDirectories: false)
        let error = #expect(throws: ListError.self) { try UntypedStore.open(at: path) }
        #expect(error?.description.contains(table) == true)
        try FileManager.default.removeItem(atPath: table)
        try UntypedStore.open(at: path).close()
    }

    @Test("A fork of a process can do nothing with its store, and the parent's is not affected")
    func fork() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try UntypedStore.create(at: path).close()
        #expect(try ChildProcess("StoreWriter", [path, "fork"]).lines() == ["not refused: 0", "version 2"])
        #expect(try StoreVerification(path: path).version == Version(2))
    }

    @Test("The journal is followed to a published end, not further")
    func following() throws {
        let fixture = try StoreFixture { $0.journal.storeDelay = .seconds(3_600) }
        try fixture.fill(2)
        for _ in 0..<6 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        let journal = fixture.store.group.log.journal
        let (first, last) = (try journal.storedVersion().rawValue + 1, try fixture.store.version.rawValue)
        #expect(first < last)
        for version in first...last {
            #expect(try journal.readCopy(through: Version(version)).0.head.version.rawValue == version)
        }
        #expect(try journal.readCopy().0.head.version.rawValue == last)
        try fixture.store.close()
    }
}
