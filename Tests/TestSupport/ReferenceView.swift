// The specification of derived views, in arrays: filters, sorts and groups all rows again each time.

import ListModel

/// A stage of a view as a value, so that the library and the reference use the same stage, and a failure can print it.
public enum ReferenceStage: Hashable, Sendable {
    case arrange(ReferenceArrangement)
    case visibleRows
    case first(Int)
    case firstOfEachSection(Int)
    case sections(Set<UntypedID>)
}

/// An arrangement as a value.
public struct ReferenceArrangement: Hashable, Sendable {
    public enum Sections: CaseIterable, Sendable { case source, one, groups }
    public enum Filter: CaseIterable, Sendable { case all, unchecked, filled, some, few, none }
    public enum Key: CaseIterable, Sendable { case text, length, checkmark, identity, optional, nothing, notANumber }
    public enum Group: CaseIterable, Sendable { case letter, lastLetterBackwards, checkmark }

    public struct Sorting: Hashable, Sendable {
        public var key: Key
        public var isDescending: Bool
    }

    public var sections = Sections.source
    public var hidesEmptySections = false
    public var isSearchable = false
    public var filter = Filter.all
    public var sorting: [Sorting] = []
    public var group = Group.letter

    public init() {}

    /// Any arrangement.
    public init(using generator: inout SeededGenerator) {
        sections = Sections.allCases.randomElement(using: &generator)!
        hidesEmptySections = generator.oneIn(2)
        isSearchable = generator.oneIn(2)
        filter = Filter.allCases.randomElement(using: &generator)!
        group = Group.allCases.randomElement(using: &generator)!
        for _ in 0..<[0, 0, 1, 1, 2].randomElement(using: &generator)! {
            let key = Key.allCases.randomElement(using: &generator)!
            sorting.append(Sorting(key: key, isDescending: generator.oneIn(2)))
        }
    }
}

extension ReferenceStage {
    /// Any stage.
    public init(using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 8...: self = .visibleRows
        case 0: self = .first(Int.random(in: -1...30, using: &generator))
        case 1: self = .firstOfEachSection(Int.random(in: 0...5, using: &generator))
        case 2:
            let names = (0..<12).map { "section \($0)" } + ["all", "checked", "open", "a", "b", "last a"]
            self = .sections(Set(names.filter { _ in generator.oneIn(2) }.map { .string($0) }))
        default: self = .arrange(ReferenceArrangement(using: &generator))
        }
    }

    /// The library's stage.
    ///
    /// - Parameters:
    ///   - source: where content is read.
    ///   - probe: called for every row that the stage's functions are called for; if it throws, the stage throws.
    public func stage(
        _ source: some CommitSource, probe: @escaping @Sendable (UntypedID) throws -> Void = { _ in }
    ) -> QueryStage {
        switch self {
        case .visibleRows: return .visibleRows
        case .first(let count): return .first(count)
        case .firstOfEachSection(let count): return .firstOfEachSection(count)
        case .sections(let ids): return .sections(ids)
        case .arrange(let arrangement):
            let sections: Arrangement.Sections =
                switch arrangement.sections {
                case .source: .source
                case .one: .one(QueryGroup(id: "all", title: "All", order: .absent))
                case .groups: .groups
                }
            return .arrange(
                Arrangement(
                    sections: sections, hidesEmptySections: arrangement.hidesEmptySections,
                    isSearchable: arrangement.isSearchable, descending: arrangement.sorting.map(\.isDescending)
                ) { item in
                    try probe(item.id)
                    let content = try source.content(of: item.content)
                    return arrangement.place(
                        ReferenceItem(id: item.id, isChecked: item.isChecked, content: content))
                })
        }
    }
}

// MARK: - What a row is to an arrangement

extension ReferenceArrangement {
    fileprivate func place(_ item: ReferenceItem) -> RowPlacement? {
        guard keeps(item) else { return nil }
        let group = sections == .groups ? group(item) : nil
        return RowPlacement(
            key: key(of: item),
            group: group.map { QueryGroup(id: .string($0.id), title: $0.id + "!", order: .integer($0.order)) },
            text: SearchText(text(item)))
    }

    func text(_ item: ReferenceItem) -> String { String(decoding: item.content, as: UTF8.self) }

    func keeps(_ item: ReferenceItem) -> Bool {
        switch filter {
        case .all: true
        case .unchecked: !item.isChecked
        case .filled: !item.content.isEmpty
        case .some: item.id.description.utf8.reduce(0) { $0 + Int($1) } % 2 == 0
        case .few: item.id.description.utf8.reduce(0) { $0 + Int($1) } % 7 == 0
        case .none: false
        }
    }

    func key(of item: ReferenceItem) -> QueryKey {
        let keys = sorting.map { viewKey($0.key, item) }
        return keys.count > 1 ? .several(keys) : keys.first ?? .absent
    }

