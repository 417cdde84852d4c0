// Tests a driver with random edits of others, gestures, drags, undo and predicates, animations that end at random
// times, and windows that open and close.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport
import Testing

@MainActor
@Suite("A driver under random use")
struct RandomDriverTests {
    @Test("No table view ever rejects a batch, and at rest it shows the rows of the store", arguments: 0..<12)
    func table(seed: Int) throws {
        for round in 0..<Soak.factor {
            let seed = UInt64(seed + 1_000 * round)
            let fixture = try DriverFixture(reloadAbove: seed % 3 == 0 ? 12 : nil)
            let table = FakeTable(fixture.driver)
            fixture.driver.drive(table)
            var user = RandomUser(seed: seed, store: fixture.store)
            for _ in 0..<300 { try Self.step(&user, fixture, table) }
            Self.settle(fixture, table)
            #expect(table.problems.first == nil, "seed \(seed)")
            #expect(table.isUpToDate && fixture.driver.player.isSettled, "seed \(seed)")
            #expect(try table.cells.shows(fixture.store.core.snapshot), "seed \(seed)")
            #expect(table.batchCount + table.reloadCount + table.reconfiguredCount > 20, "seed \(seed)")
        }
    }

    @Test("The same holds for a filtered view whose predicate changes", arguments: 0..<8)
    func filteredTable(seed: Int) throws {
        for round in 0..<Soak.factor {
            let seed = UInt64(seed + 1_000 * round)
            let fixture = try DriverFixture(reloadAbove: nil) { FilteredSource($0) { _ in true } }
            let table = FakeTable(fixture.driver)
            fixture.driver.drive(table)
            var user = RandomUser(seed: seed, store: fixture.store)
            for _ in 0..<200 {
                if user.oneIn(8) {
                    let number = user.int(0..<4)
                    fixture.source.filter { item in number == 0 || item.isChecked == (number == 1) || number == 3 }
                    fixture.driver.refresh()
                } else {
                    try Self.step(&user, fixture, table)
                }
            }
            Self.settle(fixture, table)
            #expect(table.problems.first == nil, "seed \(seed)")
            #expect(try table.cells.shows(fixture.source.snapshot.core), "seed \(seed)")
        }
    }

    @Test("The same holds for a view without sections", arguments: 0..<8)
    func sequence(seed: Int) throws {
        for round in 0..<Soak.factor {
            let seed = UInt64(seed + 1_000 * round)
            let fixture = try DriverFixture(reloadAbove: seed % 3 == 0 ? 12 : nil)
            let table = FakeSequence(fixture.driver, seed % 2 == 0 ? .rows : .rowsWithHeaders)
            fixture.driver.drive(table)
            var user = RandomUser(seed: seed, store: fixture.store)
            for _ in 0..<300 {
                switch user.int(0..<10) {
                case 0..<3: table.end()
                case 3:
                    let count = table.cells.rows.count
                    if count > 0, !table.isAnimating {
                        table.drag([user.int(0..<count), user.int(0..<count)], above: user.int(0..<count + 1))
                    }
                case 4..<7: user.gesture(fixture.driver)
                case 7: table.layOut()
                default: try user.edit(fixture.driver)
                }
            }
            fixture.driver.refresh()
            while table.isAnimating { table.end() }
            fixture.pause.run()
            while table.isAnimating { table.end() }
            #expect(table.problems.first == nil, "seed \(seed)")
            #expect(try table.cells.shows(fixture.store.core.snapshot.rows(in: table.layout)), "seed \(seed)")
            #expect(table.stepCount > 50, "seed \(seed)")
        }
    }

    static func step<Source>(
        _ user: inout RandomUser, _ fixture: DriverFixture<Source>, _ table: FakeTable<Source>
    ) throws {
        switch user.int(0..<20) {
        case 0..<5: table.endBatch()
        case 5..<7: table.layOut()
        case 7: fixture.pause.run()
        case 8..<11: user.drag(table)
        case 11: table.isOnScreen = !user.oneIn(4)
        case 12..<16: user.gesture(fixture.driver)
        default: try user.edit(fixture.driver)
        }
    }

    /// Ends the drag, all animations and all waiting closures.
    static func settle<Source>(_ fixture: DriverFixture<Source>, _ table: FakeTable<Source>) {
        table.drop(nil)
        fixture.driver.refresh()
        for _ in 0..<20 {
            table.endBatch()
            fixture.pause.run()
        }
    }
}
