// Everything at once, at random: edits of others, gestures, drags, undo, other predicates, animations that end whenever they
// like, windows that come and go.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport
import Testing

@MainActor
@Suite("A driver under random use")
struct RandomDriverTests {
    @Test("No table view ever rejects what it is given, and at rest it shows what the store says", arguments: 0..<12)
    func table(seed: Int) throws {
        for round in 0..<Soak.factor {
            let seed = UInt64(seed + 1_000 * round)
            let fixture = try DriverFixture(reloadAbove: seed % 3 == 0 ? 12 : nil)
            let table = FakeTable(fixture.driver)
            fixture.driver.drive(table)
            var user = RandomUser(seed: seed, store: fixture.store)
            for _ in 0..<300 { try Self.step(&user, fixture, table) }
            settle(fixture, table)
            #expect(table.problems.first == nil, "seed \(seed)")
            #expect(table.isUpToDate && fixture.driver.playback.isSettled, "seed \(seed)")
            #expect(try table.cells.shows(fixture.store.core.snapshot), "seed \(seed)")
            #expect(table.batchCount + table.reloadCount + table.reconfiguredCount > 20, "seed \(seed)")
        }
    }

    @Test("The same of a filtered view whose predicate changes", arguments: 0..<8)
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
            settle(fixture, table)
            #expect(table.problems.first == nil, "seed \(seed)")
            #expect(try table.cells.shows(fixture.source.snapshot.core), "seed \(seed)")
        }
    }

    @Test("The same of a view without sections", arguments: 0..<8)
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

    private static func step<Source>(
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

    /// Lets everything end that goes on.
    private func settle<Source>(_ fixture: DriverFixture<Source>, _ table: FakeTable<Source>) {
        table.drop(nil)
        fixture.driver.refresh()
        for _ in 0..<20 {
            table.endBatch()
            fixture.pause.run()
        }
    }
}

/// Somebody who does things at random.
@MainActor
struct RandomUser {
    private var edits: RandomEdits
    private let store: TodoStore
    private var nextID = 1_000_000

    init(seed: UInt64, store: TodoStore) {
        edits = RandomEdits(seed: seed, targetCount: 30, maximumSections: 5)
        self.store = store
    }

    mutating func int(_ range: Range<Int>) -> Int { Int.random(in: range, using: &edits.generator) }
    mutating func oneIn(_ n: Int) -> Bool { edits.generator.oneIn(n) }

    /// Somebody else edits the store.
    mutating func edit<Source>(_ driver: ListDriver<Source>) throws {
        let reference = try ReferenceList(store.core.snapshot, ReadingSource(base: store.core.source))
        let operation = edits.next(reference)
        // Some edits are meant to fail.
        _ = try? store.core.edit("Others", durability: .deferred) { try $0.apply(operation) }
        if !oneIn(4) { driver.refresh() }
    }

    private mutating func path<Source>(_ driver: ListDriver<Source>) -> ListIndexPath? {
        let sections = (0..<driver.sectionCount).filter { driver.itemCount(inSection: $0) > 0 }
        guard let section = sections.randomElement(using: &edits.generator) else { return nil }
        return ListIndexPath(section: section, item: int(0..<driver.itemCount(inSection: section)))
    }

    /// A place for a row that is not counted.
    private mutating func place<Source>(_ driver: ListDriver<Source>, from source: ListIndexPath?) -> ListIndexPath? {
        guard driver.sectionCount > 0 else { return nil }
        let section = int(0..<driver.sectionCount)
        let room = driver.itemCount(inSection: section) - (source?.section == section ? 1 : 0)
        return ListIndexPath(section: section, item: int(0..<room + 1))
    }

    /// A gesture that is no drag.
    mutating func gesture<Source>(_ driver: ListDriver<Source>) where Source.Item == Todo {
        switch int(0..<9) {
        case 0...1: path(driver).flatMap { driver.id(at: $0) }.map { _ = driver.delete($0) }
        case 2...3: path(driver).flatMap { driver.id(at: $0) }.map { _ = driver.toggle($0) }
        case 4:
            guard let gap = place(driver, from: nil) else { return }
            nextID += 1
            driver.insert(Todo(id: nextID, title: "\(nextID)"), at: gap)
        case 5:
            // What was inserted by another edit is none of the app's: that fails, and changes nothing.
            let title = "\(int(0..<5))"
            path(driver).flatMap { driver.id(at: $0) }.map { _ = driver.update($0) { $0.title = title } }
        case 6:
            guard let id = path(driver).flatMap({ driver.id(at: $0) }), let gap = place(driver, from: nil)
            else { return }
            driver.move([id], toGap: gap)
        case 7: driver.undo()
        default: driver.redo()
        }
    }

    /// Begins a drag, or ends one.
    mutating func drag<Source>(_ table: FakeTable<Source>) {
        if !table.isBusy {
            path(table.driver).map { table.beginDrag($0) }
        } else if oneIn(4) {
            table.drop(nil)
        } else if let source = table.dragSource, let target = place(table.driver, from: source) {
            table.drop(target)
        }
    }
}

/// Reads contents of a store for the reference.
private struct ReadingSource: CommitSource {
    let base: any CommitSource

    func withRecord<Result>(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        try base.withRecord(of: version, body)
    }
}
