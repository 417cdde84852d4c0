// A process that writes to a store until it is killed, for the tests of recovery.
//
// It prints one line for each commit, `version hash`, after the commit is durable; with `early` before that, as a
// control that the test must detect. With `checkpoints` it takes a checkpoint every few commits, with narrow nodes and
// in small slices, so that most kills interrupt one. With `idle` it opens the store for editing, closes it and prints
// that. With `reads` it opens the store for reading, prints that, and when there is a file with the store's name and
// `-read`, it prints how many of the rows that the store had then can be read, and found by id; with `follows` besides, it continues from each
// checkpoint that it hears of. With `replaces` it sets the second
// pending commit of a replica aside, and prints that. With `receives` a replica receives the records in the files with the store's name and
// `-record1`, `-record2`, and it prints what is confirmed then. With `steps` it makes a commit only when there is a file with the store's name and the commit's number. With
// `create` it makes many stores, with numbers after their names, and one commit in each of them. With `compact` it
// compacts the store after every few commits, with `erase` it erases a row, with `trim` it keeps a part of the history; with `names` it names versions, and prints
// `named version hash`, and `unnamed version` before it takes a name away; with `race` it gives so many names, and prints which it won; with `compact-once` it compacts it and prints `compacted` or the code of the
// error; with `copy` it copies it, and prints `copy number version hash` for each
// copy. `fork` prints how many calls of a fork are not refused. `contend` is in `Contender.swift`. With `probe` it uses damaged stores instead (see StoreProbe), and with `damage`
// it damages stores itself (see DamageTrial).

import Foundation
import LMDB
import ListModel
@_spi(Sync) import Listory
import TestSupport

