// Tests an observable list through a query that changes: search, filter and sort, also when a query fails.

import Dispatch
import ListModel
@testable import Listory
@testable import ListoryUI
import Observation
import TestSupport
import Testing

@MainActor
@Suite("A list with a query that changes")
struct QueriedListTests {
    private typealias Rows = ObservableList<QueriedList<String, Todo>>

    private func list(
        _ rows: [[String]], _ query: (ListQuery<String, Todo>) -> ListQuery<String, Todo> = { $0 }
    ) throws -> (DriverFixture<TodoStore>, Rows) {
        let fixture = try DriverFixture(rows)
        return (fixture, try ObservableList(fixture.store, names: ActionNames { $0.title }, query: query))
    }

    private func titles(_ list: Rows) throws -> [[String]] {
        list.sections.map { $0.rows.map { ($0.isChecked ? "x " : "") + $0.item!.title } }
    }

    /// The rows of the store, filtered and sorted without a view.
    private func expected(
        _ fixture: DriverFixture<TodoStore>, filter: Bool, sort: Bool, words: String
    ) throws -> [[String]] {
        try fixture.store.snapshot.sections.map { section in
            var rows = section.rows.map { (isChecked: $0.isChecked, title: $0.item!.title) }
            rows.removeAll { filter && $0.isChecked || !words.isEmpty && !$0.title.contains(words) }
            if sort {
                let sorted = rows.enumerated().sorted {
                    ($0.element.title, $0.offset) < ($1.element.title, $1.offset)
                }
                rows = sorted.map(\.element)
            }
            return rows.map { ($0.isChecked ? "x " : "") + $0.title }
        }
    }

    private struct Unplaceable: Error {}

    /// Filters nothing, and fails for a row that no todo can be decoded from.
    private nonisolated static func canBeRead(_ row: QueryRow<Todo>) throws -> Bool {
        if try row.item == nil { throw Unplaceable() }
        return true
    }

    /// Inserts a row whose content no todo can be decoded from.
    private func insertForeignRow(_ fixture: DriverFixture<TodoStore>) throws {
        try fixture.store.core.edit("Foreign") { list in
            try list.insert(NewRow(id: 99, content: Array("?".utf8)), at: .end(ofSection: "A"))
        }
    }

    @Test("Search, filter and sort change on the way; gestures go to the store")
    func changing() throws {
        let (fixture, list) = try list([["Milk", "Tea", "Green tea"], ["Salt"]]) { $0.searchable(in: \.title) }
        #expect(try titles(list) == [["Milk", "Tea", "Green tea"], ["Salt"]] && list.driver.source.keepsOrder)
        list.searchText = "tea"
        #expect(try titles(list) == [["Tea", "Green tea"], []] && list.searchText == "tea")
        // Below "Green tea", which is the last row that was found.
        #expect(list.move([0], to: 2, in: list.sections[0]))
        #expect(try fixture.titles == [["Milk", "Green tea", "Tea"], ["Salt"]])
        #expect(list.setChecked(true, for: list.sections[0].rows[0]))
        list.show { $0.filter { !$0.isChecked }.searchable(in: \.title) }
        #expect(try titles(list) == [["Tea"], []])
        list.searchText = ""
        #expect(try titles(list) == [["Milk", "Tea"], ["Salt"]])
        list.show { $0.sorted(by: \.title, .descending) }
        #expect(try titles(list) == [["Tea", "Milk", "x Green tea"], ["Salt"]] && !list.driver.source.keepsOrder)
        #expect(!list.move([0], to: 2, in: list.sections[0]) && list.failure?.cause is MoveRefused)
        list.show { $0 }
        #expect(try titles(list) == fixture.titles && list.undo())
    }

    @Test("Search words stay when the query changes before the rows are read, and when both change at once")
    func wordsStay() throws {
        let (fixture, list) = try list([["Milk", "Tea"]]) { $0.searchable(in: \.title) }
        let source = list.driver.source
        source.searchText = "m"
        source.show(ListQuery().sorted(by: \.title).searchable(in: \.title))
        list.driver.refresh()
        #expect(try titles(list) == [["Milk"]])
        // A list that searches from the beginning.
        let other = QueriedList(fixture.store, ListQuery<String, Todo>().searchable(in: \.title))
        other.searchText = "tea"
        #expect(try other.snapshot.itemCount == 1 && other.snapshot(at: Version(1)).itemCount == 1)
    }

