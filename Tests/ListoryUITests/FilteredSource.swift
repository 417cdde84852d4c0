// A naive view of a store: the rows for which a predicate is true, computed again at each call. It can pretend that its
// rows are sorted, so that moves are refused.

@testable import ListModel
@testable import Listory

/// The rows of a store for which a predicate is true.
final class FilteredSource: ListSource, Sendable {
    typealias SectionID = String
    typealias Item = Todo
    typealias Predicate = @Sendable (UntypedRow) -> Bool

    private struct State: Sendable {
        var predicate: Predicate
        var listeners: [AsyncStream<Void>.Continuation] = []
    }

    let store: TodoStore
    let keepsOrder: Bool
    private let state: Locked<State>

    init(_ store: TodoStore, keepsOrder: Bool = true, _ predicate: @escaping Predicate) {
        self.store = store
        self.keepsOrder = keepsOrder
        state = Locked(State(predicate: predicate))
    }

    var editedStore: UntypedStore { store.core }
    var coder: ContentCoder<Todo> { store.coder }

    /// Replaces the predicate.
    func filter(_ predicate: @escaping Predicate) {
        let listeners = state.withLock { state in
            state.predicate = predicate
            return state.listeners
        }
        for listener in listeners { listener.yield() }
    }

    var snapshot: ListSnapshot<String, Todo> {
        get throws { try filtered(store.snapshot) }
    }

    func snapshot(at version: Version) throws -> ListSnapshot<String, Todo> {
        try filtered(store.snapshot(at: version))
    }

    private func filtered(_ all: ListSnapshot<String, Todo>) throws -> ListSnapshot<String, Todo> {
        let predicate = state.withLock { $0.predicate }
        var rows = ListState()
        for section in all.core.sections {
            let items = section.items.filter(predicate)
            try rows.apply(
                .sectionInserted(
                    at: rows.sectionCount, ListSection(id: section.id, title: section.title, items: items)))
        }
        rows.version = all.version
        return all.showing(rows.snapshot())
    }

    func changes() throws -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.listeners.append(continuation) }
        let updates = try store.updates()
        let forwarding = Task {
            for await _ in updates { continuation.yield() }
            continuation.finish()
        }
        continuation.onTermination = { _ in forwarding.cancel() }
        return stream
    }
}
