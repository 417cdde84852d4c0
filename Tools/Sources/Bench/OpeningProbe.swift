// What a process sees that opens a long list: how long until its first screen is there, and until the first edit is made.
//
// Always holds: the file is in the system's cache, because the process that wrote it did so just before.

import BenchSupport
import Foundation
import ListModel
import Listory

/// A store is opened, the first rows are read with their contents, and one row is toggled by its id.
struct OpeningProbe: Codable {
    /// The seconds from the start of `main` to the last of the first rows.
    let firstRows: Double
    /// When that was, by the clock that all processes share.
    let readyAt: Double
    /// The seconds that the first edit took.
    let firstEdit: Double
    /// What is resident after both; nil where the kernel does not say.
    let residentBytes: Int?

    /// How many rows a screen shows.
    private static let screen = 50

    /// Takes the measurement.
    init(path: String, id: Identifier, since start: ContinuousClock.Instant) throws {
        let store = try Store.open(at: path)
        var byteCount = 0
        for row in try store.snapshot.sections[0].items.prefix(OpeningProbe.screen) {
            byteCount += try store.source.withContent(of: row.content) { $0.count }
        }
        firstRows = (ContinuousClock.now - start).seconds
        readyAt = OpeningProbe.now
        firstEdit = try seconds {
            try store.edit("Check", durability: .deferred) { try $0.toggle(.item(id)) }
        }
        residentBytes = ProcessMemory.current().map { $0.privateBytes + $0.mappedBytes }
        guard byteCount > OpeningProbe.screen else { throw WrongResult(what: "the first rows") }
        try store.close()
    }

    /// The seconds since the system started: the same for all processes.
    static var now: Double { ProcessInfo.processInfo.systemUptime }
}

/// What was measured did not do what it should.
struct WrongResult: Error {
    let what: String
}
