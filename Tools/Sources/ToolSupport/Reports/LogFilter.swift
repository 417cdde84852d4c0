// Which commits `log` prints.
//
// Always holds: a commit is printed if each filter that is given fits it, or one of its events.

import ListModel
import Listory

/// The filters of a log.
public struct LogFilter: Sendable {
    /// The causes: edit, undo, redo, go, revert, restore.
    public var causes: [String] = []
    /// The kinds of events, with their names in JSON.
    public var kinds: [String] = []
    /// The row that the commit changed. The log looks only at these commits.
    public var row: IdentifierText?
    /// The section that an event is in or names.
    public var section: IdentifierText?
    /// Who made the commit.
    public var origin: String?
    /// Words in the name of the commit.
    public var name: SearchWords?
    /// Words in a content or a title that an event sets or removes.
    public var text: SearchWords?

    /// A filter that lets all commits through.
    public init() {}

    /// The names of the causes.
    public static let causeNames = ["edit", "undo", "redo", "go", "revert", "restore"]

    /// Whether all commits are let through.
    public var isEmpty: Bool { !looksAtEvents && row == nil && causes.isEmpty && origin == nil && name == nil }

    private var looksAtEvents: Bool { !kinds.isEmpty || section != nil || text != nil }

    /// Whether a commit is let through.
    ///
    /// - Parameters:
    ///   - sections: the ids of the sections after the commit; afterwards, those before it. Kept only if a section is asked
    ///     for.
    func admits(_ commit: Commit, _ source: any CommitSource, _ sections: inout [UntypedID]) throws -> Bool {
        var isFound = causes.isEmpty || causes.contains(commit.cause.words.word)
        if let origin { isFound = isFound && commit.origin == origin }
        if let name { isFound = isFound && name.matches(SearchText(commit.name)) }
        guard looksAtEvents, isFound || section != nil else { return isFound }
        var missing = (kind: !kinds.isEmpty, section: section != nil, text: text != nil)
        for event in try commit.events().reversed() {
            if missing.kind, kinds.contains(event.name) { missing.kind = false }
            if let section {
                let before = sections
                sections.takeBack(event)
                if event.sections(before, sections).contains(where: section.means) { missing.section = false }
            }
            if let text, missing.text, try event.has(text, source) { missing.text = false }
        }
        return isFound && !missing.kind && !missing.section && !missing.text
    }
}

extension ListEvent {
    /// The names of all kinds.
    public static let kindNames = [
        "itemsInserted", "itemsDeleted", "itemsMoved", "itemToggled", "itemUpdated", "itemsIndented", "itemCollapsed",
        "sectionInserted", "sectionDeleted", "sectionMoved", "sectionRenamed", "listReloaded", "annotated",
        "unrecognised",
    ]

    /// The ids of the sections that the event names or is in.
    ///
    /// - Parameters:
    ///   - after: the ids of the sections after the event.
    ///   - before: those before it.
    fileprivate func sections(_ after: [UntypedID], _ before: [UntypedID]) -> [UntypedID] {
        func ids(_ indices: Int...) -> [UntypedID] {
            indices.compactMap { after.indices.contains($0) ? after[$0] : nil }
        }
        return switch self {
        case .itemsInserted(let path, _), .itemsDeleted(let path, _), .itemsIndented(let path, _, _): ids(path.section)
        case .itemToggled(let path, _, _), .itemUpdated(let path, _, _, _), .itemCollapsed(let path, _, _):
            ids(path.section)
        case .itemsMoved(let from, let to, _): ids(from.section, to.section)
        case .sectionInserted(_, let section), .sectionDeleted(_, let section): [section.id]
        case .sectionMoved(_, _, let id), .sectionRenamed(_, let id, _, _): [id]
        case .listReloaded: after + before
        case .annotated, .unrecognised: []
        }
    }

    /// Whether words are in a content or a title that the event sets or removes.
    fileprivate func has(_ words: SearchWords, _ source: any CommitSource) throws -> Bool {
        func has(_ reference: ContentReference) throws -> Bool {
            try source.withShownContent(of: reference) { words.match(content: $0) }
        }
        func has(_ section: ListSection) throws -> Bool {
            try words.matches(SearchText(section.title)) || section.items.contains { try has($0.content) }
        }
        return switch self {
        case .itemsInserted(_, let items), .itemsDeleted(_, let items): try items.contains { try has($0.content) }
        case .itemUpdated(_, _, let old, let new): try has(old) || has(new)
        case .sectionInserted(_, let section), .sectionDeleted(_, let section): try has(section)
        case .sectionRenamed(_, _, let old, let new):
            words.matches(SearchText(old)) || words.matches(SearchText(new))
        case .listReloaded(let old, let new): try (old + new).contains(where: has)
        case .annotated(_, let value): value.withUnsafeBytes { words.match(content: $0) }
        case .itemsMoved, .itemToggled, .itemsIndented, .itemCollapsed, .sectionMoved, .unrecognised: false
        }
    }
}

extension [UntypedID] {
    /// Takes back what an event did to the order of the sections.
    fileprivate mutating func takeBack(_ event: ListEvent) {
        switch event {
        case .sectionInserted(let index, _): if indices.contains(index) { remove(at: index) }
        case .sectionDeleted(let index, let section): insert(section.id, at: Swift.min(index, count))
        case .sectionMoved(let from, let to, _):
            guard indices.contains(to) else { return }
            let section = remove(at: to)
            insert(section, at: Swift.min(from, count))
        case .listReloaded(let old, _): self = old.map(\.id)
        default: break
        }
    }
}
