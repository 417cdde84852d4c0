// Projections like those of apps, and the expected value of each, computed from the rows instead of the events.

import ListModel
import Listory
import TestSupport

extension UntypedID {
    /// A text that is different for every identifier.
    var key: String {
        switch self {
        case .integer(let value): "i\(value)"
        case .uuid(let value): "u\(value)"
        case .string(let value): "s\(value)"
        }
    }
}

/// Counts the checked rows of each section. The event of a move has no checkmarks, so the projection reads the rows.
struct SectionCounts: Projection, Codable, Equatable {
    struct Counts: Codable, Equatable {
        var id: String
        var checked = 0
        var unchecked = 0

        mutating func add(_ item: UntypedRow, _ count: Int) {
            if item.isChecked { checked += count } else { unchecked += count }
        }
    }

    static let name = "section-counts"
    static let version = 1
    static let readsRows = true
    var sections: [Counts] = []

    mutating func apply(_ event: ListEvent, in context: EventContext) throws {
        switch event {
        case .itemsInserted(let path, let items): for item in items { sections[path.section].add(item, 1) }
        case .itemsDeleted(let path, let items): for item in items { sections[path.section].add(item, -1) }
        case .itemsMoved(let source, let target, let ids):
            for item in context.rows.items(at: source, count: ids.count) {
                sections[source.section].add(item, -1)
                sections[target.section].add(item, 1)
            }
        case .itemToggled(let path, _, let isChecked):
            sections[path.section].checked += isChecked ? 1 : -1
            sections[path.section].unchecked += isChecked ? -1 : 1
        case .sectionInserted(let index, let section): sections.insert(SectionCounts.counts(section), at: index)
        case .sectionDeleted(let index, _): sections.remove(at: index)
        case .sectionMoved(let source, let target, _):
            let moved = sections.remove(at: source)
            sections.insert(moved, at: target)
        case .listReloaded(_, let new): sections = new.map(SectionCounts.counts)
        case .itemUpdated, .itemsIndented, .itemCollapsed, .sectionRenamed, .annotated, .unrecognised: break
        }
    }

    private static func counts(_ section: ListSection) -> Counts {
        section.items.reduce(into: Counts(id: section.id.key)) { $0.add($1, 1) }
    }

    /// What it must be.
    init(of list: ReferenceList) {
        sections = list.sections.map { section in
            let checked = section.items.count(where: \.isChecked)
            return Counts(id: section.id.key, checked: checked, unchecked: section.items.count - checked)
        }
    }

    init() {}
}

/// The rows that have each word. It needs only contents: the event of a deletion refers to the old content.
struct WordIndex: Projection, Codable, Equatable {
    static let name = "words"
    static let version = 1
    var ids: [String: Set<String>] = [:]

    mutating func apply(_ event: ListEvent, in context: EventContext) throws {
        switch event {
        case .itemsInserted(_, let items): for item in items { try add(item, context) }
        case .itemsDeleted(_, let items): for item in items { try remove(item, context) }
        case .itemUpdated(_, let id, let old, let new):
            try remove(UntypedRow(id: id, isChecked: false, content: old), context)
            try add(UntypedRow(id: id, isChecked: false, content: new), context)
        case .sectionInserted(_, let section): for item in section.items { try add(item, context) }
        case .sectionDeleted(_, let section): for item in section.items { try remove(item, context) }
        case .listReloaded(let old, let new):
            for item in old.flatMap(\.items) { try remove(item, context) }
            for item in new.flatMap(\.items) { try add(item, context) }
        default: break
        }
    }

    private mutating func add(_ item: UntypedRow, _ context: EventContext) throws {
        ids[try WordIndex.word(context.content(of: item.content)), default: []].insert(item.id.key)
    }

    private mutating func remove(_ item: UntypedRow, _ context: EventContext) throws {
        let word = try WordIndex.word(context.content(of: item.content))
        ids[word]?.remove(item.id.key)
        if ids[word]?.isEmpty == true { ids[word] = nil }
    }

    private static func word(_ content: [UInt8]) -> String { String(decoding: content, as: UTF8.self) }

    /// What it must be.
    init(of list: ReferenceList) {
        for item in list.sections.flatMap(\.items) {
            ids[WordIndex.word(item.content), default: []].insert(item.id.key)
        }
    }

    init() {}
}

/// Counts the commits of each origin on each day.
struct EditsPerDay: Projection, Codable, Equatable {
    static let name = "edits-per-day"
    static let version = 1
    var counts: [String: Int] = [:]
    private var last = Version.empty.rawValue

    mutating func apply(_ event: ListEvent, in context: EventContext) {
        if context.commit.isSeed || context.commit.version.rawValue == last { return }
        last = context.commit.version.rawValue
        note(context.commit.origin, context.commit.time)
    }

    /// Counts a commit.
    mutating func note(_ origin: String, _ time: Timestamp) {
        counts["\(origin) \(time.microseconds / 86_400_000_000)", default: 0] += 1
    }

    init() {}
}

/// The same name as ``SectionCounts``, with other rules: its value is the sections as one text.
struct OtherCounts: Projection, Codable, Equatable {
    static let name = SectionCounts.name
    static let version = 2
    static let readsRows = true
    private var counts = SectionCounts()
    var text = ""

    mutating func apply(_ event: ListEvent, in context: EventContext) throws {
        try counts.apply(event, in: context)
        text = OtherCounts.text(counts)
    }

    static func text(_ counts: SectionCounts) -> String {
        counts.sections.map { "\($0.id) \($0.checked)/\($0.checked + $0.unchecked)" }.joined(separator: ", ")
    }

    init() {}
}
