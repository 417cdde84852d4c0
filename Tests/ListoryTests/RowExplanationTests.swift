// Tests why a row is where it is: against a naive replay, over random histories and random stages.

import Foundation
@testable import ListModel
@testable import Listory
import TestSupport
import Testing

private struct Todo: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
    var due: Date?
    var project = "home"
}

@Suite("The explanation of a row")
struct RowExplanationTests {
    /// A store with random commits of several origins, and the rows of each version.
    private struct Trial: ~Copyable {
        var edited: EditedStore
        var stages: [ReferenceStage] = []
        var words: [String] = []
        /// Nil while the store is closed: the rows that it shows would keep the file open.
        var view: UntypedLiveList!
        var history: RowHistoryOracle

        init(seed: UInt64) throws {
            let store = try EditedStore(changing: seed, targetCount: 30)
            let (view, history) = (try UntypedLiveList(of: store.store, []), try RowHistoryOracle(store.store))
            (self.view, self.history) = (view, history)
            edited = store
        }

        mutating func edit(_ count: Int) throws {
            try edited.change(count)
            let (store, source) = (edited.store, GroupSource(base: edited.store.source))
            while try UInt64(edited.versions.count) <= store.version.rawValue {
                let version = Version(UInt64(edited.versions.count))
                edited.versions.append(try ReferenceList(store.snapshot(at: version), source))
            }
            try history.follow(store)
        }

        /// Forgets a part of the log, or nothing, and opens the store again.
        mutating func compact() throws {
            view = nil
            try edited.store.close()
            let keepsAll = Bool.random(using: &edited.edits.generator)
            let kept = edited.randomVersion(from: edited.store.oldestVersion)
            try UntypedStore.compact(at: edited.path, Compaction(keeping: keepsAll ? .everything : .from(kept)))
            try edited.reopen()
            history = try RowHistoryOracle(edited.store)
            view = try UntypedLiveList(of: edited.store, [])
            try changeView()
        }

        /// Gives the view other stages and other words.
        mutating func changeView() throws {
            let source = GroupSource(base: edited.store.source)
            stages = (0..<edited.edits.generator.below(5)).map { _ in
                ReferenceStage(using: &edited.edits.generator)
            }
            words = (0..<edited.edits.generator.below(3)).map { _ in
                ["a", "B", "cc", "e"].randomElement(using: &edited.edits.generator)!
            }
            try view.replaceStages(stages.map { $0.stage(source) })
            try view.search(words.joined(separator: " "))
        }

        /// Compares the explanations of some rows at a version with the oracle.
        mutating func check(_ count: Int, at version: Version?, _ comment: Comment) throws {
            let (store, oracle) = (edited.store, history)
            let newest = try version ?? store.version
            let rows = edited.versions[Int(newest.rawValue)]
            let chain = ReferenceChain(rows, stages, searchingFor: words)
            let shown = try version.map { try view.snapshot(at: $0) } ?? view.snapshot
            try #require(try ReferenceList(shown, GroupSource(base: store.source)) == chain.shown, comment)
            let ids =
                rows.paths.map { rows.item(at: $0).id }
                + oracle.subjects.compactMap { subject in
                    if case .row(let id) = subject { id } else { nil }
                }.sorted { $0.hash64 < $1.hash64 } + ["nobody"]
            for id in ids.shuffled(using: &edited.edits.generator).prefix(count) {
                let found = try view.explanation(ofRow: id, at: version)
                try #require(found.version == newest, comment)
                try #require(found.location == location(of: id, in: chain.shown), "\(id), \(comment)")
                try #require(found.listLocation == location(of: id, in: rows), "\(id), \(comment)")
                let isThere = found.listLocation != nil
                let decisions = found.decisions.map(\.reference)
                try #require(decisions == (isThere ? chain.decisions(about: id) : []), "\(id), \(comment)")
                try #require(isThere == (found.stopped != nil || found.location != nil), "\(id), \(comment)")
                try checkCommits(found, rows, newest, "\(id), \(comment)")
                let plain = try store.explanation(ofRow: id, at: version)
                try #require(plain.blame == found.blame && plain.decisions.isEmpty, comment)
                try #require(plain.location == found.listLocation, comment)
            }
        }

