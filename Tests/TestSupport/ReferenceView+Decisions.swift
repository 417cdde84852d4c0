// The specification of why a view shows a row or not, in arrays: each stage is applied to all rows, and the row is searched
// in what comes out.

import ListModel

/// A decision about a row, as a failure can print it.
public struct ReferenceDecision: Hashable, Sendable {
    public var stage: Int
    public var part: QueryDecision.Part
    public var isPassed: Bool?
    public var facts: [String]
}

extension QueryDecision {
    /// The decision as the reference makes it.
    public var reference: ReferenceDecision {
        let facts: [String] =
            switch reason {
            case nil: []
            case .section(let id): ["\(id)"]
            case .collapsedAncestors(let ids): ids.map(\.description)
            case .filter(let failed, let count): ["\(failed ?? -1) of \(count)"]
            case .group(let group): group.map { ["\($0.id)", $0.title] } ?? []
            case .words(let found, let missing): found + ["not"] + missing
            case .order(let key, let after, let before):
                ["\(key)"] + [after, before].map { $0.map { "\($0.id) (\($0.key))" } ?? "-" }
            case .rank(let rank, let limit): ["\(rank)", "\(limit)"]
            }
        return ReferenceDecision(stage: stage, part: part, isPassed: isPassed, facts: facts)
    }
}

/// A list, and the rows after each stage of a view.
public struct ReferenceChain {
    private let stages: [ReferenceStage]
    private let words: [String]
    private let lists: [ReferenceList]

    public init(_ list: ReferenceList, _ stages: [ReferenceStage], searchingFor words: [String] = []) {
        (self.stages, self.words) = (stages, words)
        lists = stages.reduce(into: [list]) { lists, stage in
            lists.append(lists.last!.viewed([stage], searchingFor: words))
        }
    }

    /// The rows that the view shows.
    public var shown: ReferenceList { lists.last! }

    /// What each part of the stages decides about a row of the list.
    public func decisions(about id: UntypedID) -> [ReferenceDecision] {
        var decisions: [ReferenceDecision] = []
        for (index, stage) in stages.enumerated() {
            let path = lists[index].path(of: id)
            var isReached = path != nil
            for (part, decide) in parts(of: stage, index, id) {
                var decision = ReferenceDecision(stage: index, part: part, isPassed: nil, facts: [])
                if isReached, let path {
                    let (isPassed, facts) = decide(path)
                    (decision.isPassed, decision.facts) = (isPassed, facts)
                    isReached = isPassed
                }
                decisions.append(decision)
            }
        }
        return decisions
    }

    private typealias Decide = (ListIndexPath) -> (Bool, [String])

    private func parts(
        of stage: ReferenceStage, _ index: Int, _ id: UntypedID
    ) -> [(QueryDecision.Part, Decide)] {
        let (input, output) = (lists[index], lists[index + 1])
        switch stage {
        case .visibleRows:
            return [
                (
                    .visibleRows,
                    { path in
                        let ids = input.collapsedAncestors(of: path)
                        return (ids.isEmpty, ids.map(\.description))
                    }
                )
            ]
        case .first(let limit):
            return [
                (
                    .prefix,
                    { path in
                        let rank = input.paths.firstIndex(of: path)! + 1
                        return (rank <= limit, ["\(rank)", "\(max(0, limit))"])
                    }
                )
            ]
        case .firstOfEachSection(let limit):
            return [(.prefixOfEachSection, { ($0.item < limit, ["\($0.item + 1)", "\(limit)"]) })]
        case .sections(let ids):
            return [
                (
                    .sections,
                    { path in
                        let section = input.sections[path.section].id
                        return (ids.contains(section), ["\(section)"])
                    }
                )
            ]
        case .arrange(let arrangement):
            var parts: [(QueryDecision.Part, Decide)] = [
                (
                    .filter,
                    { path in
                        let keeps = arrangement.keeps(input.item(at: path))
                        return (keeps, ["\(keeps ? -1 : 0) of 1"])
                    }
                )
            ]
            switch arrangement.sections {
            case .source: break
            case .one: parts.append((.grouped, { _ in (true, ["\"all\"", "All"]) }))
            case .groups:
                parts.append(
                    (
                        .grouped,
                        { path in
                            guard let group = arrangement.group(input.item(at: path)) else { return (false, []) }
                            return (true, ["\"\(group.id)\"", group.id + "!"])
                        }
                    ))
            }
            let words = words.map { $0.lowercased() }
            if arrangement.isSearchable && !words.isEmpty {
                parts.append(
                    (
                        .search,
                        { path in
                            let text = arrangement.text(input.item(at: path)).lowercased()
                            let missing = words.filter { !text.contains($0) }
                            return (missing.isEmpty, words.filter { text.contains($0) } + ["not"] + missing)
                        }
                    ))
            }
            parts.append(
                (
                    .sorted,
                    { _ in
                        guard let place = output.path(of: id) else { return (false, ["lost"]) }
                        let items = output.sections[place.section].items
                        func neighbour(_ offset: Int) -> String {
                            items.indices.contains(offset)
                                ? "\(items[offset].id) (\(arrangement.key(of: items[offset])))" : "-"
                        }
                        return (
                            true,
                            ["\(arrangement.key(of: items[place.item]))"] + [-1, 1].map { neighbour(place.item + $0) }
                        )
                    }
                ))
            return parts
        }
    }
}

extension ReferenceList {
    /// The collapsed rows that a row is below, the outermost first.
    fileprivate func collapsedAncestors(of path: ListIndexPath) -> [UntypedID] {
        var ids: [UntypedID] = []
        var depth = item(at: path).depth
        for row in sections[path.section].items[..<path.item].reversed() where row.depth < depth {
            depth = row.depth
            if row.isCollapsed { ids.insert(row.id, at: 0) }
        }
        return ids
    }
}
