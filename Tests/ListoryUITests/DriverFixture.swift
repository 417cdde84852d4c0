// A store of todos with a driver, and what goes with it in tests.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport

/// What the rows of the tests hold.
struct Todo: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
}

typealias TodoStore = ListStore<String, Todo>

/// Calls closures when the test says so.
@MainActor
final class TestPause {
    private var waiting: [@MainActor () -> Void] = []
    /// What waits for a second or more, by which a view is given up.
    private var limits: [@MainActor () -> Void] = []
    /// Whether closures are called at once: what a driver must not do.
    var isImmediate = false

    var pause: Pause {
        Pause { [self] duration, body in
            if duration >= .seconds(1) { return limits.append(body) }
            if isImmediate { body() } else { waiting.append(body) }
        }
    }

    /// Whether nothing waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// Lets a long time pass.
    func runLimits() {
        let now = limits
        limits = []
        for body in now { body() }
    }

    /// Calls what waits, but not what comes to wait meanwhile.
    func run() {
        let now = waiting
        waiting = []
        for body in now { body() }
    }
}

/// The failures that a driver reported.
@MainActor
final class Failures {
    private(set) var all: [ListFailure] = []
    func add(_ failure: ListFailure) { all.append(failure) }
    /// What was reported since the last time, in words.
    func take() -> [String] {
        defer { all = [] }
        return all.map(\.description)
    }
}

/// A store in a folder of its own, with a driver.
@MainActor
struct DriverFixture<Source: ListSource> where Source.Item == Todo {
    let folder: TemporaryFolder
    let store: TodoStore
    let source: Source
    let driver: ListDriver<Source>
    let pause = TestPause()
    let failures = Failures()

    /// - Parameters:
    ///   - rows: the titles of the rows of each section; sections are called "A", "B" …, ids count from 1.
    ///   - view: what is shown of the store.
    init(_ rows: [[String]] = [], reloadAbove: Int? = nil, view: (TodoStore) throws -> Source) throws {
        folder = try TemporaryFolder()
        store = try TodoStore.open(at: folder.file("todo.listory"), createIfMissing: true)
        var id = 0
        if !rows.isEmpty {
            try store.edit("Start") { list in
                for (index, titles) in rows.enumerated() {
                    let name = String(UnicodeScalar(UInt8(65 + index)))
                    let items = titles.map { title in
                        id += 1
                        return Todo(id: id, title: title)
                    }
                    try list.insertSection(name, title: name, items: items)
                }
            }
        }
        source = try view(store)
        driver = try ListDriver(
            source, names: ActionNames { $0.title }, reloadAbove: reloadAbove, pause: pause.pause,
            onFailure: failures.add)
    }

    /// The titles of the newest rows in the store, those that are checked with an x before.
    var titles: [[String]] {
        get throws {
            try store.snapshot.sections.map { section in
                try section.rows.map { ($0.isChecked ? "x " : "") + (try $0.item.title) }
            }
        }
    }

    /// The name of the newest commit.
    var newestName: String {
        get throws { try store.core.commit(store.core.version).name }
    }
}

extension DriverFixture where Source == TodoStore {
    /// A store that is shown whole.
    init(_ rows: [[String]] = [], reloadAbove: Int? = nil) throws {
        try self.init(rows, reloadAbove: reloadAbove) { $0 }
    }
}

/// A path in few characters.
func at(_ section: Int, _ item: Int) -> ListIndexPath { ListIndexPath(section: section, item: item) }