    @Test("A query that fails at first shows no rows, says why, and is tried again at each commit")
    func failingAtFirst() throws {
        let fixture = try DriverFixture([["Milk", "Tea"]])
        try insertForeignRow(fixture)
        let list = try ObservableList(fixture.store, names: ActionNames { $0.title }) { $0.filter(Self.canBeRead) }
        #expect(try titles(list) == [] && !list.driver.source.keepsOrder)
        #expect((list.failure?.cause as? ListError)?.cause is QueryError)
        list.failure = nil
        // Also if the sections of the store are none of the query's.
        let other = try ObservableList(fixture.store, names: ActionNames { $0.title }) {
            $0.filter(Self.canBeRead).inOneSection()
        }
        #expect(other.sections.isEmpty && (other.failure?.cause as? ListError)?.cause is QueryError)
        try fixture.store.core.edit("Mend") { try $0.delete(.item(99)) }
        list.driver.refresh()
        #expect(try titles(list) == [["Milk", "Tea"]] && list.failure == nil)
        // The control: a list without the retry throws.
        try insertForeignRow(fixture)
        #expect(throws: (any Error).self) {
            try ObservableList(fixture.store.view { $0.filter(Self.canBeRead) }, names: ActionNames { $0.title })
        }
    }

    @Test("A query that fails later leaves the rows, and is tried again at each commit")
    func failingLater() throws {
        let (fixture, list) = try list([["Milk", "Tea"]])
        try insertForeignRow(fixture)
        list.driver.refresh()
        #expect(list.snapshot.itemCount == 3 && list.failure == nil)
        list.show { $0.filter(Self.canBeRead).sorted(by: \.title, .descending) }
        #expect(list.snapshot.itemCount == 3 && (list.failure?.cause as? ListError)?.cause is QueryError)
        try fixture.store.core.edit("Mend") { try $0.delete(.item(99)) }
        list.driver.refresh()
        #expect(try titles(list) == [["Tea", "Milk"]])
    }

    @Test("A preview goes on if the newest rows cannot be shown, and gestures stay refused")
    func failingAfterThePast() throws {
        let (fixture, list) = try list([["Milk", "Tea"]])
        list.show { $0.filter(Self.canBeRead) }
        list.driver.toggle(1)
        #expect(list.driver.preview(Version(1)))
        try insertForeignRow(fixture)
        list.driver.endPreview()
        #expect(list.isPastShown && list.driver.previewed == Version(1))
        #expect(!list.driver.delete(1) && list.failure?.cause is PastShown)
        try fixture.store.core.edit("Mend") { try $0.delete(.item(99)) }
        list.driver.endPreview()
        #expect(!list.isPastShown && list.driver.previewed == nil)
    }

    @Test("A closed store has no list; one that is closed later keeps its rows")
    func closed() throws {
        let (fixture, list) = try list([["Milk"]])
        try fixture.store.close()
        list.searchText = "x"
        #expect(list.snapshot.itemCount == 1 && list.failure == nil && !list.undo())
        #expect(throws: (any Error).self) {
            try ObservableList(fixture.store, names: ActionNames { $0.title }) { $0.searchable(in: \.title) }
        }
    }

    @Test("Groups of another type than the store's sections can be shown")
    func groups() throws {
        let fixture = try DriverFixture([["Milk", "Tea"], ["Salt"]])
        let list = try ObservableList(fixture.store, names: ActionNames { $0.title }) {
            $0.grouped(by: { try $0.item!.title.count }, title: { "\($0) letters" })
        }
        #expect(list.sections.map(\.title) == ["3 letters", "4 letters"] && list.sections[1].rows.count == 2)
    }

    @Test("A commit that changes no shown row replaces no rows, so SwiftUI compares none")
    func unchangedRows() throws {
        let (fixture, list) = try list([["Milk", "Tea"]]) { $0.filter { !$0.isChecked } }
        list.driver.toggle(1)
        nonisolated(unsafe) var isTold = false
        withObservationTracking({ _ = list.sections }, onChange: { isTold = true })
        try fixture.store.edit("Others") { try $0.update(Todo(id: 1, title: "Cream")) }
        list.driver.refresh()
        #expect(!isTold && list.newestVersion == Version(3))
        // The control.
        try fixture.store.edit("Others") { try $0.update(Todo(id: 2, title: "Coffee")) }
        list.driver.refresh()
        #expect(isTold)
    }

    @Test("A view that has asked whether a row may be moved is told of another query, although the rows are the same")
    func unchangedRowsOfAnotherQuery() throws {
        let (fixture, list) = try list([["Milk", "Tea"]])
        let row = list.sections[0].rows[0]
        nonisolated(unsafe) var isTold = false
        withObservationTracking({ _ = list.canMove(row) }, onChange: { isTold = true })
        list.show { $0.sorted(by: \.title) }
        #expect(isTold && !list.canMove(row))
        // The control.
        isTold = false
        withObservationTracking({ _ = list.canMove(row) }, onChange: { isTold = true })
        list.show { $0.sorted(by: \.title) }
        #expect(!isTold)
        withExtendedLifetime(fixture) {}
    }

    @Test("A row that is added to a list in one section goes to the store's last section if no row is shown")
    func insertingWithoutNeighbours() throws {
        let fixture = try DriverFixture([["Milk"], []])
        let list = try ObservableList(fixture.store, names: ActionNames { $0.title }) {
            $0.inOneSection().searchable(in: \.title)
        }
        list.searchText = "zzz"
        #expect(list.insert(Todo(id: 50, title: "Salt"), in: list.sections[0]) && list.failure == nil)
        #expect(try fixture.titles == [["Milk"], ["Salt"]])
        list.searchText = "mi"
        #expect(list.insert(Todo(id: 51, title: "Mint"), in: list.sections[0]))
        #expect(try fixture.titles == [["Milk", "Mint"], ["Salt"]])
    }

    @Test(
        "A view that shows the same rows in another order of its own tells its readers, who may not move rows then",
        .timeLimit(.minutes(10)))
    func unchangedRowsOfAView() async throws {
        let fixture = try DriverFixture([["Milk", "Tea"]])
        let view = try fixture.store.view { $0.sorted(by: \.title) }
        let list = try ObservableList(view, names: ActionNames { $0.title })
        let row = list.sections[0].rows[0]
        #expect(!list.canMove(row))
        for mayMove in [true, false] {
            nonisolated(unsafe) var isTold = false
            withObservationTracking({ _ = list.canMove(row) }, onChange: { isTold = true })
            try view.show(mayMove ? ListQuery() : ListQuery().sorted(by: \.title))
            while !isTold { await Task.yield() }
            #expect(list.canMove(row) == mayMove)
        }
    }

    @Test(
        "The newest version is that of the store, also if a commit changes no row of the view and no undo",
        .timeLimit(.minutes(10)))
    func newestVersionOfAView() async throws {
        let fixture = try DriverFixture([["Milk"], ["Salt"]])
        let list = try ObservableList(
            fixture.store.view { $0.sections(["A"]) }, names: ActionNames { $0.title })
        let newest = list.newestVersion
        try await fixture.store.edit("Check", tracking: .untracked) { try $0.setChecked(true, for: 2) }
        while list.newestVersion == newest { await Task.yield() }
        let version = try fixture.store.version
        #expect(list.newestVersion == version)
    }

    // MARK: Several threads

    @Test("A read waits for no other thread, and has the rows of the wanted query, which stays the wanted one")
    func otherThread() throws {
        let fixture = try DriverFixture([["Milk", "Tea"]])
        let source = QueriedList(fixture.store, ListQuery<String, Todo>())
        #expect(try source.snapshot.itemCount == 2)
        let (isInside, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (isDone, hasWaited) = (DispatchSemaphore(value: 0), Locked(false))
        source.show(
            ListQuery().filter { _ in
                isInside.signal()
                if mayGoOn.wait(timeout: .now() + 30) == .timedOut { hasWaited.withLock { $0 = true } }
                mayGoOn.signal()
                return false
            })
        DispatchQueue.global().async { @Sendable in
            _ = try? source.snapshot
            isDone.signal()
        }
        try #require(isInside.wait(timeout: .now() + 60) == .success)
        source.show(ListQuery().sorted(by: \.title))
        #expect(try source.snapshot.itemCount == 2 && !source.keepsOrder)
        mayGoOn.signal()
        try #require(isDone.wait(timeout: .now() + 60) == .success)
        #expect(!hasWaited.withLock { $0 })
        #expect(try source.snapshot.itemCount == 2 && !source.keepsOrder)
        withExtendedLifetime(fixture) {}
    }

    @Test("Beside threads that read all the time, each read has the query and the words that were set before it")
    func besideReaders() throws {
        let fixture = try DriverFixture([(0..<60).map { "w\($0 % 5)" }])
        let source = QueriedList(fixture.store, ListQuery<String, Todo>().searchable(in: \.title))
        let (isOver, readers) = (Locked(false), DispatchGroup())
        for _ in 0..<2 {
            DispatchQueue.global().async(group: readers) { @Sendable in
                while !isOver.withLock({ $0 }) { _ = try? source.snapshot }
            }
        }
        defer {
            isOver.withLock { $0 = true }
            readers.wait()
        }
        for round in 0..<300 * Soak.factor {
            let (least, word) = (round * 7 % 60, round % 5)
            source.searchText = "w\(word)"
            source.show(ListQuery().filter { $0.id > least }.searchable(in: \.title))
            let expected = (1...60).count(where: { $0 > least && ($0 - 1) % 5 == word })
            #expect(try source.snapshot.itemCount == expected, "round \(round)")
        }
    }

    @Test("A slider of versions shows the past, and observers are notified of it")
    func timeTravel() throws {
        let (fixture, list) = try list([["Milk", "Tea"]])
        list.delete([0], in: list.sections[0])
        #expect(list.newestVersion == Version(2) && list.shownVersion == Version(2) && list.oldestVersion == .empty)
        nonisolated(unsafe) var isTold = false
        withObservationTracking({ _ = list.shownVersion }, onChange: { isTold = true })
        list.shownVersion = Version(1)
        #expect(isTold && list.isPastShown && list.shownVersion == Version(1))
        #expect(try titles(list) == [["Milk", "Tea"]] && !list.canDelete(list.sections[0].rows[0]))
        list.shownVersion = .empty
        #expect(try titles(list) == [])
        list.shownVersion = Version(7)
        #expect(try titles(list) == [["Tea"]] && !list.isPastShown && list.shownVersion == Version(2))
        list.shownVersion = Version(1)
        #expect(list.restoreShownVersion() && !list.isPastShown && list.newestVersion == Version(3))
        #expect(try fixture.titles == [["Milk", "Tea"]] && list.undo() && !list.restoreShownVersion())
        #expect(try titles(list) == [["Tea"]] && list.failure == nil)
    }

    @Test("A table view and observers show the same list: observers at once, the table in batches")
    func tableOfObservableList() throws {
        let (fixture, list) = try list([["Milk", "Tea", "Salt"]]) { $0.searchable(in: \.title) }
        let table = FakeTable(list.driver)
        list.driver.drive(table)
        #expect(list.delete([0], in: list.sections[0]) && table.batchCount == 1)
        // The batch is still being animated.
        list.searchText = "salt"
        #expect(try titles(list) == [["Salt"]] && list.driver.shown.itemCount == 2 && table.batchCount == 1)
        table.endBatch()
        table.endBatch()
        #expect(table.isUpToDate && table.problems.isEmpty && list.driver.shown.itemCount == 1)
        list.shownVersion = Version(1)
        list.searchText = ""
        while !list.driver.player.isSettled { table.endBatch() }
        #expect(try titles(list) == [["Milk", "Tea", "Salt"]] && table.isUpToDate && table.problems.isEmpty)
        #expect(table.reloadCount == 0 && fixture.failures.all.isEmpty)
    }

    @Test("Under random edits, searches and queries, the rows are those of a model", arguments: 0..<8)
    func random(seed: Int) throws {
        for round in 0..<Soak.factor {
            let seed = UInt64(seed + 1_000 * round)
            var random = SeededGenerator(seed: seed)
            let (fixture, list) = try list([[], []]) { $0.searchable(in: \.title) }
            let table = FakeTable(list.driver)
            table.isInstant = true
            list.driver.drive(table)
            // The store's rows are the model; `filter` and `sort` say which of them the list has.
            var (filter, sort) = (false, false)
            for step in 0..<120 {
                switch Int.random(in: 0..<8, using: &random) {
                case 0...3:
                    let title = String((0..<3).map { _ in "abc".randomElement(using: &random)! })
                    guard let section = list.sections.indices.randomElement(using: &random) else {
                        // The commit that inserted the sections was undone.
                        list.redo()
                        continue
                    }
                    let offset = Int.random(in: 0...list.sections[section].rows.count, using: &random)
                    list.insert(Todo(id: step + 1, title: title), at: offset, in: list.sections[section])
                case 4:
                    for section in list.sections.prefix(1) where !section.rows.isEmpty {
                        list.setChecked(Bool.random(using: &random), for: section.rows.randomElement(using: &random)!)
                    }
                case 5:
                    (filter, sort) = (Bool.random(using: &random), Bool.random(using: &random))
                    list.show { [filter, sort] query in
                        let filtered = filter ? query.filter { !$0.isChecked } : query
                        return (sort ? filtered.sorted(by: \.title) : filtered).searchable(in: \.title)
                    }
                case 6: list.searchText = ["", "a", "ab", "b"].randomElement(using: &random)!
                default: _ = Bool.random(using: &random) ? list.undo() : list.redo()
                }
                list.failure = nil
                let expected = try expected(fixture, filter: filter, sort: sort, words: list.searchText)
                #expect(try titles(list) == expected, "seed \(seed), step \(step)")
            }
            #expect(table.isUpToDate && table.problems.isEmpty, "seed \(seed)")
        }
    }
}
