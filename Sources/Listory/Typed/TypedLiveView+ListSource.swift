// A live view as something that a list view can show, and whose rows can be edited in the store.

import ListModel

extension TypedLiveView: ListSource {
    public var editedStore: Store { core.store }

    /// Whether rows stand in the order and the sections of the store: nothing of the query sorts or groups.
    public var keepsOrder: Bool { core.keepsOrder }

    /// An error is thrown at whoever asks for the newest rows, who is therefore told of it as well.
    public func changes() throws -> AsyncStream<Void> { try core.changes() }
}

extension ViewQuery {
    /// Whether rows stand in the order and the sections of the list.
    var keepsOrder: Bool {
        parts.allSatisfy { part in
            guard case .arrange(let rules) = part else { return true }
            return rules.keys.isEmpty && rules.sections.isOfSource
        }
    }
}

extension Arrangement.Sections {
    fileprivate var isOfSource: Bool { if case .source = self { true } else { false } }
}
