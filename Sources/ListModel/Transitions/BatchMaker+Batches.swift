// The batches of a transition, one function for each stage.

extension BatchMaker {
    /// The batches of all stages that are not empty.
    func batches() -> [UpdateBatch] {
        let middle = hasFirst ? afterFirst() : old
        let late = hasLast ? beforeLast() : new
        var result: [UpdateBatch] = []
        func append(_ changes: Changeset, _ snapshot: UntypedSnapshot) {
            if !changes.isEmpty { result.append(UpdateBatch(changes: changes, snapshot: snapshot)) }
        }
        append(firstChanges(), middle)
        append(middleChanges(), late)
        append(lastChanges(), new)
        return result
    }

    private var movesFirst: Bool { hasFirst && plan.isMoveApart }
    private var movesLast: Bool { hasLast && plan.isMoveApart && !movesFirst }

    /// Stage 1: sections are inserted, and may move.
    private func firstChanges() -> Changeset {
        var result = Changeset()
        guard hasFirst else { return result }
        result.sections.inserted = changes.sections.inserted.map(first.index(ofOther:))
        if movesFirst {
            result.sections.moved = changes.sections.moved.map {
                Changeset.Move(from: $0.from, to: first.index(ofOther: $0.to))
            }
        }
        return result
    }

    /// Stage 2: rows are deleted, inserted and moved. Changes of sections that need no separate stage are made here,
    /// too.
    private func middleChanges() -> Changeset {
        var result = Changeset()
        let sections = changes.sections
        if !plan.needsSectionsLast { result.sections.deleted = sections.deleted.map(indexAfterFirst).sorted() }
        if !hasFirst && !plan.insertsLast { result.sections.inserted = sections.inserted.map(indexBeforeLast).sorted() }
        if !plan.isMoveApart {
            result.sections.moved = sections.moved.map {
                Changeset.Move(from: indexAfterFirst($0.from), to: indexBeforeLast($0.to))
            }
        }
        let deleted = Set(sections.deleted)
        let inserted = Set(sections.inserted)
        result.items.deleted = changes.items.deleted.compactMap { path in
            let goesWithSection = deleted.contains(path.section) && !(plan.left.contains(path.section))
            return goesWithSection ? nil : path.inSection(indexAfterFirst(path.section))
        }.sorted()
        result.items.inserted = changes.items.inserted.compactMap { path in
            let comesWithSection = inserted.contains(path.section) && !(plan.entered.contains(path.section))
            return comesWithSection ? nil : path.inSection(indexBeforeLast(path.section))
        }.sorted()
        result.items.moved = changes.items.moved.map {
            Changeset.Move(
                from: $0.from.inSection(indexAfterFirst($0.from.section)),
                to: $0.to.inSection(indexBeforeLast($0.to.section)))
        }.ordered { $0.to < $1.to }
        return result
    }

    /// Stage 3: sections are deleted, and may move.
    private func lastChanges() -> Changeset {
        var result = Changeset()
        guard hasLast else { return result }
        if plan.needsSectionsLast { result.sections.deleted = changes.sections.deleted.map(last.index(ofOther:)) }
        if plan.insertsLast { result.sections.inserted = changes.sections.inserted }
        if movesLast {
            result.sections.moved = changes.sections.moved.map {
                Changeset.Move(from: last.index(ofOther: $0.from), to: $0.to)
            }
        }
        return result
    }

    // MARK: Where sections are

    /// The index after stage 1 of a section, from its index in the old snapshot.
    private func indexAfterFirst(_ index: Int) -> Int {
        guard hasFirst else { return index }
        if movesFirst, let target = places.moveTargets[index] { return first.index(ofOther: target) }
        return first.index(ofBase: index)
    }

    /// The index before stage 3 of a section, from its index in the new snapshot.
    private func indexBeforeLast(_ index: Int) -> Int {
        guard hasLast else { return index }
        if movesLast, let source = places.moveSources[index] { return last.index(ofOther: source) }
        return last.index(ofBase: index)
    }

    // MARK: What is there

    private func afterFirst() -> UntypedSnapshot {
        old.placing(first, from: new, version: new.version, moved: places.moveSources, emptied: plan.entered)
    }

    private func beforeLast() -> UntypedSnapshot {
        new.placing(last, from: old, version: new.version, moved: places.moveTargets, emptied: plan.left)
    }
}

extension ListIndexPath {
    fileprivate func inSection(_ section: Int) -> ListIndexPath { ListIndexPath(section: section, item: item) }
}
