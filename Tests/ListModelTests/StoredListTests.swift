// Compares checkpoints with the reference: stored, read on demand, evicted, taken again, dropped.

@testable import ListModel
import TestSupport
import Testing

@Suite("Stored lists")
struct StoredListTests {
    private static let limits = [
        TreeLimits(leafCapacity: 4, innerCapacity: 4), TreeLimits(leafCapacity: 5, innerCapacity: 4), TreeLimits(),
    ]
    static let seeds: [UInt64] = (1...(18 * UInt64(Soak.factor))).map { $0 }

    @Test("A list that is stored, evicted and opened again has the same rows", arguments: seeds)
    func randomEdits(seed: UInt64) throws {
        var stored = StoredList(Self.limits[Int(seed % 3)], cacheSize: seed % 2 == 0 ? 1 << 20 : 1 << 10)
        var edits = RandomEdits(seed: seed, targetCount: seed % 5 == 0 ? 400 : 60)
        var reference = ReferenceList()
        var version: [ReferenceList] = [reference]
        for step in 0..<1_500 {
            let comment: Comment = "seed \(seed), step \(step)"
            switch Int.random(in: 0..<100, using: &edits.generator) {
            case 0..<3: try stored.checkpoint(budget: [0, 4_096, .max].randomElement(using: &edits.generator)!)
            case 3:
                let nodes = Int.random(in: 0..<6, using: &edits.generator)
                do { try stored.checkpoint(failingAfter: nodes) } catch is StoredList.OutOfSpace {}
            case 4: try stored.reopen(edits.generator.oneIn(2) ? .records : .everyHash)
            case 5..<8 where stored.list.editor.state.history.undoCount > 0:
                try stored.list.undo()
                reference = try stored.list.contents()
            default:
                let operation = edits.next(reference)
                guard (try? reference.apply(operation)) != nil else { continue }
                try stored.list.commit { try $0.apply(operation) }
            }
            try #require(try stored.list.contents() == reference, comment)
            try #require(stored.store.damage == nil, comment)
            for _ in 0..<2 where !reference.paths.isEmpty {
                let path = reference.paths.randomElement(using: &edits.generator)!
                let id = reference.item(at: path).id
                try #require(stored.list.editor.state.indexPath(of: id) == path, comment)
            }
            if step % 50 == 0 { try stored.list.editor.checkInvariants() }
            version.append(reference)
        }
        try stored.list.editor.checkInvariants()
        try checkKept(&stored, &edits.generator, "seed \(seed)")
    }

    /// Drops checkpoints in any order; checks that the others have their rows, and that no unneeded node is stored.
    private func checkKept(
        _ stored: inout StoredList, _ generator: inout SeededGenerator, _ comment: Comment
    ) throws {
        try stored.checkpoint()
        while true {
            for index in stored.kept.indices {
                let rows = try ReferenceList(stored.snapshot(at: index), stored.list.log)
                try #require(rows == stored.kept[index].rows, comment)
            }
            let (from, to) = (
                stored.kept.indices.randomElement(using: &generator)!,
                stored.kept.indices.randomElement(using: &generator)!
            )
            let changes = Changeset(from: stored.snapshot(at: from), to: stored.snapshot(at: to))
            let (old, new) = (stored.kept[from].rows, stored.kept[to].rows)
            try #require(changes.applied(to: old, giving: new) == new, comment)
            if stored.kept.count == 1 { break }
            for _ in 0..<min(5, stored.kept.count - 1) {
                stored.drop(at: Int.random(in: 0..<stored.kept.count - 1, using: &generator))
            }
        }
        #expect(stored.store.damage == nil, comment)
        #expect(try stored.nodes.count == stored.expectedCount, comment)
    }

    /// A list of the rows 1 to 20,000, with a checkpoint.
    private static func filled(cacheSize: Int = 1 << 20) throws -> StoredList {
        var stored = StoredList(TreeLimits(), cacheSize: cacheSize)
        try stored.list.commit { list in
            try list.insertSection(
                NewSection(id: 1, title: "", items: (1...20_000).map { NewRow(id: .integer($0), content: [1]) }))
        }
        try stored.checkpoint()
        return stored
    }

