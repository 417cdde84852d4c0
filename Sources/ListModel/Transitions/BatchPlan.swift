// Decides which stages a transition needs, by the rules of views with sections.

/// The stages that a changeset needs.
struct BatchPlan {
    /// The inserted sections that rows move into. They must be inserted before.
    let entered: Set<Int>
    /// The deleted sections that rows move out of. They must be deleted afterwards.
    let left: Set<Int>
    /// Whether sections must not move in the same batch in which rows change.
    let isMoveApart: Bool
    /// Whether sections are inserted before rows change, and whether sections are deleted after that.
    let needsSectionsFirst: Bool
    private(set) var needsSectionsLast: Bool
    /// Whether sections are inserted only when others are deleted.
    private(set) var insertsLast = false

    init(_ changes: Changeset) {
        let inserted = Set(changes.sections.inserted)
        let deleted = Set(changes.sections.deleted)
        entered = inserted.intersection(changes.items.moved.lazy.map(\.to.section))
        left = deleted.intersection(changes.items.moved.lazy.map(\.from.section))
        needsSectionsFirst = !entered.isEmpty
        needsSectionsLast = !left.isEmpty
        guard !changes.sections.moved.isEmpty else {
            isMoveApart = false
            return
        }
        let sources = Set(changes.sections.moved.map(\.from))
        let targets = Set(changes.sections.moved.map(\.to))
        isMoveApart =
            !changes.items.moved.isEmpty || changes.items.deleted.contains { sources.contains($0.section) }
            || changes.items.inserted.contains { targets.contains($0.section) }
    }

    /// The same plan, but rows change before any section is inserted or deleted. Then no section takes over the index
    /// of another one while rows move. Precondition: the plan does not need sections first.
    func withSectionsLast() -> BatchPlan {
        var result = self
        result.needsSectionsLast = true
        result.insertsLast = true
        return result
    }
}
