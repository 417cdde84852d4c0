// Tests undo among edits of others exhaustively: all small lists, and all pairs of edits of two origins from a small
// complete set. The result is that of the naive merge by id, and no edit of the other origin is lost.

@testable import ListModel
import TestSupport
import Testing

@Suite("Undo among edits of others, exhaustively")
struct MergeExhaustiveTests {
    /// All lists of up to three rows in up to two sections; the larger ones only in a soak.
    static let lists: [[[Int]]] = {
        var lists: [[[Int]]] = []
        for first in 0...3 {
            lists.append([Array(1..<(1 + first))])
            for second in 0...(3 - first) {
                lists.append([Array(1..<(1 + first)), Array((1 + first)..<(1 + first + second))])
            }
        }
        return lists
    }()

    /// All edits of a list, one of each kind at every place.
    ///
    /// - Parameters:
    ///   - number: the number of an inserted row, and the new content of rows.
    ///   - known: rows that others may have deleted, which are inserted again, unchanged and changed.
    private static func edits(_ list: ReferenceList, number: Int, known: [Int] = []) -> [EditOperation] {
        var edits: [EditOperation] = []
        let paths = list.paths
        let ids = paths.map { list.item(at: $0).id }
        let gone = known.filter { list.path(of: .integer(Int64($0))) == nil }
        for (index, section) in list.sections.enumerated() {
            for item in 0...section.items.count {
                edits.append(.insert([NewRow(number)], .at(ListIndexPath(index, item))))
            }
            for row in gone {
                edits.append(.insert([NewRow(row)], .at(ListIndexPath(index, section.items.count))))
                edits.append(.insert([NewRow(row, content: 77)], .at(ListIndexPath(index, 0))))
            }
        }
        for (path, id) in zip(paths, ids) {
            edits += [
                .delete(.item(id)), .toggle(.item(id)), .update(id, [UInt8(number)]), .changeDepth(.item(id), by: 1),
                .setCollapsed(!list.item(at: path).isCollapsed, for: id, recursively: false),
            ]
            if list.item(at: path).depth > 0 { edits.append(.changeDepth(.item(id), by: -1)) }
            if known.contains(where: { .integer(Int64($0)) == id }), case .integer(let row) = id {
                edits.append(.update(id, [UInt8(row)]))
            }
            for (index, section) in list.sections.enumerated() {
                let count = section.items.count - (index == path.section ? 1 : 0)
                for item in 0...count { edits.append(.move(.item(id), .at(ListIndexPath(index, item)))) }
            }
        }
        if ids.count > 1 { edits += [.delete(.items(ids)), .move(.items(Array(ids.dropFirst())), .before(ids[0]))] }
        for (index, section) in list.sections.enumerated() {
            edits += [.deleteSection(.at(index)), .renameSection(.at(index), "title \(number)")]
            if section.title != "\(section.id)" { edits.append(.renameSection(.at(index), "\(section.id)")) }
            for target in list.sections.indices where target != index {
                edits.append(.moveSection(.at(index), .at(target)))
            }
        }
        for index in 0...list.sections.count {
            edits.append(.insertSection(NewSection(number, [number + 1]), .at(index)))
        }
        for section in 0...1 where !known.isEmpty && list.indexOfSection(.string("s\(section)")) == nil {
            edits.append(.insertSection(NewSection(section), .at(0)))
        }
        edits.append(.reload([NewSection(0, Array(known.reversed()) + [number])]))
        return edits
    }

    @Test("Undo and redo have the result of the merge by id, and lose no edit of others", arguments: lists)
    func everyPair(start: [[Int]]) throws {
        let rows = Array(1..<(1 + start.joined().count))
        var count = 0
        let first = try Self.list(start, [])
        for mine in Self.edits(first.rows[1], number: 40) {
            let second = try Self.list(start, [mine])
            guard second.rows.count == 3 else { continue }
            for others in Self.edits(second.rows[2], number: 60, known: rows) {
                if !Soak.isEnabled && !Self.isChosen(start, mine, others) { continue }
                try check(start, mine, others)
                count += 1
            }
        }
        #expect(count >= 80, "\(start)")
    }