    @Test("After one edit in a long list, a checkpoint stores one path of nodes and one or two chunks")
    func proportionalToChanges() throws {
        var stored = try Self.filled()
        let before = stored.nodes.count
        let next = stored.nextNumber
        try stored.list.commit { try $0.toggle(.item(7_777)) }
        try stored.checkpoint()
        // Three levels of rows and one of sections.
        #expect(stored.nextNumber - next == 4)
        #expect(stored.nodes.count == before + 4)
        try stored.list.commit { try $0.insert(NewRow(id: 30_000, content: [2]), at: .before(15_000)) }
        let third = stored.nextNumber
        try stored.checkpoint()
        // A full leaf and its full parent are split. Half of the leaf's ids are in another leaf now, and each may be in
        // another chunk of the index. Chunks of parents, directories and a split of the index are added.
        #expect(stored.nextNumber - third <= 6 + 17 + 8)
    }

    @Test("Opening reads only the nodes of the rows that are read")
    func readsOnDemand() throws {
        var stored = try Self.filled()
        try stored.reopen()
        for number in stored.nodes.numbers.dropLast(60) { stored.nodes[number] = nil }
        let snapshot = stored.list.snapshot()
        #expect(snapshot.item(at: ListIndexPath(section: 0, item: 19_999))?.id == 20_000)
        #expect(stored.store.damage == nil)
    }

    @Test("Comparing stored versions reads only the nodes that one of them has alone", arguments: [1, 2, 12, 600])
    func comparesWhatDiffers(_ stretch: Int) throws {
        var stored = try Self.filled()
        let next = stored.nextNumber
        // Leaves are deleted in one place, inserted in another, and changed in a third, so the leaves between have
        // other positions.
        try stored.list.commit { list in
            for id in 0..<stretch { try list.delete(.item(.integer(Int64(2_000 + id)))) }
            let rows = (0..<stretch).map { NewRow(id: .integer(Int64(30_000 + $0)), content: [2]) }
            try list.insert(rows, at: .before(10_000))
            for id in 0..<stretch { try list.toggle(.item(.integer(Int64(15_000 + id)))) }
        }
        try stored.checkpoint()
        let new = stored.nodes.numbers.filter { $0 >= next }.count
        let gone = stored.kept[1].gone.count
        try stored.reopen()
        let before = stored.nodes.readCount
        let changes = Changeset(from: stored.snapshot(at: 0), to: stored.snapshot(at: 1))
        // A patch is read together with the node that it is a patch of.
        #expect(stored.nodes.readCount - before <= 2 * (new + gone), "\(new) new, \(gone) gone")
        #expect(changes.items.deleted.map(\.item) == Array(1_999..<1_999 + stretch))
        #expect(changes.items.inserted.map(\.item) == Array(9_999 - stretch..<9_999))
        #expect(changes.items.updated.map(\.item) == Array(14_999..<14_999 + stretch))
        #expect(changes.items.moved.isEmpty)
        #expect(stored.store.damage == nil)
        // Control: a comparison with the empty list reads every remaining node.
        #expect(Changeset(from: UntypedSnapshot.empty, to: stored.snapshot(at: 1)).items.inserted.count == 20_000)
        #expect(stored.nodes.readCount - before > 600)
    }

