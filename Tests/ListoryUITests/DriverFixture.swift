// A store of todos with a driver, for tests.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport

/// The item of the tests' rows.
struct Todo: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
}

typealias TodoStore = ListStore<String, Todo>

/// Collects closures that a driver wants to be called later; the test calls them.
@MainActor
final class TestPause {
    private var waiting: [@MainActor () -> Void] = []
    /// Closures with a delay of a second or more: the time limits of views.
    private var limits: [@MainActor () -> Void] = []
    /// Whether closures are called at once, which breaks the driver's rule: for controls.
    var isImmediate = false

    var pause: Pause {
        Pause { [self] duration, body in
            if duration >= .seconds(1) { return limits.append(body) }
            if isImmediate { body() } else { waiting.append(body) }
        }
    }

    /// Whether no closure waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// Lets a long time pass: calls the closures of time limits.
    func runLimits() {
        let now = limits
        limits = []
        for body in now { body() }
    }

    /// Calls the closures that wait now, but not those that are added meanwhile.
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
    /// The failures since the last call, as text.
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
    ///   - view: makes the view of the store that is shown.
    init(
        _ rows: [[String]] = [], reloadAbove: Int? = nil, undoScope: UndoScope = .shared,
        view: (TodoStore) throws -> Source
    ) throws {
        folder = try TemporaryFolder()
        var options = StoreOptions()
        options.undoScope = undoScope
        store = try TodoStore.open(at: folder.file("todo.listory"), createIfMissing: true, options: options)
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

    /// Makes a commit at once, also in a test that is a task.
    func edit(_ name: String, _ body: (ListEdit<String, Todo>) throws -> Void) throws { try store.edit(name, body) }

    /// The titles of the newest rows in the store; checked ones begin with an x.
    var titles: [[String]] {
        get throws {
            try store.snapshot.sections.map { section in
                section.rows.map { ($0.isChecked ? "x " : "") + $0.item!.title }
            }
        }
    }

    /// The name of the newest commit.
    var newestName: String {
        get throws { try store.core.commit(store.core.version).name }
    }
}

extension DriverFixture where Source == TodoStore {
    /// A store all of whose rows are shown.
    init(_ rows: [[String]] = [], reloadAbove: Int? = nil, undoScope: UndoScope = .shared) throws {
        try self.init(rows, reloadAbove: reloadAbove, undoScope: undoScope) { $0 }
    }
}

/// A short form of an index path.
func at(_ section: Int, _ item: Int) -> ListIndexPath { ListIndexPath(section: section, item: item) }
