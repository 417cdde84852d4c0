// Tests what an app reads inside an edit, and the edits that stand on it: changing an item in place, deleting by a
// condition, sections on the way, restoring a row.

import Foundation
import ListModel
@testable import Listory
import TestSupport
import Testing

private struct Task: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
}

private typealias TaskStore = ListStore<String, Task>

@Suite("Reading inside an edit")
struct EditReadingTests {
    private static func open(_ folder: TemporaryFolder) throws -> TaskStore {
        try ListStore.open(at: URL(fileURLWithPath: folder.file("tasks.listory")), createIfMissing: true)
    }

    private static func titles(_ rows: some Sequence<ListRow<Task>>) throws -> [String] {
        rows.map { ($0.isChecked ? "x " : "") + $0.item!.title }
    }

    @Test("At every moment of random edits, the rows are those of a naive list")
    func random() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let store = try Self.open(TemporaryFolder())
        var model: [(task: Task, isChecked: Bool)] = []
        for round in 0..<40 {
            let before = model
            let fails = generator.next() % 4 == 0
            struct Failure: Error {}
            do {
                try store.edit("Round \(round)", durability: .deferred) { list in
                    for step in 0..<Int(generator.next() % 6) {
                        let task = Task(id: round * 10 + step, title: "Task \(generator.next() % 5)")
                        let index = model.isEmpty ? 0 : Int(generator.next() % UInt64(model.count))
                        switch model.isEmpty ? 0 : generator.next() % 6 {
                        case 0:
                            try list.insert(task, at: .end(of: "tasks"))
                            model.append((task, false))
                        case 1:
                            try list.insert(task, at: .start(of: "tasks"))
                            model.insert((task, false), at: 0)
                        case 2:
                            try list.toggle(model[index].task.id)
                            model[index].isChecked.toggle()
                        case 3:
                            try list.update(model[index].task.id) { $0.title += "!" }
                            model[index].task.title += "!"
                        case 4:
                            let count = try list.delete { row in row.item!.title == model[index].task.title }
                            let left = model.filter { $0.task.title != model[index].task.title }
                            #expect(count == model.count - left.count, "seed \(seed)")
                            model = left
                        default:
                            try list.move(model[index].task.id, to: .start(of: "tasks"))
                            model.insert(model.remove(at: index), at: 0)
                        }
                        #expect(try list.rows.map(\.item) == model.map(\.task), "seed \(seed)")
                        #expect(try list.rows.map(\.isChecked) == model.map(\.isChecked), "seed \(seed)")
                        #expect(try list.itemCount == model.count)
                        for (index, row) in model.enumerated() {
                            #expect(try list.row(row.task.id)?.item == row.task)
                            #expect(try list.indexPath(of: row.task.id)?.item == index)
                            #expect(try list.sectionID(containing: row.task.id) == "tasks")
                        }
                    }
                    if fails { throw Failure() }
                }
            } catch is Failure { model = before }
            #expect(try store.snapshot.rows.map(\.item) == model.map(\.task), "seed \(seed)")
        }
        try store.close()
    }

    @Test("An edit returns what its closure returns, and its version is the one that it makes")
    func results() throws {
        let store = try Self.open(TemporaryFolder())
        let id = try store.edit("Add") { try $0.insert(Task(id: 7, title: "Milk"), at: .end(of: "today")).id }
        #expect(id == 7)
        let (version, count) = try store.edit("More") { list in
            try list.insert([Task(id: 8, title: "Tea"), Task(id: 9, title: "Rice")], at: .start(of: "today"))
            return (try list.version, try list.snapshot.itemCount)
        }
        #expect(try count == 3 && version == store.version)
        #expect(try store.row(7)?.item?.title == "Milk" && store.row(1) == nil)
        try store.close()
    }

    @Test("Who reads while an edit is in progress does not wait for it, and finds what was there before")
    func readingMeanwhile() throws {
        let store = try Self.open(TemporaryFolder())
        try store.edit("Add") { try $0.insert(Task(id: 1, title: "Milk"), at: .end(of: "today")) }
        try store.edit("Delete") { list in
            try list.delete(1)
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                #expect(throws: Never.self) {
                    #expect(try store.indexOfSection("today") == 0 && store.indexOfSection("other") == nil)
                    #expect(try store.sectionID(containing: 1) == "today" && store.sectionID(containing: 2) == nil)
                    #expect(try store.row(1)?.item?.title == "Milk")
                    try store.breakUndoCoalescing()
                }
                isDone.signal()
            }
            #expect(isDone.wait(timeout: .now() + 60) == .success)
        }
        #expect(try store.sectionID(containing: 1) == nil)
        try store.close()
    }

    @Test("Rows that an edit wrote can be read after it, if it was made; otherwise they say that it has ended")
    func keptRows() throws {
        struct Failure: Error {}
        let store = try Self.open(TemporaryFolder())
        try store.edit("Add") { try $0.insert(Task(id: 1, title: "Milk"), at: .end(of: "today")) }
        let kept = try store.edit("Change") { list in
            try list.insert(Task(id: 2, title: "Tea"), at: .end(of: "today"))
            try list.update(1) { $0.title = "Bread" }
            return try Array(list.rows)
        }
        #expect(try Self.titles(kept) == ["Bread", "Tea"])
        var dropped: [ListRow<Task>] = []
        #expect(throws: Failure.self) {
            try store.edit("Fail") { list in
                try list.insert(Task(id: 3, title: "Rice"), at: .end(of: "today"))
                dropped = try Array(list.rows)
                #expect(try Self.titles(dropped) == ["Bread", "Tea", "Rice"])
                throw Failure()
            }
        }
        // Another commit takes the version that the failed edit would have made.
        try store.edit("Next") { try $0.insert(Task(id: 3, title: "Salt"), at: .end(of: "today")) }
        #expect(try Self.titles(dropped.prefix(2)) == ["Bread", "Tea"])
        #expect(dropped[2].item == nil)
        let error = #expect(throws: ListError.self) { try dropped[2].content.get() }
        #expect(error?.code == "editEnded")
        #expect("\(dropped[2])".hasPrefix("[ ] 3: unreadable: an edit, or a row that it wrote"))
        try store.close()
    }

    @Test("A row that an edit has just written can be read on another thread meanwhile")
    func otherThread() throws {
        let store = try Self.open(TemporaryFolder())
        try store.edit("Add") { try $0.insert(Task(id: 1, title: "Milk"), at: .end(of: "today")) }
        try store.edit("Change") { list in
            try list.insert(Task(id: 2, title: "Tea"), at: .end(of: "today"))
            let rows = try Array(list.rows)
            let found = Locked<[String]>([])
            let thread = Thread { found.withLock { $0 = rows.map(\.description) + ["end"] } }
            thread.start()
            while found.withLock({ $0.isEmpty }) { usleep(1_000) }
            let texts = found.withLock { $0 }
            #expect(texts == ["[ ] Milk", "[ ] Tea", "end"])
            #expect(try Self.titles(rows) == ["Milk", "Tea"])
        }
        try store.close()
    }

    @Test("Changing an item in place keeps its row, and makes no commit if nothing changes")
    func updateInPlace() throws {
        struct Failure: Error {}
        let store = try Self.open(TemporaryFolder())
        try store.edit("Add") { try $0.insert(Task(id: 1, title: "Milk"), at: .end(of: "today")) }
        let old = try store.edit("Rename") { list in
            try list.update(1) { task -> String in
                defer { task.title = "Bread" }
                return task.title
            }
        }
        #expect(try old == "Milk" && store.item(1)?.title == "Bread")
        let version = try store.version
        try store.edit("Same") { try $0.update(1) { $0.title = "Bread" } }
        #expect(try store.version == version)
        #expect(throws: ListError.unknownItem(2)) { try store.edit("None") { try $0.update(2) { $0.title = "" } } }
        #expect(throws: ListError.identityChanged(from: 1, to: 5)) {
            try store.edit("Id") { try $0.update(1) { $0.id = 5 } }
        }
        try store.edit("Throw") { list throws in
            #expect(throws: Failure.self) {
                try list.update(1) { task in
                    task.title = "Lost"
                    throw Failure()
                }
            }
            #expect(try list.item(1)?.title == "Bread")
        }
        #expect(try store.version == version)
        try store.close()
    }

    @Test("A place at the start or end of a section that is not there makes it, unless the rows cannot be inserted")
    func sectionsOnTheWay() throws {
        let store = try Self.open(TemporaryFolder())
        try store.edit("Add") { list in
            #expect(try !list.hasSection("today"))
            try list.insert(Task(id: 1, title: "Milk"), at: .end(of: "today"))
            #expect(try list.hasSection("today"))
            try list.insert([Task(id: 2, title: "Tea"), Task(id: 3, title: "Rice")], at: .start(of: "later"))
            try list.move(1, to: .end(of: "done"))
        }
        #expect(try store.snapshot.sections.map { $0.id } == ["today", "later", "done"])
        #expect(try store.snapshot.section("done").map { try Self.titles($0.rows) } == ["Milk"])
        #expect(try store.snapshot.section("never") == nil)
        try store.edit("Fail") { list throws in
            #expect(throws: ListError.duplicateItem(1)) {
                try list.insert(Task(id: 1, title: "Milk"), at: .end(of: "new"))
            }
            #expect(throws: ListError.unknownItem(9)) { try list.move(9, to: .end(of: "new")) }
            #expect(try !list.hasSection("new"))
        }
        #expect(throws: ListError.unknownSection("new")) {
            try store.edit("Index") { try $0.insert(Task(id: 5, title: ""), at: .section("new", at: 0)) }
        }
        try store.undo()
        #expect(try store.snapshot.itemCount == 0 && store.snapshot.sections.isEmpty)
        try store.close()
    }
}

