// Asks the stages of a derived view what they decided about a row.
//
// Always holds: what a stage shows is read from its state, not decided again; the app's functions are only asked for the
// reason.

extension DerivedView {
    /// What each part of the query decided about a row of ``source``, in the order in which they apply.
    ///
    /// - Parameter path: where the row is in the source.
    /// - Returns: nothing if the source has no row there.
    /// - Throws: ``QueryError`` if a function of the view throws.
    /// - Complexity: O(log n) for each stage, O(ancestors) in an outline, O(sections) for ``QueryStage/first(_:)``. Of a row that
    ///   an arrangement leaves out, its functions are called again.
    public func decisions(aboutSource path: ListIndexPath) throws(QueryError) -> [QueryDecision] {
        var place = source.item(at: path) == nil ? nil : Optional(path)
        if place == nil { return [] }
        var input = source
        var decisions: [QueryDecision] = []
        for (index, level) in levels.enumerated() {
            var stage = StageDecisions(index: index, version: source.version)
            if let path = place {
                place = try level.decide(at: path, of: input, &stage)
            } else {
                for part in level.stage.parts { stage.add(part, isPassed: nil, nil) }
            }
            decisions += stage.decisions
            input = level.output
        }
        return decisions
    }
}

/// The decisions of one stage.
private struct StageDecisions {
    let index: Int
    let version: Version
    var decisions: [QueryDecision] = []

    mutating func add(_ part: QueryDecision.Part, isPassed: Bool?, _ reason: QueryDecision.Reason?) {
        decisions.append(QueryDecision(stage: index, part: part, isPassed: isPassed, reason: reason))
    }
}

extension DerivedView.StageState {
    /// The parts of the stage, in the order in which they decide.
    fileprivate var parts: [QueryDecision.Part] {
        switch self {
        case .arranged(let rows): rows.parts
        case .visible: [.visibleRows]
        case .first: [.prefix]
        case .firstOfEachSection: [.prefixOfEachSection]
        case .sections: [.sections]
        }
    }
}

extension DerivedView.Level {
    /// Adds what the stage decided about the row at a path of its input.
    ///
    /// - Returns: where the stage shows the row; nil if it does not.
    fileprivate func decide(
        at path: ListIndexPath, of input: UntypedSnapshot, _ stage: inout StageDecisions
    ) throws(QueryError) -> ListIndexPath? {
        switch self.stage {
        case .arranged(let rows): return try rows.decide(at: path, of: input, &stage)
        case .visible(let visible):
            let shown = visible.rows.position(ofSource: path)
            let ancestors = input.sections[path.section].outline.collapsedAncestors(of: path.item)
            stage.add(.visibleRows, isPassed: shown != nil, .collapsedAncestors(ancestors))
            return shown
        case .first(let limit):
            let rank = (0..<path.section).reduce(path.item + 1) { $0 + input.sections[$1].items.count }
            stage.add(.prefix, isPassed: rank <= limit, .rank(rank, limit: max(0, limit)))
            return rank <= limit ? path : nil
        case .firstOfEachSection(let rows):
            let isPassed = path.item < rows.limit
            stage.add(.prefixOfEachSection, isPassed: isPassed, .rank(path.item + 1, limit: rows.limit))
            return isPassed ? path : nil
        case .sections(let sections):
            let section = sections.index(ofSource: path.section)
            stage.add(.sections, isPassed: section != nil, .section(input.sections[path.section].id))
            return section.map { ListIndexPath(section: $0, item: path.item) }
        }
    }
}

extension ArrangedRows {
    /// The parts of the stage, in the order in which they decide.
    fileprivate var parts: [QueryDecision.Part] {
        var parts: [QueryDecision.Part] = arrangement.filterCount > 0 ? [.filter] : []
        if case .source = arrangement.sections {} else { parts.append(.grouped) }
        if !search.isEmpty { parts.append(.search) }
        return parts + [.sorted]
    }

    /// As ``DerivedView/Level/decide(at:of:_:)``.
    fileprivate func decide(
        at path: ListIndexPath, of input: UntypedSnapshot, _ stage: inout StageDecisions
    ) throws(QueryError) -> ListIndexPath? {
        let slot = sources[path.section].slots(pool)[path.item]
        let place = position(ofSource: path)
        var stopping: (part: QueryDecision.Part, reason: QueryDecision.Reason)?
        if slot.key == nil, let item = input.item(at: path) {
            stopping = try reasonToLeaveOut(item, at: path, .init(version: stage.version, stage: stage.index))
        }
        var parts = parts
        // A filter that the arrangement does not count.
        if let stopping, !parts.contains(stopping.part) { parts.insert(stopping.part, at: 0) }
        var isReached = true
        for part in parts {
            guard isReached else {
                stage.add(part, isPassed: nil, nil)
                continue
            }
            if let stopping, stopping.part == part {
                stage.add(part, isPassed: false, stopping.reason)
                isReached = false
                continue
            }
            switch part {
            case .filter: stage.add(part, isPassed: true, .filter(failed: nil, of: arrangement.filterCount))
            case .grouped: stage.add(part, isPassed: true, .group(group(of: slot.key)))
            case .search:
                isReached = slot.isFound
                let words = slot.key.map { search.parts(in: $0.text) } ?? (found: [], missing: [])
                stage.add(part, isPassed: isReached, .words(found: words.found, missing: words.missing))
            default:
                guard let place else { break }
                stage.add(part, isPassed: true, order(at: place))
            }
        }
        return place
    }

    /// Why the arrangement gives a row no place.
    private func reasonToLeaveOut(
        _ item: UntypedRow, at path: ListIndexPath, _ context: Context
    ) throws(QueryError) -> (part: QueryDecision.Part, reason: QueryDecision.Reason) {
        do {
            if case .groups = arrangement.sections, let placement = try arrangement.place(item), placement.group == nil
            {
                return (.grouped, .group(nil))
            }
            let failed = try arrangement.failedFilter(item)
            return (.filter, .filter(failed: failed, of: max(1, arrangement.filterCount)))
        } catch {
            throw QueryError(id: item.id, path: path, version: context.version, stage: context.stage, cause: error)
        }
    }

    private func group(of key: RowKey?) -> QueryGroup? {
        if case .one(let group) = arrangement.sections { return group }
        return key?.group.map { groups[$0.id] ?? $0 }
    }

    /// The key of a row of the view, and the rows beside it.
    private func order(at place: ListIndexPath) -> QueryDecision.Reason {
        let ranks = ranked[place.section].ranks(pool)
        let items = rows[place.section].items(pool)
        func neighbour(_ offset: Int) -> QueryDecision.Neighbour? {
            guard ranks.indices.contains(offset) else { return nil }
            return QueryDecision.Neighbour(id: items[offset].id, key: ranks[offset].key.key)
        }
        return .order(ranks[place.item].key.key, after: neighbour(place.item - 1), before: neighbour(place.item + 1))
    }
}

extension SectionOutline {
    /// The collapsed ancestors of a row, the outermost first.
    fileprivate func collapsedAncestors(of row: Int) -> [UntypedID] {
        var ids: [UntypedID] = []
        var next = parent(of: row)
        while let ancestor = next {
            if tree[ancestor].isCollapsed { ids.append(tree[ancestor].id) }
            next = parent(of: ancestor)
        }
        return ids.reversed()
    }
}
