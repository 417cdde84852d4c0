// Makes the batches of a transition, and the snapshots between them.
//
// Stage 1 inserts sections, stage 2 changes rows, stage 3 deletes sections. Sections that cannot move while rows change
// move in stage 1 if there is one, otherwise in stage 3. The list after stage 1 is the old one with sections added; the
// list before stage 3 is the new one with sections added. A section that rows will move into is empty after stage 1; a
// section that rows have moved out of is empty before stage 3.
//
// Always holds: in a snapshot between two batches, a section has its rows of the old or of the new snapshot, or none.
// So snapshots are made from whole sections, not row by row.

struct BatchMaker {
    let old: UntypedSnapshot
    let new: UntypedSnapshot
    let changes: Changeset
    let plan: BatchPlan
    /// Whether there is a stage 1, and whether there is a stage 3.
    let hasFirst: Bool
    let hasLast: Bool
    /// `first` makes the list after stage 1 from the old one; `last` makes the list before stage 3 from the new one.
    let first: SectionPlacement
    let last: SectionPlacement
    /// Where sections are in the old and in the new snapshot.
    let places: SectionPlaces

    init(from old: UntypedSnapshot, to new: UntypedSnapshot, _ changes: Changeset, _ plan: BatchPlan) {
        self.old = old
        self.new = new
        self.changes = changes
        self.plan = plan
        hasFirst = plan.needsSectionsFirst
        hasLast = plan.needsSectionsLast || (plan.isMoveApart && !hasFirst)
        let sections = changes.sections
        places = SectionPlaces(sections)
        let (gone, arrived) = (places.gone, places.arrived)
        let sources = sections.moved.map(\.from).sorted()
        let targets = sections.moved.map(\.to)
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