// MARK: - Rows of the past

extension EditReadingTests {
    @Test("A restored row has its former item, checkmark and place, wherever its neighbours are now")
    func restore() throws {
        let store = try Self.open(TemporaryFolder())
        try store.edit("Add") { list in
            try list.insertSection("today", title: "Today", items: (1...5).map { Task(id: $0, title: "Task \($0)") })
            try list.toggle(3)
        }
        let then = try store.snapshot
        func restored(_ name: String, _ change: (ListEdit<String, Task>) throws -> Void) throws -> [String] {
            try store.edit(name, change)
            try store.edit("Restore") { try $0.restore(3, from: then) }
            let result = try Self.titles(store.snapshot.rows)
            try store.undo()
            try store.undo()
            #expect(try store.snapshot.stateHash == then.stateHash)
            return result
        }
        let all = ["Task 1", "Task 2", "x Task 3", "Task 4", "Task 5"]
        #expect(try restored("Delete") { try $0.delete(3) } == all)
        #expect(
            try restored("Change") { list in
                try list.update(3) { $0.title = "Other" }
                try list.toggle(3)
            } == all)
        #expect(try restored("Before") { try $0.delete(.items([1, 2, 3])) } == ["x Task 3", "Task 4", "Task 5"])
        #expect(
            try restored("Neighbour") { list in
                try list.delete(.items([2, 3]))
                try list.move(1, to: .end(of: "today"))
            } == ["x Task 3", "Task 4", "Task 5", "Task 1"])
        #expect(try restored("All") { try $0.delete(.items([1, 2, 3, 4, 5])) } == ["x Task 3"])
        #expect(try restored("Section") { try $0.deleteSection("today") } == ["x Task 3"])
        try store.edit("Section") { try $0.deleteSection("today") }
        try store.edit("Restore") { try $0.restore(3, from: then) }
        #expect(try store.snapshot.section("today")?.title == "Today")
        #expect(throws: ListError.notInVersion(what: "row 9", then.version)) {
            try store.edit("None") { try $0.restore(9, from: then) }
        }
        try store.close()
    }

    @Test("A snapshot of a date has the rows of the last commit before it")
    func dates() throws {
        let now = Locked(Timestamp(Date(timeIntervalSince1970: 1_000)))
        var options = StoreOptions()
        options.now = { now.withLock { $0 } }
        let folder = try TemporaryFolder()
        let store = try TaskStore.open(at: folder.file("tasks"), createIfMissing: true, options: options)
        for id in 1...3 {
            now.withLock { $0 = Timestamp($0.date + 60) }
            try store.edit("Add") { try $0.insert(Task(id: id, title: "\(id)"), at: .end(of: "today")) }
        }
        let dates = [1_000, 1_060, 1_119.9, 1_120, 5_000].map { Date(timeIntervalSince1970: $0) }
        #expect(try dates.map { try store.snapshot(at: $0).itemCount } == [0, 1, 1, 2, 3])
        try store.close()
        #expect(Timestamp(.distantFuture).date == .distantFuture && "\(Timestamp(dates[1]))" == "1970-01-01T00:17:40Z")
        #expect("\(Timestamp(microseconds: .max))" == "\(Int64.max) µs")
        #expect(Timestamp(Date(timeIntervalSince1970: .infinity)).microseconds == .max)
    }

    @Test("Whatever is printed shows what a person wants to see")
    func descriptions() throws {
        var options = StoreOptions()
        options.now = { Timestamp(Date(timeIntervalSince1970: 60)) }
        let folder = try TemporaryFolder()
        let store = try TaskStore.open(at: folder.file("tasks"), createIfMissing: true, options: options)
        try store.edit("Add", origin: "anna") { list in
            try list.insertSection(
                "today", title: "Today", items: [Task(id: 1, title: "Milk"), Task(id: 2, title: "Tea")])
            try list.insert([ListEdit.Row(Task(id: 3, title: "Rice"), depth: 1)], at: .end(of: "later"))
            try list.toggle(2)
        }
        let first = try store.snapshot
        #expect(
            "\(first)" == """
                version 1
                today: Today
                  [ ] Milk
                  [x] Tea
                later
                    [ ] Rice
                """)
        #expect(String(reflecting: Array(first.rows)[1]).hasPrefix("[x] 2: "))
        #expect(String(reflecting: Array(first.rows)[1]).contains("Task(id: 2, title: \"Tea\")"))
        #expect(Mirror(reflecting: first).children.map(\.label) == ["version", "sections"])
        #expect(first.sections.map(\.description) == ["today: Today (2 rows)", "later (1 rows)"])
        #expect(try "\(store.commit(store.version))" == "1 \"Add\" by anna, 1970-01-01T00:01:00Z")
        try store.edit("Move") { list in
            try list.move(1, to: .end(of: "later"))
            try list.delete(2)
        }
        let changes = try store.snapshot.changeset(from: first)
        #expect("\(changes)" == "deleted [0, 1], moved [0, 0] → [1, 1]")
        #expect(try "\(store.undoState())" == "undo \"Move\" (1 of 2), nothing to redo")
        #expect(try "\(store.undo())" == "3 undo of 2 \"Move\", 1970-01-01T00:01:00Z")
        #expect(try "\(store.core.snapshot)".contains("[x] 2"))
        let many = try store.edit("Many") { list in
            try list.insert((10..<300).map { Task(id: $0, title: "\($0)") }, at: .end(of: "later"))
            return try list.snapshot
        }
        let lines = "\(many)".split(separator: "\n")
        #expect(lines.count == 1 + 2 + 100 + 1 && lines.last == "… 193 more rows")
        try store.close()
    }
}
