// Writers that wait for every commit, on threads or in tasks.
//
// Always holds: all writers begin together. The latency of a commit is the time from the call of `edit` until its
// writer continues, when the commit is durable.

import Foundation
import ListModel
import Listory
import Synchronization

/// Lets several writers commit at once; each waits for every one of its commits.
public struct WaitingWriters: Sendable {
    /// Whether the writers block threads or suspend tasks.
    public enum Kind: String, Sendable {
        /// On separate threads, which block.
        case threads
        /// In tasks on the shared pool, which suspend.
        case tasks
    }

    /// The measurements of a run.
    public struct Result: Sendable {
        /// Commits per second, of all writers together.
        public let rate: Double
        /// How long each commit took, in seconds, in no particular order.
        public let latencies: [Double]
        /// How many commits were moved into the database with one transaction, on average; nil if the file was replaced.
        public let commitsPerTransaction: Double?
    }

    public let kind: Kind
    public let count: Int
    /// How many commits each writer makes.
    public let commitCount: Int

    public init(kind: Kind, count: Int, commitCount: Int) {
        self.kind = kind
        self.count = count
        self.commitCount = commitCount
    }

    /// Makes the commits in a new store.
    public func run(path: String, _ sink: Sink) throws -> Result {
        let store = try UntypedStore.create(at: path)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: ListRecipe.section, title: "Today")) }
        try store.close()
        let latencies = Latencies()
        var time = 0.0
        let transactionCount = try FileNumbers.transactionCount(path) {
            let opened = try UntypedStore.open(at: path)
            switch kind {
            case .threads: time = try onThreads { latencies.add(try write(opened, $0)) }
            case .tasks: time = try inTasks { latencies.add(try await write(opened, $0)) }
            }
            sink.take(try opened.snapshot.stateHash.rawValue)
            try opened.close()
        }
        let total = Double(count * commitCount)
        return Result(
            rate: total / time, latencies: latencies.values,
            commitsPerTransaction: transactionCount.map { total / Double($0) })
    }

    // MARK: Running

    private func onThreads(_ body: @escaping @Sendable (_ writer: Int) throws -> Void) throws -> Double {
        let failure = FirstFailure()
        let ready = DispatchSemaphore(value: 0)
        let start = DispatchSemaphore(value: 0)
        let done = DispatchGroup()
        for writer in 0..<count {
            done.enter()
            Thread {
                ready.signal()
                start.wait()
                do { try body(writer) } catch { failure.note(error) }
                done.leave()
            }.start()
        }
        for _ in 0..<count { ready.wait() }
        let time = seconds {
            for _ in 0..<count { start.signal() }
            done.wait()
        }
        try failure.check()
        return time
    }

    private func inTasks(_ body: @escaping @Sendable (_ writer: Int) async throws -> Void) throws -> Double {
        let failure = FirstFailure()
        let done = DispatchGroup()
        let time = seconds {
            for writer in 0..<count {
                done.enter()
                Task {
                    do { try await body(writer) } catch { failure.note(error) }
                    done.leave()
                }
            }
            done.wait()
        }
        try failure.check()
        return time
    }

    // MARK: Writing

    private func write(_ store: UntypedStore, _ writer: Int) throws -> [Double] {
        try (0..<commitCount).map { number in
            try seconds { _ = try insert(store, writer, number, .immediate) }
        }
    }

    private func write(_ store: UntypedStore, _ writer: Int) async throws -> [Double] {
        var latencies: [Double] = []
        let clock = ContinuousClock()
        for number in 0..<commitCount {
            let start = clock.now
            if let commit = try insert(store, writer, number, .deferred) { try await store.durable(commit.version) }
            latencies.append((clock.now - start).seconds)
        }
        return latencies
    }

    private func insert(_ store: UntypedStore, _ writer: Int, _ number: Int, _ durability: Durability) throws -> Commit?
    {
        let id = UntypedID.integer(Int64(writer * commitCount + number))
        let item = NewRow(id: id, content: Array(#"{"title":"Milk"}"#.utf8))
        return try store.edit("Add milk", durability: durability) { list in
            try list.insert(item, at: .end(ofSection: ListRecipe.section))
        }
    }
}

/// The latencies of all writers.
private final class Latencies: Sendable {
    private let all = Mutex<[Double]>([])

    func add(_ latencies: [Double]) { all.withLock { $0 += latencies } }

    var values: [Double] { all.withLock { $0 } }
}

/// The first error of a writer.
private final class FirstFailure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func note(_ error: any Error) { self.error.withLock { $0 = $0 ?? error } }

    func check() throws { if let error = error.withLock({ $0 }) { throw error } }
}
