// Makes the edits of events again in another list, which may lack some of the rows and of the earlier edits.
//
// Always holds: nothing that is left out gets into the other list. A row comes after the nearest row before it that the other
// list has, so the rows of both are in the same order; of a list that lacks nothing, the rows are equal. The commits of one
// origin have one origin in the other list, and those of two have two.

import ListModel
import Listory

/// Copies rows and events of one log into another list.
struct EventCopy {
    /// The name of the commit that inserts the rows that there were before.
    static let startName = "Extract"

    private let source: any CommitSource
    /// Whether texts and contents stay as they are.
    private let keepsContents: Bool
    /// The rows and sections that are not copied.
    private let leftOut: Set<ShortList.Subject>
    private let notes = Notes()

    /// What is remembered from commit to commit.
    private final class Notes {
        /// The numbers of the origins, in the order in which they were met.
        var origins: [String: Int] = [:]
        var unrecognisedCount = 0
    }

    /// How many events were left out so far because this build does not know what they are.
    var unrecognisedCount: Int { notes.unrecognisedCount }

    /// So many events that were left out, for people.
    static func text(_ unrecognisedCount: Int) -> String {
        "\(EventText.count(unrecognisedCount, "event")) that this build of listory does not know"
    }

    init(_ source: any CommitSource, keepsContents: Bool, leavingOut leftOut: Set<ShortList.Subject> = []) {
        (self.source, self.keepsContents, self.leftOut) = (source, keepsContents, leftOut)
    }

    // MARK: - Values

    /// All sections of a version.
    func sections(of rows: UntypedSnapshot) throws -> [NewSection] {
        try rows.reading {
            try rows.sections.filter { keeps(section: $0.id) }.map { try section($0.id, $0.title, $0.items) }
        }
    }

    /// Inserts all sections of a version at the end of a list, some rows at a time: so few contents are in memory at once.
    ///
    /// - Parameter progress: called now and then with the number of rows that were inserted.
    func insert(
        _ rows: UntypedSnapshot, into list: inout UntypedEditor, progress: (Int) -> Void = { _ in }
    ) throws {
        var done = 0
        for section in try rows.reading({ Array(rows.sections) }) where keeps(section: section.id) {
            try list.insertSection(NewSection(id: section.id, title: redacted(section.title)))
            for start in stride(from: 0, to: section.items.count, by: EventCopy.partSize) {
                let end = min(start + EventCopy.partSize, section.items.count)
                try list.insert(
                    rows.reading { try self.rows(section.items[start..<end]) }, at: .end(ofSection: section.id))
                done += end - start
                progress(done)
            }
        }
    }

    /// How many rows are inserted by one event.
    private static let partSize = 1_024

    /// The draft of a commit. The name of one that is no edit says what it was.
    func draft(of commit: Commit) -> CommitDraft {
        CommitDraft(
            name: commit.cause == .edit ? redacted(commit.name) : "\(commit.cause)", origin: origin(commit.origin),
            time: commit.time, tracking: commit.tracking, isDiscardable: commit.isDiscardable)
    }

    private func keeps(section id: UntypedID) -> Bool { !leftOut.contains(.section(id)) }
    private func keeps(row id: UntypedID) -> Bool { !leftOut.contains(.row(id)) }

    private func redacted(_ text: String) -> String { keepsContents ? text : Redaction.text(text) }

    /// An origin, or its number: letters that are redacted would make one of two names.
    private func origin(_ name: String) -> String {
        if keepsContents || name.isEmpty { return name }
        let number = notes.origins[name] ?? notes.origins.count + 1
        notes.origins[name] = number
        return "origin-\(number)"
    }

    private func content(_ reference: ContentReference) throws -> [UInt8] {
        try source.withShownContent(of: reference) { keepsContents ? Array($0) : Redaction.content($0) }
    }

    func rows(_ rows: some Sequence<UntypedRow>) throws -> [NewRow] {
        try rows.filter { keeps(row: $0.id) }.map { row in
            NewRow(
                id: row.id, isChecked: row.isChecked, content: try content(row.content), depth: row.depth,
                isCollapsed: row.isCollapsed)
        }
    }

    private func section(_ id: UntypedID, _ title: String, _ items: some Sequence<UntypedRow>) throws -> NewSection {
        NewSection(id: id, title: redacted(title), items: try rows(items))
    }

