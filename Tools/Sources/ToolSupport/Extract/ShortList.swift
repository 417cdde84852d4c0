// A list in memory: rows to begin with, and a few commits.
//
// Always holds: it is made of another list by leaving something out; every event in it has applied.

import ListModel
import Listory
import Synchronization

/// The rows before some commits, and these commits.
public struct ShortList: Sendable {
    /// A row or a section, wherever it is.
    enum Subject: Hashable, Sendable {
        case row(UntypedID)
        case section(UntypedID)
    }

    /// What is not copied into a shorter list.
    struct Omission {
        /// Rows and sections, in the rows at the start and in events.
        var subjects: Set<Subject> = []
        /// Commits, by their index.
        var commits: Set<Int> = []
        /// Events, by the index of their commit and their own.
        var events: Set<[Int]> = []
    }

    /// A commit, and the rows before each of its events.
    struct Entry: Sendable {
        let commit: Commit
        let events: [ListEvent]
        let before: [UntypedSnapshot]
    }

    /// The records.
    let log = ShortLog()
    /// When the rows at the start were there.
    let time: Timestamp
    /// The rows at the start.
    private(set) var start = UntypedSnapshot.empty
    private(set) var commits: [Entry] = []
    /// The rows at the end.
    private(set) var end = UntypedSnapshot.empty
    /// How many events of the store are left out because this build does not know what they are.
    private(set) var unrecognisedCount = 0

    /// The number of commits and of their events, and of rows at the start.
    public var counts: (commits: Int, events: Int, rows: Int) {
        (commits.count, commits.reduce(0) { $0 + $1.events.count }, start.itemCount)
    }

    /// A copy of a range of commits of a store, and of the rows before.
    ///
    /// - Throws: an error of the store.
    init(_ range: ClosedRange<Version>, of store: UntypedStore, keepsContents: Bool) throws {
        time = try store.commitInfo(range.lowerBound).time
        let copy = EventCopy(store.source, keepsContents: keepsContents)
        defer { unrecognisedCount = copy.unrecognisedCount }
        var copied: [Commit] = []
        try store.forEachCommit(in: range) { copied.append($0) }
        try make(copy, of: store.snapshot(at: Version(range.lowerBound.rawValue - 1)), copied.count) { index in
            (copied[index], try copied[index].events().map { ($0, nil) })
        }
    }

    /// A copy of a list without some of its parts, and without the edits that do not apply without them.
    init(_ other: ShortList, without omission: Omission) throws {
        (time, unrecognisedCount) = (other.time, other.unrecognisedCount)
        let copy = EventCopy(other.log, keepsContents: true, leavingOut: omission.subjects)
        try make(copy, of: other.start, other.commits.count) { index in
            let entry = other.commits[index]
            if omission.commits.contains(index) { return (entry.commit, []) }
            let kept = entry.events.indices.filter { !omission.events.contains([index, $0]) }
            return (entry.commit, kept.map { (entry.events[$0], entry.before[$0]) })
        }
    }

    private mutating func make(
        _ copy: EventCopy, of rows: UntypedSnapshot, _ count: Int,
        _ commit: (Int) throws -> (Commit, [(ListEvent, before: UntypedSnapshot?)])
    ) throws {
        var editor = UntypedEditor(ListState(), source: log)
        let sections = try copy.sections(of: rows)
        if let commit = try editor.commit(
            CommitDraft(name: EventCopy.startName, time: time), { try $0.reload(sections) })
        {
            log.append(commit)
        }
        start = editor.snapshot()
        for index in 0..<count {
            let (old, edits) = try commit(index)
            var rows = editor.snapshot()
            let made = try editor.commit(copy.draft(of: old)) { list in
                for (event, before) in edits {
                    // What it was about may be missing.
                    do { try copy.apply(event, where: before, to: &list) } catch let error as ListError
                        where error.isRejection
                    {}
                }
            }
            guard let made else { continue }
            log.append(made)
            let events = try made.events()
            // Each of its own: one edit may have made several.
            let before = try events.map { event in
                let before = rows
                rows = try before.applying([event])
                return before
            }
            commits.append(Entry(commit: made, events: events, before: before))
        }
        end = editor.snapshot()
    }
}

extension ShortList {
    /// The indices of all commits.
    var commitParts: [Int] { Array(commits.indices) }

    /// The indices of all events.
    var eventParts: [[Int]] {
        commits.indices.flatMap { commit in commits[commit].events.indices.map { [commit, $0] } }
    }

    /// All sections.
    var sectionParts: [Subject] {
        unique(start.sections.map(\.id), commits.flatMap { $0.events.flatMap(\.newSections) }.map(\.id))
            .map { .section($0) }
    }

    /// All rows.
    var rowParts: [Subject] {
        unique(
            start.sections.flatMap { $0.items.map(\.id) },
            commits.flatMap { $0.events.flatMap { $0.newRows } }.map(\.id)
        ).map { .row($0) }
    }

    private func unique(_ first: [UntypedID], _ more: [UntypedID]) -> [UntypedID] {
        var known: Set<UntypedID> = []
        return (first + more).filter { known.insert($0).inserted }
    }
}

extension ListEvent {
    /// The sections that an event brings.
    fileprivate var newSections: [ListSection] {
        switch self {
        case .sectionInserted(_, let section): [section]
        case .listReloaded(_, let new): new
        default: []
        }
    }

    /// The rows that an event brings.
    var newRows: [UntypedRow] {
        if case .itemsInserted(_, let items) = self { Array(items) } else { newSections.flatMap(\.items) }
    }
}

/// The records of a list in memory.
final class ShortLog: CommitSource {
    private let records = Mutex<[[UInt8]]>([])

    /// Adds the next commit.
    func append(_ commit: Commit) { records.withLock { $0.append(commit.record) } }

    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        // Versions are those of the commits of this list.
        try records.withLock { $0[Int(version.rawValue) - 1] }.withUnsafeBytes(body)
    }
}