    /// Chooses a fixed share of the pairs for the larger lists.
    private static func isChosen(_ start: [[Int]], _ mine: EditOperation, _ others: EditOperation) -> Bool {
        guard start.joined().count > 1 else { return true }
        // Two moves: which rows have moved is the question with the most cases.
        if case .move = mine, case .move = others { return true }
        if case .moveSection = mine, case .moveSection = others { return true }
        let hash = Array("\(mine), \(others)".utf8).withUnsafeBytes { XXHash64.hash($0, seed: 0) }
        return hash % (start.joined().count == 3 ? 12 : 4) == 0
    }

    /// A list, the rows of its versions, and its edits.
    private struct Trial: ~Copyable {
        var list: KeptList
        var rows: [ReferenceList]
    }

    private static func list(_ start: [[Int]], _ edits: [EditOperation]) throws -> Trial {
        var list = KeptList()
        try list.commit(tracking: .untracked) { editor in
            for (index, rows) in start.enumerated() { try editor.insertSection(NewSection(index, rows)) }
        }
        var trial = Trial(list: list, rows: [ReferenceList()])
        trial.rows.append(try trial.list.contents())
        for (edit, origin) in zip(edits, ["a", "b"]) {
            guard try trial.list.commit(by: origin, { try $0.apply(edit) }) != nil else { break }
            trial.rows.append(try trial.list.contents())
        }
        return trial
    }