        private func checkCommits(
            _ found: RowExplanation, _ rows: ReferenceList, _ version: Version, _ comment: Comment
        ) throws {
            let expected = history.blame(found.id, through: version)
            try #require(found.blame.versions == expected, comment)
            // The rows of every version say the same: what is now differs from what was before the commit that changed it.
            let item = rows.path(of: found.id).map { rows.item(at: $0) }
            try #require((item == nil) == (found.row == nil), comment)
            if item == nil, let deleted = expected[5] {
                try #require(edited.versions[Int(deleted.rawValue)].path(of: found.id) == nil, comment)
            }
            let source = edited.store.source
            if let updated = expected[1] {
                let before = edited.versions[Int(updated.rawValue) - 1]
                let content = try found.previousContent.map { try source.content(of: $0) }
                try #require(content == before.path(of: found.id).map { before.item(at: $0).content }, comment)
            } else {
                try #require(found.previousContent == nil, comment)
            }
            guard let row = found.row, let place = found.listLocation else {
                return try #require(found.contentWritten == nil && found.sectionMoved == nil, comment)
            }
            try #require(try source.content(of: row.content) == item?.content, comment)
            // A reload may have written the same content again, and an undo may bring back what was before the log begins.
            let written = (expected[1] ?? expected[0]).map { min($0, row.content.version) } ?? .empty
            let isKnown = written > edited.store.oldestVersion
            try #require(found.contentWritten?.version == (isKnown ? written : nil), comment)
            let settled = expected[4] ?? expected[0] ?? .empty
            let moves = history.history(of: .section(place.section), through: version).filter {
                $0.kinds.contains(.moved) && $0.version > settled
            }
            try #require(found.sectionMoved?.version == moves.first?.version, comment)
        }

        private func location(of id: UntypedID, in list: ReferenceList) -> RowExplanation.Location? {
            list.path(of: id).map { RowExplanation.Location(path: $0, section: list.sections[$0.section].id) }
        }
    }

    @Test(
        "It is that of a naive replay, over random histories and stages, at the newest version and in the past",
        arguments: 0..<4 as Range<UInt64>)
    func oracle(number: UInt64) throws {
        let seed = Soak.seed &+ number
        var trial = try Trial(seed: seed)
        for round in 0..<40 {
            try trial.edit(18)
            if round % 3 == 0 { try trial.changeView() }
            if round % 13 == 12 { try trial.compact() }
            let comment: Comment = "seed \(seed), round \(round), stages \(trial.stages), words \(trial.words)"
            try trial.check(8, at: nil, comment)
            let past = trial.edited.randomVersion(from: trial.edited.store.oldestVersion)
            try trial.check(4, at: past, "\(comment), version \(past)")
        }
        // What was before the beginning of a compacted log is not known, and nothing else is lost.
        let store = trial.edited.store
        Soak.count(Int(try store.version.rawValue))
        let before = try store.snapshot.sections.flatMap { $0.items.map(\.id) }.map { try store.explanation(ofRow: $0) }
        let path = trial.edited.folder.file("compacted")
        try store.copy(to: path)
        let kept = trial.edited.randomVersion(from: store.oldestVersion)
        try UntypedStore.compact(at: path, Compaction(keeping: .from(kept)))
        let compacted = try UntypedStore.open(at: path)
        for old in before {
            let found = try compacted.explanation(ofRow: old.id)
            let oldest = compacted.oldestVersion
            #expect(found.blame.versions == old.blame.versions.map { $0.flatMap { $0 > oldest ? $0 : nil } })
            #expect(found.location == old.location)
            if found.blame.updated != nil {
                let content = try found.previousContent.map { try compacted.source.content(of: $0) }
                #expect(try content == old.previousContent.map { try store.source.content(of: $0) })
            }
        }
    }

