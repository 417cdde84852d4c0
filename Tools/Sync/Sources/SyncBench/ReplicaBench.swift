// How fast replicas exchange commits, beside the raw client that stores the same bytes, and beside the engine alone.

import Foundation
import ListModel
@_spi(Sync) import Listory
import ListorySync
import SharedLog

struct ReplicaBench {
    let open: @Sendable (String) throws -> any SharedLog
    /// Some ways to use the client directly.
    let raw: [MakeRawClient]
    let commitCount: Int
    let runs: Int
    private let folder = FileManager.default.temporaryDirectory.appending(path: "sync-bench-\(UUID().uuidString)")

    init(
        commits: Int, runs: Int, open: @escaping @Sendable (String) throws -> any SharedLog,
        raw: [MakeRawClient]
    ) throws {
        (commitCount, self.runs, self.open, self.raw) = (commits, runs, open, raw)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func run() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        print("Replicas: \(commitCount) commits of one row each, the median of \(runs) runs\n")
        var sends: [Double] = [], catchUps: [Double] = []
        var others: [(name: String, sends: [Double], reads: [Double])] = []
        for run in 0..<runs {
            let list = "replica\(UInt32.random(in: 0...UInt32.max))"
            // Made offline, and the app was closed since.
            let made = try store("first\(run)")
            try made.beginSharing()
            for number in 0..<commitCount { try edit(made, number) }
            try made.close()
            let clients = try raw.map { try $0(list) }
            if run == 0 { others = clients.map { ($0.name, [], []) } }
            // A server that has just worked has memory at hand, so each of them is the first in turn.
            for participant in 0...clients.count {
                switch (participant + run) % (clients.count + 1) {
                case clients.count:
                    let (send, catchUp) = try await exchange("first\(run)", "second\(run)", list)
                    sends.append(Double(commitCount) / send)
                    catchUps.append(Double(commitCount) / catchUp)
                case let index:
                    // The same bytes, as many at once.
                    let batches = try batches(of: "first\(run)")
                    let sending = try await time { for batch in batches { try clients[index].append(batch) } }
                    others[index].sends.append(Double(commitCount) / sending)
                    let reading = try await time { _ = try clients[index].readAll(maximumBytes: 4 << 20) }
                    others[index].reads.append(Double(commitCount) / reading)
                }
            }
        }
        for (name, rawSends, rawReads) in others {
            line("sending", sends, name, rawSends)
            line("catching up", catchUps, "\(name), reading", rawReads)
        }
        try await latency()
    }

    /// The seconds in which a replica sends all commits, and another one reads them.
    private func exchange(
        _ firstName: String, _ secondName: String, _ list: String
    ) async throws -> (send: Double, catchUp: Double) {
        let first = try store(firstName)
        // A snapshot is no part of what the raw client does.
        var options = Replica.Options()
        options.snapshotBytes = nil
        let sender = try await Replica(first, connected(list), list: list, options: options)
        let send = try await time { try await sender.synchronize() }
        let second = try store(secondName)
        let reader = try await Replica(second, connected(list), list: list)
        let catchUp = try await time { try await reader.synchronize() }
        guard try second.snapshot.stateHash == first.snapshot.stateHash else { fatalError("the replicas differ") }
        try first.close()
        try second.close()
        return (send, catchUp)
    }

    /// The commits of a store as they stand in the shared log, in batches.
    private func batches(of name: String) throws -> [[LogEntry]] {
        let store = try store(name)
        defer { try? store.close() }
        var position = LogPosition.beginning
        return try stride(from: 1, through: commitCount, by: 8_000).map { start in
            try (start..<min(start + 8_000, commitCount + 1)).map { number in
                let entry = LogEntry(
                    after: position, payload: [1] + (try store.sharedRecord(of: Version(UInt64(number)))))
                position = entry.position
                return entry
            }
        }
    }

    /// Durations in seconds.
    private struct Latency {
        let name: String
        var ours: [Double] = []
        var theirs: [Double] = []
    }

    /// From a commit on one replica to the update on another, and until it is in the other's file; in turn with the raw client that stores
    /// an entry and wakes one that reads it and keeps it in a file. After a pause, as when somebody types, and one after another, as tools
    /// for databases measure it: after a pause, what runs has to be read from memory again. On several lists, because it matters which
    /// server of a cluster leads one.
    private func latency() async throws {
        for burst in [1, 25] {
            let pace = burst == 1 ? "after a pause" : "after another"
            var seen = Latency(name: "a commit \(pace) until it is seen")
            var kept = Latency(name: "a commit \(pace) until it is in the reader's file")
            var name = ""
            for list in 0..<4 { name = try await latency("\(burst)-\(list)", burst: burst, &seen, &kept) }
            for measured in [seen, kept] {
                let (ours, theirs) = (measured.ours.sorted(), measured.theirs.sorted())
                let (middle, late) = (ours.count / 2, ours.count * 9 / 10)
                print(
                    String(
                        format: "  %@: %.2f ms (90 %%: %.2f); %@ %.2f ms (90 %%: %.2f): %.2f times", measured.name,
                        ours[middle] * 1000, ours[late] * 1000, name, theirs[middle] * 1000, theirs[late] * 1000,
                        ours[middle] / theirs[middle]))
            }
        }
        print()
    }