    private func viewKey(_ key: Key, _ item: ReferenceItem) -> QueryKey {
        switch key {
        case .text: .text(text(item))
        case .length: .integer(Int64(item.content.count))
        case .checkmark: .init(item.isChecked ? UInt8(1) : 0)
        case .identity: .text(item.id.description)
        case .optional: item.content.isEmpty ? .absent : .init(Int(item.content[0]))
        case .nothing: .absent
        case .notANumber: item.content.isEmpty ? .number(.nan) : .number(Double(item.content.count))
        }
    }

    /// Makes keys comparable: the arrays ascend as the rows do; nil is last.
    private func comparable(_ key: Key, _ item: ReferenceItem) -> Comparand? {
        switch key {
        case .text: .text(text(item))
        case .length: .number(item.content.count)
        case .checkmark: .number(item.isChecked ? 1 : 0)
        case .identity: .text(item.id.description)
        case .optional: item.content.first.map { .number(Int($0)) }
        case .nothing: nil
        case .notANumber: .number(item.content.isEmpty ? .max : item.content.count)
        }
    }

    private enum Comparand: Comparable {
        case number(Int)
        case text(String)
    }

    func isBefore(_ left: ReferenceItem, _ right: ReferenceItem) -> Bool? {
        for sorting in sorting {
            switch (comparable(sorting.key, left), comparable(sorting.key, right)) {
            case (nil, nil): continue
            case (nil, _): return false
            case (_, nil): return true
            case (.some(let left), .some(let right)):
                if left != right { return (left < right) != sorting.isDescending }
            }
        }
        return nil
    }

    func group(_ item: ReferenceItem) -> (id: String, order: Int64)? {
        switch group {
        case .letter: item.content.first.map { (String(UnicodeScalar($0)), Int64($0)) }
        case .lastLetterBackwards: item.content.last.map { ("last \(UnicodeScalar($0))", -Int64($0)) }
        case .checkmark: item.isChecked ? ("checked", 0) : ("open", 0)
        }
    }
}

// MARK: - The reference

extension ReferenceList {
    /// The rows that a view of this list should show.
    ///
    /// - Parameter words: texts of ASCII letters; a row is found if it has all of them.
    public func viewed(_ stages: [ReferenceStage], searchingFor words: [String] = []) -> ReferenceList {
        stages.reduce(self) { list, stage in
            switch stage {
            case .arrange(let arrangement): list.arranged(arrangement, words)
            case .visibleRows: list.visibleRows()
            case .first(let count): list.first(count)
            case .firstOfEachSection(let count):
                list.mapped { $0.items = Array($0.items.prefix(max(0, count))) }
            case .sections(let ids): list.keeping(ids)
            }
        }
    }

    private func mapped(_ body: (inout ReferenceSection) -> Void) -> ReferenceList {
        var result = self
        for index in sections.indices { body(&result.sections[index]) }
        return result
    }

    private func keeping(_ ids: Set<UntypedID>) -> ReferenceList {
        var result = self
        result.sections.removeAll { !ids.contains($0.id) }
        return result
    }

    private func first(_ count: Int) -> ReferenceList {
        if count >= itemCount { return self }
        var result = ReferenceList()
        var rest = max(0, count)
        for section in sections where rest > 0 {
            var section = section
            section.items = Array(section.items.prefix(rest))
            rest -= section.items.count
            result.sections.append(section)
        }
        return result
    }

    private func arranged(_ arrangement: ReferenceArrangement, _ words: [String]) -> ReferenceList {
        let kept = mapped { section in
            section.items = section.items.filter { item in
                let text = arrangement.text(item).lowercased()
                return arrangement.keeps(item)
                    && (!arrangement.isSearchable || words.allSatisfy { text.contains($0.lowercased()) })
            }
        }
        var result = ReferenceList()
        let all = kept.sections.flatMap(\.items)
        switch arrangement.sections {
        case .source: result = kept
        case .one: result.sections = [ReferenceSection(id: "all", title: "All", items: all)]
        case .groups:
            let groups = Dictionary(grouping: all.filter { arrangement.group($0) != nil }) { arrangement.group($0)!.id }
            result.sections = groups.map { id, items in
                ReferenceSection(id: .string(id), title: id + "!", items: items)
            }
            result.sections.sort { left, right in
                let keys = [left, right].map { arrangement.group($0.items[0])! }
                return (keys[0].order, keys[0].id) < (keys[1].order, keys[1].id)
            }
        }
        result = result.mapped { section in
            section.items = section.items.enumerated().sorted { left, right in
                arrangement.isBefore(left.element, right.element) ?? (left.offset < right.offset)
            }.map(\.element)
        }
        if arrangement.hidesEmptySections { result.sections.removeAll { $0.items.isEmpty } }
        return result
    }
}
