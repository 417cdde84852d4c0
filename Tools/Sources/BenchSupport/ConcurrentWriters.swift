// Threads that each make commits and wait for every one of them to be durable.
//
// Always holds: all threads are ready before the clock starts, and it stops when the last of them is done.

import Foundation
import ListModel
import Listory
import Synchronization

/// Writers that share a store.
public struct ConcurrentWriters: Sendable {
    /// How many threads write.
    public let count: Int
    /// How many commits each of them makes.
    public let commitsEach: Int

    /// What the writers took.
    public struct Result: Sendable {
        /// The seconds from the start to the last commit.
        public let seconds: Double
        /// The seconds that each commit took, in no order.
        public let latencies: [Double]
    }

    /// What the threads leave behind.
    private struct Outcome: Sendable {
        var latencies: [Double] = []
        var failure: (any Error)?
    }

    public init(count: Int, commitsEach: Int) {
        self.count = count
        self.commitsEach = commitsEach
    }

    /// How many commits all of them make.
    public var commitCount: Int { count * commitsEach }

    /// Lets them write into a new store.
    public func run(path: String, _ sink: Sink) throws -> Result {
        let store = try Store.create(at: path)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: ListRecipe.section, title: "Today")) }
        let outcome = Mutex(Outcome())
        let ready = DispatchSemaphore(value: 0)
        let start = DispatchSemaphore(value: 0)
        let done = DispatchGroup()
        for writer in 0..<count {
            done.enter()
            Thread {
                ready.signal()
                start.wait()
                do {
                    let latencies = try write(store, firstID: Int64(writer * commitsEach))
                    outcome.withLock { $0.latencies += latencies }
                } catch { outcome.withLock { $0.failure = error } }
                done.leave()
            }.start()
        }
        for _ in 0..<count { ready.wait() }
        let time = seconds {
            for _ in 0..<count { start.signal() }
            done.wait()
        }
        let end = outcome.withLock { $0 }
        if let error = end.failure { throw error }
        sink.take(try store.snapshot.stateHash.rawValue)
        try store.close()
        return Result(seconds: time, latencies: end.latencies)
    }

    /// Makes durable commits, one after another, and takes the time of each.
    private func write(_ store: Store, firstID: Int64) throws -> [Double] {
        var latencies: [Double] = []
        latencies.reserveCapacity(commitsEach)
        for offset in 0..<Int64(commitsEach) {
            let item = NewItem(id: .integer(firstID + offset), content: Array(#"{"title":"Milk"}"#.utf8))
            latencies.append(
                try seconds {
                    try store.edit("Add milk", durability: .immediate) { list in
                        try list.insert(item, at: .end(ofSection: ListRecipe.section))
                    }
                })
        }
        return latencies
    }
}
