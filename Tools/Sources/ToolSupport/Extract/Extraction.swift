// Makes a small store of a part of a log, to hand over or to make a test of.
//
// The first commit inserts the rows that there were before the part. After it comes each commit of the part, with its name,
// its origin, its time and its events; all of them are edits, because what an undo went back to may be missing.
//
// Always holds: the rows after each commit are those of the old store, at the same places and with the same ids.

import ListModel
import Listory

/// Copies a range of commits into a new store.
public struct Extraction {
    private let source: UntypedStore
    /// Whether texts and contents stay as they are.
    private let keepsContents: Bool

    /// An extraction from a store.
    public init(_ source: UntypedStore, keepsContents: Bool) {
        (self.source, self.keepsContents) = (source, keepsContents)
    }

    /// Writes the commits of a range into an empty store, and waits until they are durable.
    ///
    /// - Parameter progress: called now and then with the share that is done, 0 to 1.
    /// - Throws: `ListError` for versions that are not there; an error of one of the stores.
    public func write(
        _ range: ClosedRange<Version>, to target: UntypedStore, progress: (Double) -> Void = { _ in }
    ) throws {
        let before = try source.snapshot(at: Version(range.lowerBound.rawValue - 1))
        let time = try source.commit(range.lowerBound).time
        try target.edit("Extract", time: time, durability: .deferred) { list in
            if before.sectionCount == 0 { return }
            try list.reload(before.reading { try before.sections.map { try section($0.id, $0.title, $0.items) } })
        }
        let count = Double(range.upperBound.rawValue - range.lowerBound.rawValue + 1)
        try source.forEachCommit(in: range) { commit in
            try target.edit(
                name(commit), origin: redacted(commit.origin), time: commit.time,
                tracking: commit.tracking == .untracked ? .untracked : nil, isDiscardable: commit.isDiscardable,
                durability: .deferred
            ) { list in
                for event in try commit.events() { try apply(event, to: &list) }
            }
            let done = commit.version.rawValue - range.lowerBound.rawValue
            if done % 1_024 == 0 { progress(Double(done) / count) }
        }
        try target.waitUntilDurable()
    }

    /// The name of a commit; of one that is no edit, what it was.
    private func name(_ commit: Commit) -> String {
        commit.cause == .edit ? redacted(commit.name) : "\(commit.cause)"
    }

    private func redacted(_ text: String) -> String { keepsContents ? text : Redaction.text(text) }

    private func content(_ reference: ContentReference) throws -> [UInt8] {
        try source.source.withContent(of: reference) { keepsContents ? Array($0) : Redaction.content($0) }
    }

    private func row(_ row: UntypedRow) throws -> NewRow {
        NewRow(
            id: row.id, isChecked: row.isChecked, content: try content(row.content), depth: row.depth,
            isCollapsed: row.isCollapsed)
    }

    private func section(_ id: UntypedID, _ title: String, _ rows: some Sequence<UntypedRow>) throws -> NewSection {
        NewSection(id: id, title: redacted(title), items: try rows.map(row))
    }

    private func apply(_ event: ListEvent, to list: inout UntypedEditor) throws {
        switch event {
        case .itemsInserted(let path, let items): try list.insert(items.map(row), at: .at(path))
        case .itemsDeleted(let path, let items): try list.delete(.run(path, count: items.count))
        case .itemsMoved(let from, let to, let ids): try list.move(.run(from, count: ids.count), to: .at(to))
        case .itemToggled(_, let id, let isChecked): try list.setChecked(isChecked, for: .item(id))
        case .itemUpdated(_, let id, _, let new): try list.update(id, content: content(new))
        case .itemsIndented(let path, let ids, let change):
            try list.changeDepth(of: .run(path, count: ids.count), by: change)
        case .itemCollapsed(_, let id, let isCollapsed): try list.setCollapsed(isCollapsed, for: id)
        case .sectionInserted(let index, let new):
            try list.insertSection(section(new.id, new.title, new.items), at: .at(index))
        case .sectionDeleted(let index, _): try list.deleteSection(.at(index))
        case .sectionMoved(let from, let to, _): try list.moveSection(.at(from), to: .at(to))
        case .sectionRenamed(_, let id, _, let new): try list.renameSection(.section(id), to: redacted(new))
        case .listReloaded(_, let new): try list.reload(new.map { try section($0.id, $0.title, $0.items) })
        case .annotated(let name, let value):
            list.annotate(name, with: keepsContents ? value : value.withUnsafeBytes { Redaction.content($0) })
        // What it means is not known, so it cannot be redacted.
        case .unrecognised: break
        }
    }
}