    func sections(_ sections: [ListSection]) throws -> [NewSection] {
        try sections.filter { keeps(section: $0.id) }.map { try section($0.id, $0.title, $0.items) }
    }

    // MARK: - Events

    /// Makes the edit of an event. What is about rows or sections that the list lacks is left out.
    ///
    /// - Parameter before: the rows before the event in its own list; nil if the rows of both lists are equal.
    /// - Throws: `ListError` if the edit does not apply.
    func apply(_ event: ListEvent, where before: UntypedSnapshot? = nil, to list: inout UntypedEditor) throws {
        switch event {
        case .itemsInserted(let path, let items):
            guard let place = place(path, besides: nil, before, list) else { return }
            try list.insert(rows(items), at: place)
        case .itemsDeleted(_, let items): try list.delete(.items(present(items.map(\.id), list)))
        case .itemsMoved(let from, let to, let ids):
            let present = present(Array(ids), list)
            guard !present.isEmpty, let place = place(to, besides: (from, ids.count), before, list) else { return }
            try list.move(.items(present), to: place)
        case .itemToggled(_, let id, let isChecked):
            try list.setChecked(isChecked, for: .items(present([id], list)))
        case .itemUpdated(_, let id, _, let new):
            for id in present([id], list) { try list.update(id, content: content(new)) }
        case .itemsIndented(_, let ids, let change):
            let present = present(Array(ids), list)
            if !present.isEmpty { try list.changeDepth(of: .items(present), by: change) }
        case .itemCollapsed(_, let id, let isCollapsed):
            for id in present([id], list) { try list.setCollapsed(isCollapsed, for: id) }
        case .sectionInserted(let index, let new):
            guard keeps(section: new.id) else { return }
            try list.insertSection(section(new.id, new.title, new.items), at: place(index, besides: nil, before, list))
        case .sectionDeleted(_, let old):
            if list.state.indexOfSection(old.id) != nil { try list.deleteSection(.section(old.id)) }
        case .sectionMoved(let from, let to, let id):
            guard list.state.indexOfSection(id) != nil else { return }
            try list.moveSection(.section(id), to: place(to, besides: from, before, list))
        case .sectionRenamed(_, let id, _, let new):
            if list.state.indexOfSection(id) != nil { try list.renameSection(.section(id), to: redacted(new)) }
        case .listReloaded(_, let new): try list.reload(sections(new))
        case .annotated(let name, let value):
            // What another log says of its replicas.
            if CommitAnnotation.isReserved(name) { return }
            list.annotate(name, with: keepsContents ? value : value.withUnsafeBytes { Redaction.content($0) })
        // What it means is not known, so it cannot be redacted, and there is no edit that makes it.
        case .unrecognised: notes.unrecognisedCount += 1
        }
    }

    private func present(_ ids: [UntypedID], _ list: borrowing UntypedEditor) -> [UntypedID] {
        var present: [UntypedID] = []
        for id in ids where list.state.indexPath(of: id) != nil { present.append(id) }
        return present
    }

    /// The place of rows, nil if the list lacks the section.
    ///
    /// - Parameter moved: the rows that the index does not count, because they move.
    private func place(
        _ path: ListIndexPath, besides moved: (path: ListIndexPath, count: Int)?, _ before: UntypedSnapshot?,
        _ list: borrowing UntypedEditor
    ) -> ItemDestination? {
        guard let before else { return .at(path) }
        let section = before.sections[path.section]
        guard let target = list.state.indexOfSection(section.id) else { return nil }
        var index = path.item
        var skipped = 0..<0
        if let moved, moved.path.section == path.section {
            skipped = moved.path.item..<moved.path.item + moved.count
            if index > moved.path.item { index += moved.count }
        }
        while index > 0 {
            index -= 1
            if skipped.contains(index) { continue }
            let id = section.items[index].id
            if list.state.indexPath(of: id)?.section == target { return .after(id) }
        }
        return .section(section.id, at: 0)
    }

    /// The place of a section.
    private func place(
        _ index: Int, besides moved: Int?, _ before: UntypedSnapshot?, _ list: borrowing UntypedEditor
    ) -> SectionDestination {
        guard let before else { return .at(index) }
        var index = index
        if let moved, index > moved { index += 1 }
        while index > 0 {
            index -= 1
            let id = before.sections[index].id
            if index != moved, list.state.indexOfSection(id) != nil { return .after(id) }
        }
        return .at(0)
    }
}
