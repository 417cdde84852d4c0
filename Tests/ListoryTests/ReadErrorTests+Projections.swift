// Tests projections whose rows cannot be read for a moment.

@testable import ListModel
@testable import Listory
import TestSupport
import Testing

extension ReadErrorTests {
    /// Counts the rows that it sees before each event. It looks at them in a jam if there is a store to jam.
    private struct SeenRows: Projection, Codable, Equatable {
        static let name = "seen"
        static let version = 1
        static let readsRows = true
        static let jammed = Locked<UntypedStore?>(nil)
        var count = 0
        var unreadableCount = 0

        mutating func apply(_ event: ListEvent, in context: EventContext) {
            // Not before: the records of the events could not be read either.
            let jam = SeenRows.jammed.withLock { $0 }.map { ReaderJam($0) }
            for section in 0..<context.rows.sectionCount {
                let rows = context.rows.items(at: ListIndexPath(section: section, item: 0), count: .max)
                count += rows.count
                unreadableCount += rows.count { $0.id == "unreadable" }
            }
            withExtendedLifetime(jam) {}
        }
    }

    @Test("A projection whose rows cannot be read for a moment throws, and has the right value then")
    func projections() throws {
        var edited = try Self.store(seed: 9)
        let seen = try edited.store.projection(SeenRows.self)
        let counts = try edited.store.projection(SectionCounts.self)
        _ = try (seen.value, counts.value)
        var failures = 0
        for _ in 0..<20 {
            try edited.edit(3)
            SeenRows.jammed.withLock { $0 = edited.store }
            do { _ = try seen.value } catch {
                #expect(Self.isPassing(error), "\(error)")
                failures += 1
            }
            SeenRows.jammed.withLock { $0 = nil }
            #expect(try seen.value.unreadableCount == 0)
            do {
                let jam = ReaderJam(edited.store)
                _ = try? counts.value
                withExtendedLifetime(jam) {}
            }
            let rows = try edited.store.snapshot
            let value = try counts.value
            #expect(value.sections.map(\.id) == rows.sections.map(\.id.key))
            #expect(value.sections.map { $0.checked + $0.unchecked } == rows.sections.map(\.items.count))
        }
        #expect(failures > 0)
        let value = try seen.value
        try seen.rebuild()
        #expect(try seen.value == value && value.count > 0)
    }
}