    private func check(_ start: [[Int]], _ mine: EditOperation, _ others: EditOperation) throws {
        var trial = try Self.list(start, [mine, others])
        guard trial.rows.count == 4 else { return }
        let comment: Comment = "\(start), undo of \(mine) after \(others)"
        let log = trial.list.log
        func side(_ version: Int, _ rows: ReferenceList) throws -> (rows: ReferenceList, snapshot: UntypedSnapshot) {
            (rows, try log.snapshot(at: Version(UInt64(version))))
        }
        let (before, after) = (try side(1, trial.rows[1]), try side(2, trial.rows[2]))
        let (first, second) = (try log.commit(Version(2)), try log.commit(Version(3)))
        let undo = ReferenceMerge(
            .init(
                base: after, target: before, now: try side(3, trial.rows[3]),
                placed: try Changeset.Elements(placedBy: [first]),
                placedByOthers: try Changeset.Elements(placedBy: [second])))
        // First, conflicts are refused.
        if !undo.conflicts.isEmpty {
            var found: ListError?
            do { try trial.list.undo("a") } catch let error as ListError { found = error }
            guard case .conflicts(let conflicts) = found else { throw Failure("no conflicts, \(comment.rawValue)") }
            try #require(Set(conflicts) == undo.conflicts && conflicts.count == undo.conflicts.count, comment)
            let unchanged = try trial.list.contents()
            try #require(log.head == Version(3) && unchanged == trial.rows[3], comment)
        }
        let undone = try trial.list.undo("a", onConflict: .skip)
        let now = try trial.list.contents()
        try #require(Set(undone.conflicts) == undo.conflicts, comment)
        try #require(
            now == undo.result, "\(comment.rawValue): \(MergeRows.text(now)), not \(MergeRows.text(undo.result))")
        try checkOthers(trial.rows, now, comment)
        try checkPlaces(trial.rows, now, first, second, comment)
        if trial.rows[3] == trial.rows[1] {
            // The others have taken everything back.
            try #require(undone.conflicts.isEmpty && undone.commit?.eventCount == 0, comment)
        }
        try trial.list.editor.checkInvariants()
        // The redo takes exactly that back.
        let redone = try trial.list.redo("a", onConflict: .skip)
        let end = try trial.list.contents()
        try #require(redone.conflicts.isEmpty && end == trial.rows[3], "redo, \(comment.rawValue)")
        try trial.list.editor.checkInvariants()
    }

    private struct Failure: Error {
        let text: String?
        init(_ text: String?) { self.text = text }
    }

    /// The ids of the rows and sections that a commit inserts or moves; nil if it replaces all of them.
    private static func placed(by commit: Commit) throws -> Set<UntypedID>? {
        var ids: Set<UntypedID> = []
        for event in try commit.events() {
            switch event {
            case .itemsInserted(_, let items): ids.formUnion(items.map(\.id))
            case .itemsMoved(_, _, let moved): ids.formUnion(moved)
            case .sectionInserted(_, let section): ids.formUnion([section.id] + section.items.map(\.id))
            case .sectionMoved(_, _, let id): ids.insert(id)
            case .listReloaded: return nil
            default: break
            }
        }
        return ids
    }

    /// Checks that what the second commit has moved is still where it has put it: in the same section, and on the same side of every row
    /// that neither commit has put anywhere.
    private func checkPlaces(
        _ rows: [ReferenceList], _ now: ReferenceList, _ first: Commit, _ second: Commit, _ comment: Comment
    ) throws {
        guard let mine = try Self.placed(by: first), let others = try Self.placed(by: second) else { return }
        let (base, left) = (rows[2], rows[3])
        func isFixed(_ id: UntypedID) -> Bool { !mine.contains(id) && !others.contains(id) }
        for (index, section) in left.sections.enumerated() {
            if others.contains(section.id), base.indexOfSection(section.id) != nil,
                let found = now.indexOfSection(section.id)
            {
                for (other, neighbour) in left.sections.enumerated() where isFixed(neighbour.id) {
                    guard let place = now.indexOfSection(neighbour.id) else { continue }
                    try #require((place < found) == (other < index), comment)
                }
            }
            for (index, item) in section.items.enumerated() where others.contains(item.id) {
                guard base.path(of: item.id) != nil, let found = now.path(of: item.id) else { continue }
                try #require(now.sections[found.section].id == section.id, comment)
                for (other, neighbour) in section.items.enumerated() where isFixed(neighbour.id) {
                    guard let place = now.path(of: neighbour.id) else { continue }
                    try #require(place.section == found.section, comment)
                    try #require((place.item < found.item) == (other < index), comment)
                }
            }
        }
    }

    /// Checks that no change between the rows of version 2 and version 3 is lost in the rows after the undo.
    private func checkOthers(_ rows: [ReferenceList], _ now: ReferenceList, _ comment: Comment) throws {
        let (base, left) = (rows[2], rows[3])
        for path in base.paths {
            let id = base.item(at: path).id
            if left.path(of: id) == nil { try #require(now.path(of: id) == nil, "\(id) is back, \(comment.rawValue)") }
        }
        for path in left.paths {
            let item = left.item(at: path)
            let section = left.sections[path.section].id
            let found = now.path(of: item.id)
            guard let old = base.path(of: item.id) else {
                // An inserted row is still in its section, unchanged.
                let place = try #require(found, "\(item.id), \(comment.rawValue)")
                try #require(now.item(at: place) == item && now.sections[place.section].id == section, comment)
                continue
            }
            let was = base.item(at: old)
            if was != item { try #require(found != nil, "\(item.id), \(comment.rawValue)") }
            guard let found else { continue }
            let present = now.item(at: found)
            if was.content != item.content { try #require(present.content == item.content, comment) }
            if was.isChecked != item.isChecked { try #require(present.isChecked == item.isChecked, comment) }
            if was.depth != item.depth { try #require(present.depth == item.depth, comment) }
            if was.isCollapsed != item.isCollapsed { try #require(present.isCollapsed == item.isCollapsed, comment) }
            if base.sections[old.section].id != section {
                try #require(now.sections[found.section].id == section, comment)
            }
        }
        for section in base.sections where left.indexOfSection(section.id) == nil {
            try #require(now.indexOfSection(section.id) == nil, comment)
        }
        for section in left.sections {
            let found = now.indexOfSection(section.id)
            let old = base.indexOfSection(section.id).map { base.sections[$0] }
            if old?.title != section.title {
                try #require(found.map { now.sections[$0].title } == section.title, comment)
            }
        }
    }
}
