// Tests the state hash: equal lists have equal hashes, whatever edits led to them; different lists have different ones.

@testable import ListModel
import TestSupport
import Testing

@Suite("State hash")
struct StateHashTests {
    private static let widths = [
        TreeLimits(leafCapacity: 4, innerCapacity: 4), TreeLimits(leafCapacity: 5, innerCapacity: 9),
        TreeLimits(leafCapacity: 100, innerCapacity: 4), TreeLimits(),
    ]

    /// The hash of a list made by one reload.
    private static func hash(_ rows: ReferenceList, limits: TreeLimits = TreeLimits()) throws -> StateHash {
        var list = MemoryList(limits: limits)
        try list.commit { editor in
            try editor.reload(
                rows.sections.map { section in
                    NewSection(
                        id: section.id, title: section.title,
                        items: section.items.map {
                            NewRow(
                                id: $0.id, isChecked: $0.isChecked, content: $0.content, depth: $0.depth,
                                isCollapsed: $0.isCollapsed)
                        })
                })
        }
        return list.snapshot().stateHash
    }

    /// A list that random edits made, and its hash after them.
    private static func edited(seed: UInt64) throws -> (rows: ReferenceList, hash: StateHash) {
        var list = MemoryList(limits: widths[Int(seed) % widths.count])
        var edits = RandomEdits(seed: seed, targetCount: 80)
        var reference = ReferenceList()
        for _ in 0..<300 {
            let operation = edits.next(reference)
            guard (try? reference.apply(operation)) != nil else { continue }
            try list.commit { try $0.apply(operation) }
        }
        return (reference, list.snapshot().stateHash)
    }

    @Test("Equal lists have equal hashes, after any edits and in nodes of any width", arguments: 1...12)
    func sameListSameHash(seed: UInt64) throws {
        let (rows, hash) = try Self.edited(seed: seed)
        for limits in Self.widths { #expect(try Self.hash(rows, limits: limits) == hash, "seed \(seed)") }
        // Inserted row by row from the back, each moved into its place and updated to its content.
        var list = MemoryList(limits: Self.widths[(Int(seed) + 1) % Self.widths.count])
        for section in rows.sections.reversed() {
            try list.commit { try $0.insertSection(NewSection(id: section.id, title: "draft"), at: .at(0)) }
            for row in section.items.reversed() {
                try list.commit { editor in
                    try editor.insert(NewRow(id: row.id, content: [0xEE]), at: .end(ofSection: section.id))
                    try editor.move(.item(row.id), to: .section(section.id, at: 0))
                    try editor.update(row.id, content: row.content)
                    try editor.setChecked(row.isChecked, for: .item(row.id))
                    try editor.changeDepth(of: .item(row.id), by: row.depth)
                    try editor.setCollapsed(row.isCollapsed, for: row.id)
                }
            }
            try list.commit { try $0.renameSection(.section(section.id), to: section.title) }
        }
        #expect(list.snapshot().stateHash == hash, "seed \(seed)")
        #expect(Changeset(from: list.snapshot(), to: list.snapshot()).isEmpty)
    }

    @Test("Any single difference gives another hash", arguments: 1...6 as ClosedRange<UInt64>)
    func anyDifference(seed: UInt64) throws {
        let (rows, hash) = try Self.edited(seed: seed)
        var others: [(ReferenceList, what: String)] = []
        func add(_ what: String, _ change: (inout ReferenceList) -> Void) {
            var other = rows
            change(&other)
            if other != rows { others.append((other, what)) }
        }
        for path in rows.paths {
            let (section, item) = (path.section, path.item)
            add("checkmark at \(path)") { $0.sections[section].items[item].isChecked.toggle() }
            add("content at \(path)") { $0.sections[section].items[item].content.append(0) }
            add("id at \(path)") { $0.sections[section].items[item].id = "other" }
            add("no row at \(path)") { $0.sections[section].items.remove(at: item) }
            add("row at \(path) first") { $0.sections[section].items.swapAt(0, item) }
            add("row at \(path) in the next section") { rows in
                let row = rows.sections[section].items.remove(at: item)
                rows.sections[(section + 1) % rows.sections.count].items.append(row)
            }
        }
        for section in rows.sections.indices {
            add("title of section \(section)") { $0.sections[section].title += " " }
            add("id of section \(section)") { $0.sections[section].id = "other" }
            add("no section \(section)") { $0.sections.remove(at: section) }
            add("section \(section) first") { $0.sections.swapAt(0, section) }
            add("an empty section before \(section)") { list in
                list.sections.insert(ReferenceSection(id: "other", title: "", items: []), at: section)
            }
        }
        #expect(!others.isEmpty, "seed \(seed)")
        var hashes: [StateHash: ReferenceList] = [hash: rows]
        for (other, what) in others {
            let found = try Self.hash(other)
            try #require(hashes[found] == nil || hashes[found] == other, "seed \(seed): \(what)")
            #expect(found != hash, "seed \(seed): \(what)")
            hashes[found] = other
        }
    }

    @Test("The boundary between sections changes the hash, even if the order of the rows is the same")
    func boundaries() throws {
        let splits = try [[[1, 2, 3], []], [[1, 2], [3]], [[1], [2, 3]], [[], [1, 2, 3]], [[1, 2, 3]]].map { rows in
            var list = try MemoryList(rows)
            return list.snapshot().stateHash
        }
        #expect(Set(splits).count == splits.count)
    }

    @Test("Reading the hash in the middle of a commit does not change it", arguments: 1...4 as ClosedRange<UInt64>)
    func hashWithinACommit(seed: UInt64) throws {
        var (looking, other) = ([StateHash](), [StateHash]())
        for looks in [true, false] {
            var list = MemoryList(limits: Self.widths[0])
            var edits = RandomEdits(seed: seed)
            var reference = ReferenceList()
            for _ in 0..<40 {
                try list.commit { editor in
                    for _ in 0..<5 {
                        let operation = edits.next(reference)
                        guard (try? reference.apply(operation)) != nil else { continue }
                        try editor.apply(operation)
                        if looks { _ = editor.snapshot() }
                    }
                }
                if looks { looking.append(list.snapshot().stateHash) } else { other.append(list.snapshot().stateHash) }
            }
        }
        #expect(looking == other, "seed \(seed)")
    }

    @Test("A hash is shown as sixteen hexadecimal digits")
    func description() {
        #expect(StateHash(rawValue: 0xAB).description == "00000000000000ab")
        #expect(StateHash(rawValue: .max).description == "ffffffffffffffff")
        #expect(StateHash(rawValue: 0).description == "0000000000000000")
    }
}