    @Test("Comparing the versions before and after an edit does not read again the nodes that the edit read")
    func comparesWithWhatWasEdited() throws {
        var stored = try Self.filled()
        try stored.reopen()
        var shown = stored.list.snapshot()
        for (index, id) in [500, 7_777, 12_000, 19_000].enumerated() {
            let before = stored.nodes.readCount
            try stored.list.commit { try $0.toggle(.item(.integer(Int64(id)))) }
            let edited = stored.nodes.readCount
            #expect(edited > before)
            let new = stored.list.snapshot()
            let changes = Changeset(from: shown, to: new)
            // For a version all of whose nodes are stored, it is not known whether a snapshot of it exists.
            if index > 0 { #expect(stored.nodes.readCount == edited, "edit \(index)") }
            #expect(changes.items.updated == [ListIndexPath(section: 0, item: id - 1)])
            shown = new
        }
    }

    @Test("A node that is edited without a snapshot of the version before does not stay in the cache")
    func editsInPassing() throws {
        var stored = try Self.filled()
        try stored.reopen()
        var seen: UntypedSnapshot? = stored.list.snapshot()
        try stored.list.commit { try $0.toggle(.item(500)) }
        seen = stored.list.snapshot()
        try stored.list.commit { try $0.toggle(.item(501)) }
        #expect(seen != nil)
        seen = nil
        for id in [3_000, 7_777, 12_000, 16_000] {
            try stored.list.commit { try $0.toggle(.item(.integer(Int64(id)))) }
        }
        let before = stored.nodes.readCount
        let changes = Changeset(from: stored.snapshot(at: 0), to: stored.list.snapshot())
        #expect(changes.items.updated.map(\.item) == [499, 500, 2_999, 7_776, 11_999, 15_999])
        // The sections, the top of the rows, and two nodes below it for each place.
        #expect(stored.nodes.readCount - before == 2 + 5 * 2)
        // The same version: nothing has to be read.
        let after = stored.nodes.readCount
        #expect(Changeset(from: stored.snapshot(at: 0), to: stored.snapshot(at: 0)).isEmpty)
        #expect(stored.nodes.readCount == after)
    }

    @Test("Comparing long lists that share no nodes does not evict nodes from the cache")
    func comparesInPassing() throws {
        var stored = try Self.filled(cacheSize: 64 << 10)
        try stored.reopen()
        let snapshot = stored.snapshot(at: 0)
        let path = ListIndexPath(section: 0, item: 7_777)
        #expect(snapshot.item(at: path)?.id == 7_778)
        let before = stored.nodes.readCount
        #expect(Changeset(from: snapshot, to: .empty).items.deleted.count == 20_000)
        let after = stored.nodes.readCount
        #expect(after - before > 600)
        #expect(snapshot.item(at: path)?.id == 7_778)
        #expect(stored.nodes.readCount == after)
    }

    @Test("The rows that are newer than the checkpoint are found without reading any")
    func newRows() throws {
        var stored = try Self.filled()
        try stored.reopen()
        stored.list.snapshot().forEachNewRow { _ in Issue.record("all rows are stored") }
        try stored.list.commit { list in
            try list.update(7_777, content: [2])
            try list.insert(NewRow(id: 30_000, content: [3]), at: .end(ofSection: 1))
        }
        let snapshot = stored.list.snapshot()
        let before = stored.nodes.readCount
        var rows: [UntypedRow] = []
        snapshot.forEachNewRow { rows.append($0) }
        #expect(rows.filter { $0.content.version > 1 }.map(\.id) == [7_777, 30_000])
        #expect(rows.count < 1_000 && stored.nodes.readCount == before)
    }

    @Test("The parent and the end of a subtree of 20,000 rows are found without reading the rows between")
    func outlineReadsOnDemand() throws {
        var stored = StoredList(TreeLimits())
        let rows = (0...20_000).map { (number: Int64) in
            NewRow(id: .integer(number), content: [], depth: number == 0 || number == 20_000 ? 0 : 1 + Int(number) % 3)
        }
        try stored.list.commit { try $0.insertSection(NewSection(id: 1, title: "", items: rows)) }
        try stored.checkpoint()
        try stored.reopen()
        let outline = stored.list.snapshot().sections[0].outline
        let before = stored.nodes.readCount
        #expect(outline.subtree(of: 0) == 0..<20_000)
        #expect(outline.parent(of: 19_998) == 0 && outline.level(of: 19_998) == 1)
        #expect(outline.previousSibling(of: 20_000) == 0)
        #expect(outline.isVisible(19_999))
        // Three levels of nodes, at the beginning and at the end.
        #expect(stored.nodes.readCount - before <= 8)
        // Control: reading every row reads every node.
        #expect(Array(outline.children(of: 0)).count > 6_000)
        #expect(stored.nodes.readCount - before > 600)
        #expect(stored.store.damage == nil)
    }

    @Test("The rows below a missing or damaged node say so, and the pool reports it")
    func damage() throws {
        for kind in 0..<3 {
            var stored = StoredList(TreeLimits(leafCapacity: 4, innerCapacity: 4))
            try stored.list.commit { list in
                try list.insertSection(
                    NewSection(id: 1, title: "", items: (1...200).map { NewRow(id: .integer($0), content: [1]) }))
            }
            try stored.checkpoint()
            for number in stored.nodes.numbers {
                try stored.reopen()
                let bytes = stored.nodes[number]!
                switch kind {
                case 0: stored.nodes[number] = nil
                case 1: stored.nodes[number]![bytes.count / 2] ^= 1
                default: stored.nodes[number] = Array(bytes.dropLast())
                }
                let snapshot = stored.list.snapshot()
                var (rows, unreadable) = (0, 0)
                for section in snapshot.sections {
                    for item in section.items {
                        rows += 1
                        if item.id == "unreadable" {
                            unreadable += 1
                            #expect(throws: (any Error).self) { try stored.list.log.checkedContent(of: item.content) }
                        }
                    }
                }
                _ = stored.list.editor.state.indexPath(of: 77)
                _ = Changeset(from: snapshot, to: .empty)
                let isPage = stored.store.damage == nil
                if !isPage { #expect(rows == 200 || rows == 0, "node \(number), kind \(kind)") }
                #expect(!isPage || (rows == 200 && unreadable == 0), "nobody was told of node \(number), kind \(kind)")
                // So does a pool for the versions after it.
                #expect((NodePool(after: stored.store).damage == nil) == isPage)
                stored.nodes[number] = bytes
            }
        }
    }

    @Test("Any flipped bit of a node is noticed")
    func flippedBits() throws {
        var stored = StoredList(TreeLimits(leafCapacity: 4, innerCapacity: 4))
        try stored.list.commit { list in
            try list.insertSection(
                NewSection(id: 1, title: "Rows", items: (1...20).map { NewRow(id: .integer($0), content: [1]) }))
        }
        try stored.checkpoint()
        func isNoticed(_ stored: inout StoredList) throws -> Bool {
            try stored.reopen()
            for section in stored.list.snapshot().sections { for item in section.items { _ = item.isChecked } }
            return stored.store.damage != nil
        }
        #expect(try !isNoticed(&stored))
        var count = 0
        for number in stored.nodes.numbers {
            let bytes = stored.nodes[number]!
            stored.nodes[number] = nil
            // Chunks of the index are not read for this.
            let isNode = try isNoticed(&stored)
            for place in 0..<bytes.count where isNode {
                stored.nodes[number] = bytes
                stored.nodes[number]![place] ^= 1 << (place % 8)
                #expect(try isNoticed(&stored), "byte \(place) of node \(number)")
                count += 1
            }
            stored.nodes[number] = bytes
        }
        #expect(count > 200)
    }

    @Test("Nodes that were edited while a checkpoint was written are not evicted, and none below those of a snapshot")
    func eviction() throws {
        var stored = StoredList(TreeLimits(leafCapacity: 4, innerCapacity: 4))
        try stored.list.commit { list in
            try list.insertSection(
                NewSection(id: 1, title: "", items: (0..<200).map { NewRow(id: .integer($0), content: [1]) }))
        }
        let nodes = stored.nodes
        /// Edits meanwhile. The image keeps the nodes until it returns.
        func checkpoint(_ stored: inout StoredList) throws -> UInt64 {
            let checksum = try stored.list.log.commit(stored.list.log.head).checksum
            let image = stored.list.editor.state.captureCheckpoint(nextNumber: 1)
            for id in stride(from: 0, to: 200, by: 40) as StrideTo<Int64> {
                try stored.list.commit { try $0.toggle(.item(.integer(id))) }
            }
            var writer = CheckpointWriter(image) { nodes[$0] = Array($1) }
            let checkpoint = try writer.write(
                eventCount: 1, work: 1, checksum: checksum, after: nil, stored.store)
            stored.list.editor.state.adopt(writer.written, NodePool(after: stored.store))
            return checkpoint.lastNumber
        }
        func checked(_ snapshot: UntypedSnapshot) -> Int {
            snapshot.sections[0].items.reduce(0) { sum, item in sum + (item.isChecked ? 1 : 0) }
        }
        let last = try checkpoint(&stored)
        func keepSnapshot(_ stored: inout StoredList) {
            let snapshot = stored.list.snapshot()
            _ = stored.list.editor.state.evict(to: 0, olderThan: last + 1)
            #expect(checked(snapshot) == 5)
            #expect(nodes.readCount == 0, "all of its nodes are in memory")
        }
        keepSnapshot(&stored)
        _ = stored.list.editor.state.evict(to: 0, olderThan: last + 1)
        #expect(checked(stored.list.snapshot()) == 5)
        #expect(nodes.readCount > 40, "the others are not")
        #expect(stored.list.editor.state.pool.damage == nil)
    }
}

extension MemoryLog {
    /// The content of a row, even if its reference names no commit.
    fileprivate func checkedContent(of reference: ContentReference) throws -> [UInt8] {
        guard reference.version <= head else { throw ListError.unknownItem("no commit") }
        return try content(of: reference)
    }
}
