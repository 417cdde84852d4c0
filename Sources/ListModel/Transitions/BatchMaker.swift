// Makes the batches of a transition, and the snapshots between them.
//
// Stage 1 inserts sections, stage 2 changes rows, stage 3 deletes sections; sections move in stage 3 or, if there is a
// stage 1, in that. The list after stage 1 is the old one with sections put in, that before stage 3 the new one with
// sections put in. A section that rows will move into is empty after stage 1, one that rows moved out of before stage 3.
//
// Always holds: the rows of a section in a snapshot between two batches are those that the old or the new snapshot has in
// it, or none. So nothing is done row by row.

struct BatchMaker {
    let old: Snapshot
    let new: Snapshot
    let changes: Changeset
    let plan: BatchPlan
    /// Whether sections are inserted in a stage of their own; whether they are deleted or moved in one.
    let hasFirst: Bool
    let hasLast: Bool
    /// The list after stage 1 from the old one; the list before stage 3 from the new one.
    let first: SectionPlacement
    let last: SectionPlacement
    /// Of sections that move, the old index by the new one, and the other way round.
    let moveSources: [Int: Int]
    let moveTargets: [Int: Int]

    init(from old: Snapshot, to new: Snapshot, _ changes: Changeset, _ plan: BatchPlan) {
        self.old = old
        self.new = new
        self.changes = changes
        self.plan = plan
        hasFirst = plan.needsSectionsFirst
        hasLast = plan.needsSectionsLast || (plan.isMoveApart && !hasFirst)
        let sections = changes.sections
        moveSources = Dictionary(uniqueKeysWithValues: sections.moved.map { ($0.to, $0.from) })
        moveTargets = Dictionary(uniqueKeysWithValues: sections.moved.map { ($0.from, $0.to) })
        let sources = sections.moved.map(\.from).sorted()
        let targets = sections.moved.map(\.to)
        let gone = (sections.deleted + sources).sorted()
        let arrived = (sections.inserted + targets).sorted()
        let movesFirst = hasFirst && plan.isMoveApart
        let movesLast = hasLast && plan.isMoveApart && !movesFirst
        first = SectionPlacement(
            hasFirst ? (movesFirst ? arrived : sections.inserted) : [], removing: movesFirst ? sources : [],
            gone: gone, arrived: arrived, afterBase: true)
        last = SectionPlacement(
            plan.needsSectionsLast ? (movesLast ? gone : sections.deleted) : movesLast ? sources : [],
            removing: plan.insertsLast ? (movesLast ? arrived : sections.inserted) : movesLast ? targets : [],
            gone: arrived, arrived: gone, afterBase: false)
    }
}