@main
enum StoreWriter {
    static func main() throws {
        // The others fork, which a process with several threads cannot do.
        if !["damage", "probe"].contains(where: CommandLine.arguments[1].hasPrefix) { endWithTest() }
        if CommandLine.arguments[1] == "contend" { return try Contender.run(Array(CommandLine.arguments.dropFirst())) }
        if CommandLine.arguments[1] == "damage" {
            return try DamageTrial.run(Array(CommandLine.arguments.dropFirst()))
        }
        let path = CommandLine.arguments[1]
        if path == "neighbour" {
            do { return try Neighbour.run(Array(CommandLine.arguments.dropFirst())) } catch {
                print("\(error)")
                exit(1)
            }
        }
        if path.hasPrefix("probe") {
            return StoreProbe.run(Array(CommandLine.arguments.dropFirst(2)), isChecked: path == "probe")
        }
        if CommandLine.arguments.contains("create") {
            do { return try create(path, Int(CommandLine.arguments[3])!) } catch {
                print("\(error)")
                exit(1)
            }
        }
        if CommandLine.arguments.contains("compact-once") {
            do {
                try UntypedStore.compact(at: path)
                return print("compacted")
            } catch { return print((error as? ListError)?.code ?? "\(error)") }
        }
        if CommandLine.arguments.contains("compact") || CommandLine.arguments.contains("erase") {
            return try compact(path)
        }
        if CommandLine.arguments.contains("trim") { return try trim(path) }
        if CommandLine.arguments.contains("names") { return try name(path) }
        if CommandLine.arguments.contains("race") { return try race(path, Int(CommandLine.arguments[3])!) }
        if CommandLine.arguments.contains("reads") { return try read(path) }
        if CommandLine.arguments.contains("replaces") { return try replace(path) }
        if CommandLine.arguments.contains("receives") { return try receive(path) }
        if CommandLine.arguments.contains("fork") { return try fork(path) }
        let acknowledgesEarly = CommandLine.arguments.contains("early")
        var options = StoreOptions()
        if CommandLine.arguments.contains("checkpoints") {
            options.checkpoints.interval = 8
            options.checkpoints.nodeWeight = 0
            options.checkpoints.maximumSpacing = 32
            options.checkpoints.sliceSize = 64
            options.checkpoints.touches.interval = 0
            options.checkpoints.touches.runSize = 16
            options.checkpoints.touches.bucketSize = 4
            options.checkpoints.touches.fanOut = 4
            options.checkpoints.touches.sliceSize = 256
            options.checkpoints.touches.deletionSize = 3
            options.unpackedCount = 20
            options.packing.groupCount = 8
            (options.packing.freeSize, options.packing.givesBackAlways) = (0, true)
            options.limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)
        }
        if CommandLine.arguments.contains("steps") { options.journal.storeDelay = .seconds(3_600) }
        let store = try UntypedStore.open(at: path, options: options)
        if CommandLine.arguments.contains("idle") {
            try store.close()
            print("closed")
            return
        }
        var counter = try store.version.rawValue
        while true {
            counter += 1
            if CommandLine.arguments.contains("steps") {
                while access("\(path)-step\(counter)", F_OK) != 0 { usleep(200) }
            }
            let commit = try store.edit("write \(counter)", durability: .deferred) { list in
                try change(&list, counter)
            }
            guard let commit else { continue }
            if !acknowledgesEarly { try store.waitUntilDurable(commit.version) }
            print(commit.version, commit.stateHash)
            fflush(nil)
            if CommandLine.arguments.contains("copy") && counter % 4 == 0 {
                try store.copy(to: "\(path)-copy\(counter)")
                print("copy", counter, commit.version, commit.stateHash)
                fflush(nil)
            }
        }
    }

    /// Ends this process when the test that started it ends without killing it.
    private static func endWithTest() {
        let parent = getppid()
        Thread.detachNewThread {
            while getppid() == parent { usleep(200_000) }
            _exit(1)
        }
    }

    private static func read(_ path: String) throws {
        var options = StoreOptions()
        options.isReadOnly = true
        if CommandLine.arguments.contains("follows") { options.checkpoints.interval = 1 }
        let store = try UntypedStore.open(at: path, options: options)
        let snapshot = try store.snapshot
        print("reading")
        fflush(nil)
        while access("\(path)-read", F_OK) != 0 { usleep(200) }
        let ids = snapshot.sections.flatMap { $0.items.map(\.id) }.filter { $0 != "unreadable" }
        let found = ids.filter { (try? store.indexPath(of: $0)) != nil }
        print(ids.count, found.count)
        fflush(nil)
        while true { usleep(1_000_000) }
    }

    /// Sets the second pending commit of a replica aside, so that it and those after it are replaced by as many.
    private static func replace(_ path: String) throws {
        let store = try UntypedStore.open(at: path)
        if CommandLine.arguments.contains("retreats") { try store.retreat(to: 1) }
        let pending = try store.pendingRecords(atMost: .max)
        let second = try Commit(record: pending.records[1], version: pending.startVersion.next.next)
        try store.setAside([second.checksum: "too large"])
        print("replaced", try store.version)
        fflush(nil)
        while true { usleep(1_000_000) }
    }

    /// Receives what a shared log has from its beginning on.
    private static func receive(_ path: String) throws {
        let store = try UntypedStore.open(at: path)
        let records = try (1...2).map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)-record\($0)"))) }
        // Those that were confirmed when the file was last written are known.
        let rest = records[Int(store.confirmed?.version.rawValue ?? 0)...]
        try store.receive(Array(rest.dropFirst(try store.confirm(Array(rest)))))
        print("confirmed", store.confirmed?.version ?? .empty)
        try store.close()
    }

    /// Compacts the store again and again, or erases a row, with a few commits between, and prints `compacting` before.
    private static func compact(_ path: String) throws {
        while true {
            let store = try UntypedStore.open(at: path)
            for _ in 0..<5 {
                guard let commit = try store.edit("write", { try change(&$0, $0.state.version.rawValue + 1) }) else {
                    continue
                }
                try store.waitUntilDurable()
                print(commit.version, commit.stateHash)
                fflush(nil)
            }
            let newest = try store.version.rawValue
            try store.close()
            var compaction = Compaction()
            if newest % 3 == 0 { compaction.kept = .from(Version(newest - newest / 4)) }
            compaction.unpackedCount = 8
            // So that some kills come right after it, however busy the machine is.
            print("compacting")
            fflush(nil)
            if CommandLine.arguments.contains("erase") {
                try UntypedStore.erase(Erasure(rows: [.integer(Int64(newest) - 2)]), at: path)
            } else {
                try UntypedStore.compact(at: path, compaction)
            }
        }
    }

    /// Keeps a few undo steps of the store, edits it meanwhile, and opens it again and again.
    private static func trim(_ path: String) throws {
        while true {
            let store = try UntypedStore.open(at: path)
            for _ in 0..<3 {
                for _ in 0..<5 {
                    guard let commit = try store.edit("write", { try change(&$0, $0.state.version.rawValue + 1) })
                    else {
                        continue
                    }
                    try store.waitUntilDurable()
                    print(commit.version, commit.stateHash)
                    fflush(nil)
                }
                print("trimming")
                fflush(nil)
                try store.trim(Retention(recordBytes: 500), atLeast: 5)
            }
            try store.close()
        }
    }

    /// Names versions that are not durable yet, and drops old history. Keeps the last thirty names: most of their versions are
    /// older than the history that is left.
    private static func name(_ path: String) throws {
        while true {
            let store = try UntypedStore.open(at: path)
            for _ in 0..<6 {
                try store.edit("write", durability: .deferred) { try change(&$0, $0.state.version.rawValue + 1) }
                let version = try store.version
                let named = try store.addName("version \(version)")
                print("named", named.version, named.stateHash)
                for old in try store.namedVersions.dropLast(30) {
                    print("unnamed", old.version)
                    fflush(nil)
                    try store.removeName(old.name)
                }
                fflush(nil)
            }
            try store.trim(Retention(steps: 3), atLeast: 5)
            try store.close()
        }
    }

    /// Gives names that another process gives as well.
    private static func race(_ path: String, _ count: Int) throws {
        let store = try UntypedStore.open(at: path)
        for number in 0..<count {
            do {
                try store.addName("race \(number)")
                print("won \(number)")
            } catch ListError.duplicateName { print("lost \(number)") }
        }
        try store.close()
    }

    /// Creates stores that do not exist yet, and prints `number version hash` for each commit.
    private static func create(_ path: String, _ count: Int) throws {
        for number in 0..<count {
            let store = try UntypedStore.openOrCreate(at: "\(path)\(number)", options: StoreOptions())
            defer { try? store.close(discardingUnappended: true) }
            do {
                guard let commit = try store.edit("write", { try change(&$0, $0.state.version.rawValue + 1) }) else {
                    continue
                }
                try store.waitUntilDurable()
                print(number, commit.version, commit.stateHash)
                fflush(nil)
            } catch ListError.appendFailed(_, ListError.writtenElsewhere) {
                // Another process has created it first.
            }
        }
    }

    /// Makes several events that belong together: inserts a row, deletes another one, and writes the count into the
    /// first row.
    private static func change(_ list: inout UntypedEditor, _ counter: UInt64) throws {
        if list.state.sectionCount == 0 {
            try list.insertSection(NewSection(id: "rows", title: "Rows"))
            try list.insert(NewRow(id: "counter", content: []), at: .end(ofSection: "rows"))
        }
        try list.update("counter", content: Array("\(counter)".utf8))
        let item = NewRow(id: .integer(Int64(counter)), content: Array("row \(counter)".utf8))
        try list.insert(item, at: .end(ofSection: "rows"))
        try list.toggle(.item(.integer(Int64(counter))))
        if list.state.itemCount > 40 { try list.delete(.at(ListIndexPath(section: 0, item: 1))) }
    }

    /// Edits, lets a fork use the store, and edits again.
    private static func fork(_ path: String) throws {
        let store = try UntypedStore.open(at: path)
        try store.edit("Before") { try $0.insertSection(NewSection(id: "before", title: "")) }
        func insert(_ durability: Durability) throws {
            try store.edit("In a fork", durability: durability) { try $0.insertSection(NewSection(id: "a", title: "")) }
        }
        let calls: [() throws -> Void] = [
            { try insert(.deferred) }, { try insert(.immediate) },
            { try store.undo() }, { _ = try store.version }, { _ = try store.snapshot }, { _ = try store.updates() },
            { try store.checkpoint() }, { try store.copy(to: path + "-copy") }, { try store.close() },
            { try store.waitUntilDurable() }, { try store.waitUntilDurable(Version(1)) },
        ]
        let count = inFork {
            Int32(
                calls.count { call in
                    do { try call() } catch let error as ListError {
                        if case .forked = (error.cause as? LMDBError)?.kind { return false }
                    } catch {}
                    return true
                })
        }
        print("not refused: \(count)")
        try store.edit("After") { try $0.insertSection(NewSection(id: "after", title: "")) }
        print("version \(try store.version)")
        try store.close()
    }
}
