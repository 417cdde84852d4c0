// The journal: what is in it when a store was not closed, and what damage and other processes do to it.

import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("The journal")
struct JournalTests {
    /// A store of which a few commits are in the journal only, as a file that nobody has open, and how many.
    private static func makeFile(_ folder: TemporaryFolder, _ sizes: [Int]) throws -> [UInt8] {
        let path = folder.file("source.listory")
        var options = StoreOptions()
        options.journal.size = (16 << 10) - JournalOptions.pageHeaderSize
        options.journal.storeDelay = .seconds(3_600)
        let store = try UntypedStore.create(at: path, options: options)
        // The first commit of a process goes into the database.
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "rows")) }
        for (number, size) in sizes.enumerated() {
            try store.edit("Insert") { list in
                let item = NewRow(id: .integer(Int64(number)), content: [UInt8](repeating: 7, count: size))
                try list.insert(item, at: .end(ofSection: "rows"))
            }
        }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        try store.close()
        return bytes
    }

    private static func write(_ bytes: [UInt8], _ path: String) throws {
        DataFile.remove(path)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// The entries of a file, with their offsets.
    private static func entries(_ bytes: [UInt8]) -> [(offset: Int, entry: JournalEntry)] {
        bytes.withUnsafeBytes { raw in
            stride(from: 0, to: raw.count, by: Journal.sectorSize).compactMap { offset in
                JournalEntry(UnsafeRawBufferPointer(rebasing: raw[offset...])).map { (offset, $0) }
            }
        }
    }

    @Test("Commits that a process left in it are found when the store is opened, for editing or for reading")
    func leftOver() throws {
        let folder = try TemporaryFolder()
        let bytes = try Self.makeFile(folder, [10, 2_000, 0, 600])
        #expect(Self.entries(bytes).count == 4)
        let path = folder.file("copy.listory")
        try Self.write(bytes, path)
        var reading = StoreOptions()
        reading.isReadOnly = true
        for options in [reading, StoreOptions(), StoreOptions()] {
            let store = try UntypedStore.open(at: path, options: options)
            #expect(store.recovery.lostVersion == nil)
            #expect(try store.version >= Version(5))
            #expect(try store.commit(Version(3)).name == "Insert")
            #expect(try store.snapshot(at: Version(2)).itemCount == 1)
            if !options.isReadOnly { try store.edit("More") { try $0.toggle(.item(1)) } }
            try store.close()
        }
        #expect(try StoreVerification(path: path).version == Version(7))
        #expect(try StoreVerification(path: path).journalCommitCount == 0, "closing leaves nothing in the journal")
        try Self.write(bytes, path)
        #expect(try StoreVerification(path: path).journalCommitCount == 4)
        let report = try UntypedStore.compact(at: path)
        #expect(report.version == Version(5))
        #expect(try UntypedStore.open(at: path).version == Version(5))
    }

    @Test("An entry with any changed byte is not valid")
    func damagedEntry() throws {
        let folder = try TemporaryFolder()
        let bytes = try Self.makeFile(folder, [10, 900])
        let last = try #require(Self.entries(bytes).last)
        #expect(last.entry.after.version == Version(3))
        let path = folder.file("copy.listory")
        // Every byte with the parser alone; some bytes with the whole store.
        for place in 0..<last.entry.size {
            var entry = Array(bytes[last.offset..<last.offset + last.entry.size])
            entry[place] ^= UInt8(1 << (place % 8))
            #expect(entry.withUnsafeBytes { JournalEntry($0) } == nil, "byte \(place)")
        }
        for place in stride(from: 0, to: last.entry.size, by: 97) {
            var damaged = bytes
            damaged[last.offset + place] ^= 0x10
            try Self.write(damaged, path)
            let store = try UntypedStore.open(at: path)
            #expect(try store.version == Version(2))
            #expect(store.recovery.lostVersion == nil)
            try store.edit("More") { try $0.insertSection(NewSection(id: "more")) }
            try store.close()
            #expect(try UntypedStore.open(at: path).version == Version(3))
        }
    }

    @Test("An entry has at most the bytes that it may have, and is made if it has just as many")
    func room() throws {
        let fixture = try StoreFixture { $0.durability = .deferred }
        try fixture.fill(3)
        var run = RecordRun(first: Version(2))
        for id in 0..<3 { run.append(try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) }!) }
        let whole = try #require(JournalEntry.bytes(run, 0..<3, after: LogPosition(), atMost: 1 << 20)).count
        for size in 0...whole + 8 {
            let bytes = JournalEntry.bytes(run, 0..<3, after: LogPosition(), atMost: size)
            #expect(bytes?.count == (size < whole ? nil : whole), "\(size) of \(whole) bytes")
        }
        try fixture.store.close()
    }

    @Test("An entry that leads beyond a version is recognised by its header; the records of others are not read")
    func reach() throws {
        let folder = try TemporaryFolder()
        let bytes = try Self.makeFile(folder, [10, 2_000, 600])
        let entries = Self.entries(bytes)
        #expect(entries.count == 3)
        bytes.withUnsafeBytes { raw in
            for (offset, entry) in entries {
                let found = UnsafeRawBufferPointer(rebasing: raw[offset..<offset + entry.size])
                #expect(JournalEntry.mayReach(beyond: entry.before.version, found))
                #expect(!JournalEntry.mayReach(beyond: entry.after.version, found))
                #expect(!JournalEntry.mayReach(beyond: .empty, UnsafeRawBufferPointer(rebasing: found.dropLast())))
            }
        }
        let zeros = [UInt8](repeating: 0, count: Journal.sectorSize)
        zeros.withUnsafeBytes { #expect(!JournalEntry.mayReach(beyond: .empty, $0)) }
    }

    @Test("If a synced entry is damaged later, the entries behind it show it")
    func lostEntry() throws {
        let folder = try TemporaryFolder()
        var bytes = try Self.makeFile(folder, [10, 900, 20])
        bytes[Self.entries(bytes)[1].offset + 60] ^= 1
        let path = folder.file("copy.listory")
        try Self.write(bytes, path)
        #expect { try StoreVerification(path: path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
        // What can be salvaged stays.
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect {
            try UntypedStore.compact(at: path, Compaction())
        } throws: {
            ($0 as? ListError)?.code == "headMismatch"
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == data)
        let store = try UntypedStore.open(at: path)
        #expect(try store.version == Version(2))
        #expect(store.recovery.lostVersion == Version(4))
        try store.close()
    }

    @Test("If the journal is not found where its database says it is, opening throws and drops no commits unnoticed")
    func lostJournal() throws {
        let folder = try TemporaryFolder()
        var bytes = try Self.makeFile(folder, [10, 900, 20])
        // The root page of a named database is in a record behind its name: that of the journal becomes that of another one.
        func root(of name: String, in page: Range<Int>) -> Int? {
            let header: [UInt8] = [48, 0, 0, 0, 2, 0, 4, 0] + Array(name.utf8)
            let starts = page.lowerBound...page.upperBound - 60
            return starts.first { bytes[$0..<$0 + 12].elementsEqual(header) }.map { $0 + 52 }
        }
        var changed = 0
        for page in stride(from: 0, to: bytes.count, by: 4_096) {
            let range = page..<min(page + 4_096, bytes.count)
            guard let place = root(of: "tail", in: range), let other = root(of: "meta", in: range) else { continue }
            bytes.replaceSubrange(place..<place + 8, with: Array(bytes[other..<other + 8]))
            changed += 1
        }
        #expect(changed > 0)
        let path = folder.file("copy.listory")
        try Self.write(bytes, path)
        for isReadOnly in [true, false] {
            #expect { try UntypedStore.open(at: path) { $0.isReadOnly = isReadOnly } } throws: {
                ($0 as? ListError)?.code == "headMismatch"
            }
        }
        #expect(try UntypedStore.survey(at: path).newestVersion == Version(4))
    }

    @Test("If an older entry is still in the place of a synced one, the entries behind it show it")
    func staleEntry() throws {
        let folder = try TemporaryFolder()
        var bytes = try Self.makeFile(folder, [10, 20, 30])
        let first = Self.entries(bytes)[0]
        let older = try #require(JournalEntry.bytes(first.entry.records, 0..<1, after: LogPosition(), atMost: 512))
        bytes.replaceSubrange(first.offset..<first.offset + older.count, with: older)
        let path = folder.file("copy.listory")
        try Self.write(bytes, path)
        #expect { try StoreVerification(path: path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
        let store = try UntypedStore.open(at: path)
        #expect(try store.version == Version(1))
        #expect(store.recovery.lostVersion == Version(4))
        try store.close()
    }

    @Test("An entry of the right version that continues another commit is not followed")
    func otherPredecessor() throws {
        let folder = try TemporaryFolder()
        // Two logs of the same length; their entries have the same places and versions.
        let bytes = try Self.makeFile(folder, [10, 10, 10, 10])
        DataFile.remove(folder.file("source.listory"))
        let others = try Self.makeFile(folder, [11, 11, 11, 11])
        let (own, foreign) = (Self.entries(bytes), Self.entries(others))
        try #require(own.map(\.offset) == foreign.map(\.offset) && own.count == 4)
        let path = folder.file("copy.listory")
        for index in 0..<4 {
            // As if one were lost and an older one, of a version that was given twice, were still behind it.
            for count in 1...4 - index {
                var mixed = bytes
                for entry in foreign[index..<index + count] {
                    mixed.replaceSubrange(
                        entry.offset..<entry.offset + entry.entry.size,
                        with: others[entry.offset..<entry.offset + entry.entry.size])
                }
                try Self.write(mixed, path)
                let store = try UntypedStore.open(at: path)
                #expect(try store.version == Version(UInt64(1 + index)), "entry \(index), \(count) of them")
                #expect(try store.snapshot.itemCount == index)
                try store.edit("More") { try $0.insertSection(NewSection(id: "more")) }
                try store.close()
                let again = try UntypedStore.open(at: path)
                #expect(try again.version == Version(UInt64(2 + index)))
                #expect(try again.snapshot.sections.count == 2 && again.snapshot.itemCount == index)
                try again.close()
            }
        }
    }

    @Test("Its bytes are those of the documented format, and its entries begin with sectors of the file")
    func format() throws {
        let folder = try TemporaryFolder()
        let sizes = [10, 700, 0, 1_400]
        let bytes = try Self.makeFile(folder, sizes)
        func number(_ offset: Int, _ count: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
        }
        // Everything below is from the table of the format, in numbers.
        let pages = stride(from: 0, to: bytes.count, by: 4_096).filter { page in
            // LMDB's header of pages with a large value: the number, the flags and the number of pages.
            number(page, 8) == UInt64(page / 4_096) && number(page + 10, 2) == 4 && number(page + 12, 4) == 4
        }
        try #require(pages.count == 1, "the page of the journal")
        var offset = pages[0] + 512
        var version: UInt64 = 1
        for size in sizes {
            let count = Int(number(offset + 8, 4))
            try #require(count > 52 && count < bytes.count - offset, "version \(version)")
            let checksum = bytes[offset + 8..<offset + count].withUnsafeBytes { XXHash64.hash($0, seed: version) }
            #expect(number(offset, 8) == checksum, "version \(version)")
            #expect(number(offset + 12, 4) == 1)
            #expect(number(offset + 16, 8) == version, "the head before begins with its version")
            let length = Int(number(offset + 48, 4))
            #expect(count == 52 + length && length > size)
            version += 1
            let record = bytes[offset + 52..<offset + count]
            let own = record.dropFirst(8).withUnsafeBytes { XXHash64.hash($0, seed: version) }
            #expect(number(offset + 52, 8) == own)
            offset += (count + 511) / 512 * 512
        }
        #expect(bytes[offset..<pages[0] + 16_384].allSatisfy { $0 == 0 })
    }

    @Test("Another process that opens the store for editing and edits nothing does not prevent edits")
    func otherEditor() throws {
        let fixture = try StoreFixture { options in
            options.journal.storeDelay = .seconds(3_600)
            options.checkpoints = .never
        }
        try fixture.fill(2)
        for round in 0..<3 {
            for id in 0..<2 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
            #expect(!fixture.store.group.log.journal.isEmpty)
            let other = try ChildProcess("StoreWriter", [fixture.path, "idle"])
            #expect(other.read() == "closed\n")
            _ = other.kill()
            // Once with a commit to append, once with only a journal to move.
            if round == 1 { try fixture.store.group.store() }
        }
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        let version = try fixture.store.version
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).version == version)
    }

    @Test("It is full many times, and every commit is stored in order")
    func wrapping() throws {
        let fixture = try StoreFixture { options in
            options.journal.size = (8 << 10) - JournalOptions.pageHeaderSize
            // Only a full journal is drained, and when it is asked for.
            options.journal.storeDelay = .seconds(3_600)
            options.checkpoints = .never
        }
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        try fixture.store.edit("Begin") { try $0.insertSection(NewSection(id: "rows")) }
        for number in 0..<400 {
            let size = generator.oneIn(10) ? Int.random(in: 0...9_000, using: &generator) : 30
            try fixture.store.edit("Insert") { list in
                let item = NewRow(id: .integer(Int64(number)), content: [UInt8](repeating: 1, count: size))
                try list.insert(item, at: .end(ofSection: "rows"))
            }
            // What cannot be written into the journal would be tried again as a transaction.
            #expect(fixture.store.appendFailure?.code == nil, "seed \(seed)")
            if generator.oneIn(20) { try fixture.store.group.store() }
            if generator.oneIn(4) {
                let version = Version(UInt64.random(in: 1...UInt64(number + 2), using: &generator))
                #expect(try fixture.store.snapshot(at: version).itemCount == Int(version.rawValue) - 1, "seed \(seed)")
            }
        }
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).commitCount == 401, "seed \(seed)")
    }

    @Test(
        "A checkpoint needs nothing of it: the commits of a checkpoint are in the database before",
        arguments: [Durability.immediate, .deferred])
    func checkpoints(durability: Durability) throws {
        let fixture = try StoreFixture {
            $0.durability = durability
            $0.deferredDelay = .seconds(3_600)
            $0.journal.storeDelay = .seconds(3_600)
            $0.checkpoints.isBackground = false
        }
        try fixture.fill(10)
        let journal = fixture.store.group.log.journal
        for round in 0..<3 {
            for id in 0..<10 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
            // In the journal, or not even there.
            #expect(try journal.storedVersion() < fixture.store.version, "round \(round)")
            try fixture.store.checkpoint()
            #expect(try journal.storedVersion() == fixture.store.checkpointVersion, "round \(round)")
        }
        try fixture.store.close()
    }

    @Test("Commits in it are moved into the database before long, though nobody waits")
    func moved() async throws {
        let fixture = try StoreFixture { $0.journal.storeDelay = .milliseconds(1) }
        try fixture.fill(1)
        try fixture.store.waitUntilDurable()
        let journal = fixture.store.group.log.journal
        #expect(!journal.state.withLock { $0.isDirect }, "the next commit goes into the journal")
        try fixture.store.edit("Toggle") { try $0.toggle(.item(0)) }
        for _ in 0..<3_000 where !journal.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(journal.isEmpty)
        try fixture.store.close()
    }

    @Test("The first commit after opening goes into the database: what a killed process has drained may not be durable")
    func firstCommit() throws {
        let folder = try TemporaryFolder()
        let bytes = try Self.makeFile(folder, [10, 20])
        let path = folder.file("copy.listory")
        // Once with entries in the journal, once with old ones.
        for _ in 0..<2 {
            if !FileManager.default.fileExists(atPath: path) { try Self.write(bytes, path) }
            let store = try UntypedStore.open(at: path) { $0.journal.storeDelay = .seconds(3_600) }
            let journal = store.group.log.journal
            if store.recovery.journalCommitCount == 0 {
                let first = try #require(try store.edit("First") { try $0.toggle(.item(0)) })
                #expect(try journal.storedVersion() == first.version)
            }
            let second = try #require(try store.edit("Second") { try $0.toggle(.item(0)) })
            #expect(try journal.storedVersion() < second.version, "and the next one into the journal")
            try store.close()
        }
        #expect(try StoreVerification(path: path).version > Version(4))
    }

    /// A store with commits in the journal, which nothing in the background changes.
    private static func quietFixture(trustsPages: Bool = false) throws -> StoreFixture {
        let fixture = try StoreFixture {
            $0.trustsPages = trustsPages
            $0.deferredDelay = .seconds(3_600)
            $0.journal.storeDelay = .seconds(3_600)
            $0.checkpoints = .never
        }
        try fixture.fill(2)
        for id in 0..<2 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
        return fixture
    }

    @Test("Closing appends what is queued and leaves nothing in the journal, also if no checkpoint is taken")
    func closing() throws {
        let fixture = try Self.quietFixture()
        #expect(!fixture.store.group.log.journal.isEmpty)
        let commit = try fixture.store.edit("Queued", durability: .deferred) { try $0.toggle(.item(1)) }!
        #expect(fixture.store.durableVersion < commit.version)
        try fixture.store.close()
        let found = try StoreVerification(path: fixture.path)
        #expect(found.version == commit.version)
        #expect(found.journalCommitCount == 0)
    }

    @Test(
        "An entry whose sync failed is found by an opening until it is discarded, and not afterwards",
        arguments: [false, true])
    func discarding(isFirst: Bool) throws {
        let fixture = try Self.quietFixture()
        let journal = fixture.store.group.log.journal
        // Draining entries before it would clear it as well.
        if isFirst { try journal.store() }
        let (head, end) = journal.state.withLock { ($0.head, $0.end) }
        // Written, and not acknowledged.
        let commit = try fixture.store.edit("Discarded", durability: .deferred) { try $0.toggle(.item(1)) }!
        var run = RecordRun(first: head.version.next)
        run.append(commit)
        let bytes = try #require(JournalEntry.bytes(run, 0..<1, after: head, atMost: 1 << 12))
        let transaction = try journal.environment.beginWrite()
        let database = try #require(journal.database)
        try bytes.withUnsafeBytes {
            try transaction.overwriteInPlace($0, at: end, ofValueForKey: Journal.key, in: database)
        }
        transaction.abort()
        let checksum = bytes.withUnsafeBytes { JournalEntry.checksum(in: $0) }
        journal.state.withLock { $0.failed = Journal.Place(offset: end, checksum: checksum) }
        func found(_ name: String) throws -> Version {
            let path = fixture.folder.file(name)
            try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
            let store = try UntypedStore.open(at: path)
            defer { try? store.close() }
            return try store.version
        }
        #expect(try found("before") == commit.version)
        // As closing does.
        try fixture.store.group.settle()
        #expect(try found("after") == head.version)
        #expect(journal.state.withLock { $0.failed } == nil)
        try fixture.store.close()
    }

    @Test("A content that is made of entries of the journal never seems to show that commits are lost")
    func forgedEntries() throws {
        let fixture = try Self.quietFixture()
        let (store, journal) = (fixture.store, fixture.store.group.log.journal)
        let commit = try #require(try store.edit("Toggle") { try $0.toggle(.item(1)) })
        var head = LogPosition()
        head.version = Version(1 << 40)
        var run = RecordRun(first: head.version.next)
        commit.record.withUnsafeBytes { run.append($0, eventCount: commit.eventCount) }
        var forged = try #require(JournalEntry.bytes(run, 0..<1, after: head, atMost: Journal.sectorSize))
        #expect(forged.withUnsafeBytes { JournalEntry($0) } != nil)
        // As many as a sector has bytes, and an odd number of bytes apart: one of them begins with a sector.
        if forged.count % 2 == 0 { forged.append(0) }
        let content = [[UInt8]](repeating: forged, count: Journal.sectorSize).flatMap(\.self)
        // Then the entry with it is the first one, and there is room for it.
        try journal.store()
        try store.edit("Forge") { try $0.update(0, content: content) }
        try journal.store()
        // It would be written over the beginning of that entry.
        let last = try #require(try store.edit("Toggle") { try $0.toggle(.item(1)) })
        #expect(try journal.storedVersion() < last.version)
        let path = fixture.folder.file("copy.listory")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
        #expect(try StoreVerification(path: path).version == last.version)
        let copy = try UntypedStore.open(at: path)
        #expect(copy.recovery.lostVersion == nil)
        #expect(try copy.version == last.version)
        try copy.close()
        try store.close()
    }

    @Test("The end of an entry leaves nothing of an older one in the header that its last sector could be taken for")
    func lastSector() throws {
        for count in [1, 40, 512, 513, 540, 559, 560, 561, 1_023, 1_024, 1_030] {
            let entry = [UInt8](repeating: 0xFF, count: count)
            for size in [count, count + 10, 4_096] {
                let bytes = try #require(JournalEntry.sectors(entry, atMost: size))
                let rest = count % Journal.sectorSize
                let needed = count > Journal.sectorSize && rest > 0 ? max(0, 48 - rest) : 0
                #expect(bytes.count == count + min(needed, size - count), "\(count) of \(size)")
                #expect(bytes.prefix(count).elementsEqual(entry) && bytes.dropFirst(count).allSatisfy { $0 == 0 })
            }
        }
    }

    #if os(Linux)
    @Test("If it cannot be put, as on a full disk, the file is used without it, and the next opening puts it")
    func withoutRoom() throws {
        // Pages that are checked are read through the descriptor that is replaced below.
        let fixture = try Self.quietFixture(trustsPages: true)
        let journal = fixture.store.group.log.journal
        let database = try #require(journal.database)
        try journal.store()
        // As in a copy.
        try journal.environment.write { _ = try $0.delete(Journal.key, in: database) }
        func capacity() throws -> Int {
            try Journal.open(journal.rows, journal.environment, nil, StoreOptions().journal, isSynced: true).capacity
        }
        var wanted = stat()
        #expect(stat(fixture.path, &wanted) == 0)
        // LMDB writes pages through the only descriptor that it also reads through.
        let descriptor = (0..<65_536 as Range<Int32>).first { number in
            var found = stat()
            return fstat(number, &found) == 0 && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev
                && fcntl(number, F_GETFL) & O_ACCMODE == O_RDWR
        }
        let pages = try #require(descriptor)
        // In its place, a device without room, and a file that cannot be written to, which says nothing about the room.
        let (sound, full, readOnly) = (dup(pages), open("/dev/full", O_RDWR), open(fixture.path, O_RDONLY))
        #expect(dup2(full, pages) == pages)
        #expect(try capacity() == 0)
        #expect(dup2(readOnly, pages) == pages)
        #expect(throws: LMDBError.self) { try capacity() }
        #expect(dup2(sound, pages) == pages)
        for copy in [sound, full, readOnly] { _ = close(copy) }
        #expect(try capacity() == StoreOptions().journal.size)
        try fixture.store.close()
        _ = try StoreVerification(path: fixture.path)
    }
    #endif

    @Test("Commits that another process wrote to it are found, and the next edit follows them")
    func otherWriter() throws {
        let fixture = try StoreFixture { options in
            options.journal.storeDelay = .seconds(3_600)
            options.checkpoints = .never
        }
        try fixture.store.edit("Begin") { list in
            try list.insertSection(NewSection(id: "rows", title: "Rows"))
            try list.insert(NewRow(id: "counter", content: []), at: .end(ofSection: "rows"))
        }
        try fixture.store.edit("Toggle") { try $0.toggle(.item("counter")) }
        let other = try ChildProcess("StoreWriter", [fixture.path])
        let printed = other.read()
        let acknowledged = (printed + other.kill()).split(separator: "\n").count
        #expect(acknowledged > 0)
        let commit = try #require(try fixture.store.edit("Toggle") { try $0.toggle(.item("counter")) })
        #expect(commit.version.rawValue >= UInt64(3 + acknowledged))
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).version == commit.version)
    }
}