    /// Of each, 100 commits are measured, as many one after another as `burst` says, with 5 ms before each burst.
    /// - Returns: the name of the raw client.
    private func latency(
        _ suffix: String, burst: Int, _ seen: inout Latency, _ kept: inout Latency
    ) async throws -> String {
        let list = "latency\(UInt32.random(in: 0...UInt32.max))"
        let (first, second) = (try store("a" + suffix), try store("b" + suffix))
        let logs = try [open(list), open(list)]
        let replicas = try zip([first, second], logs).map { try Replica($0, $1, list: list) }
        let tasks = replicas.map { replica in
            Task {
                await replica.follow()
                if !Task.isCancelled { fatalError("a replica has stopped: \(replica.state)") }
            }
        }
        let updates = try second.updates()
        var iterator = updates.makeAsyncIterator()
        let (writer, reader) = (try raw[0](list), try raw[0](list))
        try reader.listen()
        // A replica has a commit when it is in its file.
        let file = Foundation.open(folder.appending(path: "kept" + suffix).path, O_CREAT | O_WRONLY, 0o600)
        defer { Foundation.close(file) }
        // A file that grows is slower to sync.
        _ = pwrite(file, [UInt8](repeating: 0, count: 1 << 20), 1 << 20, 0)
        fsync(file)
        var position = LogPosition.beginning
        // With the first commit, the list is made.
        for numbers in [0..<1] + stride(from: 1, through: 100, by: burst).map({ $0..<$0 + burst }) {
            try await Task.sleep(for: .milliseconds(5))
            for number in numbers {
                let start = ContinuousClock.now
                try edit(first, number)
                while let update = await iterator.next(), update.snapshot.version.rawValue <= number {}
                let received = (ContinuousClock.now - start).seconds
                // A function of the store waits until the commit is in the file.
                _ = try second.snapshot
                let written = (ContinuousClock.now - start).seconds
                if number > 0 {
                    seen.ours.append(received)
                    kept.ours.append(written)
                }
            }
            // The same bytes.
            let entries = try numbers.map { number in
                let record = try first.sharedRecord(of: Version(UInt64(number + 1)))
                let entry = LogEntry(after: position, payload: [1] + record)
                position = entry.position
                return entry
            }
            try await Task.sleep(for: .milliseconds(5))
            for (number, entry) in zip(numbers, entries) {
                let start = ContinuousClock.now
                try writer.signal(entry)
                let bytes = try reader.next()
                let received = (ContinuousClock.now - start).seconds
                guard bytes == entry.encoded(),
                    pwrite(file, bytes, bytes.count, number * bytes.count) == bytes.count, fdatasync(file) == 0
                else { fatalError("an entry is lost") }
                let written = (ContinuousClock.now - start).seconds
                if number > 0 {
                    seen.theirs.append(received)
                    kept.theirs.append(written)
                }
            }
        }
        for task in tasks {
            task.cancel()
            await task.value
        }
        for log in logs { await log.close() }
        try first.close()
        try second.close()
        return writer.name
    }

    /// The raw client has its connection and its table or stream before it is measured, too.
    private func connected(_ list: String) async throws -> any SharedLog {
        let log = try open(list)
        _ = try await log.end()
        return log
    }

    private func store(_ name: String) throws -> UntypedStore {
        var options = StoreOptions()
        (options.durability, options.undoScope) = (.deferred, .origin)
        let path = folder.appending(path: name).path
        if FileManager.default.fileExists(atPath: path) { return try UntypedStore.open(at: path, options: options) }
        return try UntypedStore.create(at: path, options: options)
    }

    private func edit(_ store: UntypedStore, _ number: Int) throws {
        try store.edit("Add", origin: "user") { list in
            if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: 0)) }
            let content = Array("row number \(number), some forty bytes long".utf8)
            try list.insert(NewRow(id: .integer(Int64(number)), content: content), at: .end(ofSection: 0))
        }
    }

    private func time(_ body: () async throws -> Void) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try await body()
        return (clock.now - start).seconds
    }

    private func line(_ what: String, _ ours: [Double], _ peer: String, _ theirs: [Double]) {
        let (ours, theirs) = (ours.sorted(), theirs.sorted())
        let (median, other) = (ours[ours.count / 2], theirs[theirs.count / 2])
        print(
            String(
                format: "  %@: %.0f commits a second (%.0f–%.0f); %@ %.0f: %.2f times its time", what, median,
                ours.first!, ours.last!, peer, other, other / median))
    }
}
