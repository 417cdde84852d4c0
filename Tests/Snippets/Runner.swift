// Runs the blocks one after another. A block that throws, that prints something else than its comment says, or whose loop
// receives nothing fails with its page and line; one that traps is the last one named on standard error.

import Foundation
import Listory
import Synchronization

/// A block of a page.
struct Snippet: Sendable {
    let place: String
    let text: String
    let run: @MainActor @Sendable () async throws -> Void

    /// The rows that are there before it runs: those that it does not insert. If it makes the store, also only those that it names.
    var rows: [Todo] {
        [Todo(id: 7, title: "Milk"), Todo(id: 8, title: "Tea")].filter { todo in
            if text.contains("insert(Todo(id: \(todo.id),") { return false }
            return !text.contains("createIfMissing: true") || text.contains("(\(todo.id)")
        }
    }
}

/// One run of one block.
@MainActor final class Run {
    static var current = Run()

    var failures: [String] = []
    var rows: UntypedSnapshot?
    private var opened: ListStore<String, Todo>?
    private var task: Task<Void, any Error>?
    private var commits: Task<Void, Never>?
    private var waitsForLoop = false

    var store: ListStore<String, Todo> {
        if let opened { return opened }
        let store = try! ListStore<String, Todo>.open(at: path)
        opened = store
        return store
    }

    /// Makes the store as the block finds it.
    private func prepare(_ rows: [Todo]) throws {
        if rows.isEmpty { return }
        let clock = FixedClock()
        clock.now = Timestamp(.now - 600)
        var options = StoreOptions()
        options.now = { clock.now }
        let store = try ListStore<String, Todo>.open(at: path, createIfMissing: true, options: options)
        for todo in rows {
            clock.now = Timestamp(clock.now.date + 60)
            try store.edit("Add \(todo.title)") { try $0.insert(todo, isChecked: todo.id == 8, at: .end(of: "today")) }
        }
        try store.close()
    }

    func run(_ snippet: Snippet) async -> [String] {
        do {
            try prepare(snippet.rows)
            let task = Task { try await snippet.run() }
            self.task = task
            let patience = Task {
                try await Task.sleep(for: .seconds(30))
                failures.append("has a loop that receives nothing")
                task.cancel()
            }
            defer { patience.cancel() }
            try await task.value
        } catch is CancellationError where task?.isCancelled == true {
        } catch {
            failures.append("throws: \(error)")
        }
        if waitsForLoop { failures.append("has a loop that ends before it received something") }
        commits?.cancel()
        await commits?.value
        do { try opened?.close() } catch ListError.closed {} catch { failures.append("closing throws \(error)") }
        return failures
    }

    /// Before a loop: gives it something to receive, until it has.
    func startLoop<SectionID, Item>(_ store: ListStore<SectionID, Item>) {
        waitsForLoop = true
        commits = Task.detached {
            while !Task.isCancelled {
                _ = try? await store.edit("Check All") { list in
                    for row in try list.rows { try list.toggle(row.id) }
                }
                // A row comes back: a trash has less then.
                _ = try? await store.edit("Delete") { list in
                    if let last = try list.rows.last { try list.delete(last.id) }
                }
                _ = try? store.undo()
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// In a loop, which has received something: it ends here, because no reader of the page sees how it would otherwise.
    func endLoop() {
        waitsForLoop = false
        commits?.cancel()
        task?.cancel()
    }
}

/// What blocks have printed since the last comparison.
private let printed = Mutex<[String]>([])

/// What blocks call instead of the one of the standard library.
func print(_ items: Any...) {
    let line = items.map { "\($0)" }.joined(separator: " ")
    printed.withLock { $0.append(line) }
}

/// Compares what was printed with the comment of the block, in which a comma separates lines.
func expectPrinted(_ expected: String) throws {
    let found = printed.withLock { lines in
        defer { lines = [] }
        return lines.joined(separator: ", ")
    }
    if found != expected { throw OtherOutput(expected: expected, found: found) }
}

struct OtherOutput: Error, CustomStringConvertible {
    var expected, found: String
    var description: String { "prints \(found) instead of \(expected)" }
}

@main
struct Runner {
    @MainActor static func main() async throws {
        let folder = FileManager.default.currentDirectoryPath
        var failed = 0
        for (number, snippet) in snippets.enumerated() {
            FileHandle.standardError.write(Data("runs \(snippet.place)\n".utf8))
            let own = "\(folder)/\(number)"
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            _ = FileManager.default.changeCurrentDirectoryPath(own)
            printed.withLock { $0 = [] }
            Run.current = Run()
            for failure in await Run.current.run(snippet) {
                FileHandle.standardOutput.write(Data("\(snippet.place): error: the block \(failure)\n".utf8))
                failed += 1
            }
        }
        exit(failed == 0 ? 0 : 1)
    }
}
