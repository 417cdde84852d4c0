// Detects batches that a list view accepts although they corrupt it later.

extension TableRules {
    /// The part of the batch that causes a crash or wrong rows later; nil if there is none.
    var hazard: String? {
        let (sections, items) = (batch.sections, batch.items)
        if Set(sections.deletes).count < sections.deletes.count { return "a section is deleted twice" }
        if Set(items.deletes).count < items.deletes.count { return "a row is deleted twice" }
        if sections.moves.isEmpty { return nil }
        if !items.moves.isEmpty { return "rows and sections move in one batch" }
        let sources = Set(sections.moves.map(\.from))
        if let path = items.allDeletes.first(where: { sources.contains($0.section) }) {
            return "row \(path) is deleted in a section that moves"
        }
        let targets = Set(sections.moves.map(\.to))
        if let path = items.allInserts.first(where: { targets.contains($0.section) }) {
            return "row \(path) is inserted in a section that moves"
        }
        return nil
    }
}