    @Test("The parts of a typed query say what they decided, in plain sentences")
    func query() throws {
        var options = StoreOptions()
        options.now = { Timestamp(microseconds: 0) }
        let folder = try TemporaryFolder()
        let store = try ListStore<String, Todo>.open(at: folder.file("list"), createIfMissing: true, options: options)
        try store.edit("Start", origin: "anna") { list in
            let day = Date(timeIntervalSince1970: 86_400)
            let items = [
                Todo(id: 1, title: "Oat milk", due: day), Todo(id: 2, title: "Milk"),
                Todo(id: 3, title: "Tea", due: day),
                Todo(id: 4, title: "Milk", project: "office"), Todo(id: 5, title: "Rice milk", due: day + 1),
            ]
            try list.insertSection("today", title: "Today", items: items)
        }
        try store.edit("Check") { try $0.toggle(4) }
        try store.edit("Rename", origin: "ben") { try $0.update(2) { $0.title = "Soy milk" } }
        let view = try store.view { list in
            list.filter { $0.id < 100 }.filter { !$0.isChecked }.searchable(in: \.title)
                .grouped(by: { try $0.item!.project }, title: { "For \($0)" }).sorted(by: \.due).prefix(2)
        }
        try view.search("milk")
        #expect(
            try "\(view.explanation(ofRow: 1))" == """
                The row 1 is shown at [0, 0], in the section "home" at version 3.
                In the list, it is at [0, 0], in the section "today".
                It passes all 2 filters.
                Its section is "home", "For home".
                It has the words "milk".
                Its sort key is 1970-01-02T00:00:00Z: it stands before 5 (1970-01-02T00:00:01Z).
                It is row 1, and the first 2 are shown.
                It came into the list with 1 "Start" by anna, 1970-01-01T00:00:00Z.
                """)
        let last = try view.explanation(ofRow: 2)
        #expect(last.stopped?.part == .prefix && last.location == nil)
        #expect(last.sentences[5] == "It has no sort key: it stands after 5 (1970-01-02T00:00:01Z).")
        #expect(last.sentences[6] == "It is row 3, and the first 2 are shown.")
        #expect(last.blame.updated?.origin == "ben")
        let before = try #require(last.previousContent)
        let row = UntypedRow(id: last.id, isChecked: false, content: before)
        #expect(try store.coder.item(of: row, in: store.core.source).title == "Milk")
        let unfound = try view.explanation(ofRow: 3).sentences
        #expect(unfound[4...5] == ["It does not have \"milk\".", "Not reached: sorted, prefix."])
        let checked = try view.explanation(ofRow: 4)
        #expect(checked.sentences[2] == "It does not pass the filter 2 of 2.")
        #expect(checked.sentences.last == #"Its checkmark was last changed by 2 "Check", 1970-01-01T00:00:00Z."#)
        // At an earlier version, the view would have shown it.
        #expect(try view.explanation(ofRow: 4, at: 1).stopped?.part == .prefix)
        #expect(throws: ListError.self) { try view.explanation(ofRow: 4, at: 9) }
    }

    @Test("A row that is not in the list was deleted by a commit, or never was there")
    func deleted() throws {
        let fixture = try StoreFixture()
        try fixture.fill(4)
        let store = fixture.store
        try store.edit("Clear", origin: "anna") { try $0.delete(.item(1)) }
        try store.edit("Again") { list in
            try list.delete(.item(2))
            try list.insert(NewRow(id: 2, content: []), at: .end(ofSection: "today"))
            try list.insert(NewRow(id: 9, content: []), at: .end(ofSection: "today"))
            try list.delete(.item(9))
        }
        let view = try UntypedLiveList(of: store, [.first(1)])
        let gone = try view.explanation(ofRow: 1)
        #expect(gone.blame.deleted?.version == 2 && gone.blame.inserted?.version == 1 && gone.decisions.isEmpty)
        #expect(
            gone.sentences[0].hasPrefix(
                #"The row 1 is not in the list at version 3: it was deleted by 2 "Clear" by anna"#))
        #expect(try view.explanation(ofRow: 2).blame.versions == [3, nil, nil, nil, nil, nil])
        #expect(try view.explanation(ofRow: 9).blame.versions == [3, nil, nil, nil, nil, 3])
        let never = try view.explanation(ofRow: 99)
        #expect(never.sentences == ["The row 99 is not in the list at version 3: no commit of the log has deleted it."])
        try store.undo(2)
        let back = try view.explanation(ofRow: 1)
        #expect(back.stopped?.part == .prefix && back.blame.versions == [5, nil, nil, nil, nil, nil])
        #expect(back.contentWritten?.version == 1, "undo brought back what version 1 had written")
        #expect(back.sentences.last?.hasPrefix(#"Its content was written by 1 "Fill""#) == true)
    }

    @Test("A bad edit among a hundred thousand events is found")
    func badEdit() throws {
        let fixture = try StoreFixture { $0.durability = .deferred }
        try fixture.fill(500)
        let store = fixture.store
        var generator = SeededGenerator(seed: 5)
        let bad = 300
        for round in 0..<1_010 {
            if round == bad {
                try store.edit("Sort", origin: "sync") { list in
                    try list.update(77, content: Array("row 7".utf8))
                    try list.move(.item(77), to: .at(ListIndexPath(section: 0, item: 0)))
                }
            }
            try store.edit("Tidy up", origin: "anna") { list in
                for _ in 0..<100 {
                    let id = UntypedID.integer(Int64(generator.below(500)))
                    if id == 77 { continue }
                    try list.toggle(.item(id))
                }
            }
        }
        let source = store.source
        let view = try UntypedLiveList(
            of: store,
            [
                .arrange(
                    Arrangement {
                        try RowPlacement(key: .text(String(decoding: source.content(of: $0.content), as: UTF8.self)))
                    })
            ])
        let found = try view.explanation(ofRow: 77)
        #expect(found.blame.updated?.version == Version(UInt64(bad + 2)) && found.blame.updated?.name == "Sort")
        #expect(found.blame.moved == found.blame.updated && found.blame.toggled == nil)
        guard case .order(.text("row 7"), let after, _) = found.decisions.last?.reason else {
            Issue.record("the sort key of \(found)")
            return
        }
        // Equal keys stand in the order of the list, where the row was moved to the top.
        #expect(after?.id == 69 && found.location?.path.item == 467)
        #expect(try found.previousContent.map { try source.content(of: $0) } == Array("row 77".utf8))
        #expect(try store.history(ofRow: 77).count == 2)
    }
}
