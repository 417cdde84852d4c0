// Which stages a transition needs, by the rules of views with sections.

/// Which stages a changeset needs.
struct BatchPlan {
    /// The inserted sections that rows move into: they must be there before.
    let entered: Set<Int>
    /// The deleted sections that rows move out of: they must be there until then.
    let left: Set<Int>
    /// Whether sections move that cannot do so while rows change.
    let isMoveApart: Bool
    /// Whether sections come before rows change, and whether they go after that.
    let needsSectionsFirst: Bool
    private(set) var needsSectionsLast: Bool
    /// Whether sections come only when others go.
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

    /// The same, but rows change before any section comes or goes: then no section has the index of another meanwhile.
    /// Not for a plan that needs sections first.
    func withSectionsLast() -> BatchPlan {
        var result = self
        result.needsSectionsLast = true
        result.insertsLast = true
        return result
    }
}
