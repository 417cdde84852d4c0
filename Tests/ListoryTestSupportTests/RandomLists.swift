// Edits lists at random, by commits of several edits each, without reading all rows.

import ListModel
import TestSupport

/// Makes random edits, with most rows and sections equally likely.
struct RandomEditor {
    var generator: SeededGenerator
    /// About how many rows a list grows to, and how many sections.
    let rowLimit: Int
    let sectionLimit: Int
    private var nextID: Int64 = 0

    init(seed: UInt64, rowLimit: Int, sectionLimit: Int) {
        generator = SeededGenerator(seed: seed)
        self.rowLimit = rowLimit
        self.sectionLimit = sectionLimit
    }

    /// Inserts sections and rows up to the limits.
    mutating func fill(_ editor: inout UntypedEditor) throws {
        for section in 0..<sectionLimit {
            let count = Int.random(in: 0...max(1, 2 * rowLimit / sectionLimit), using: &generator)
            let rows = (0..<count).map { [nextID] in
                NewRow(id: .integer(nextID + Int64($0)), content: [UInt8($0 % 7)])
            }
            nextID += Int64(count)
            try editor.insertSection(NewSection(id: .integer(Int64(-section)), title: "\(section)", items: rows))
        }
        nextID += 1
    }

    /// Makes one edit.
    mutating func edit(_ editor: inout UntypedEditor) throws {
        let kind = Int.random(in: 0..<100, using: &generator)
        let sections = editor.state.sectionCount
        guard sections > 0 else { return try insertSection(&editor, 0) }
        let section = Int.random(in: 0..<sections, using: &generator)
        let count = editor.state.itemCount(inSectionAt: section)
        let isFull = editor.state.itemCount > rowLimit
        let run = generator.oneIn(4) ? 4 : 1
        switch kind {
        case 0..<(isFull ? 12 : 28):
            let place = Int.random(in: 0...count, using: &generator)
            let items = (0..<run).map { [nextID] in
                NewRow(id: .integer(nextID + Int64($0)), content: [UInt8($0)])
            }
            nextID += Int64(run)
            try editor.insert(items, at: .at(ListIndexPath(section: section, item: place)))
        case ..<(isFull ? 40 : 36) where count > 0:
            let item = Int.random(in: 0..<count, using: &generator)
            try editor.delete(.run(ListIndexPath(section: section, item: item), count: min(run, count - item)))
        case ..<70 where count > 0:
            let item = Int.random(in: 0..<count, using: &generator)
            let moved = min(run, count - item)
            let target = Int.random(in: 0..<sections, using: &generator)
            let room = editor.state.itemCount(inSectionAt: target) - (target == section ? moved : 0)
            let place = ListIndexPath(section: target, item: Int.random(in: 0...room, using: &generator))
            try editor.move(.run(ListIndexPath(section: section, item: item), count: moved), to: .at(place))
        case ..<78 where count > 0:
            let item = Int.random(in: 0..<count, using: &generator)
            try editor.toggle(.at(ListIndexPath(section: section, item: item)))
        case ..<84 where count > 0:
            let item = Int.random(in: 0..<count, using: &generator)
            let content = [UInt8.random(in: 0..<4, using: &generator)]
            try editor.update(at: ListIndexPath(section: section, item: item), content: content)
        case ..<91:
            try editor.moveSection(.at(section), to: .at(Int.random(in: 0..<sections, using: &generator)))
        case ..<93:
            try editor.renameSection(.at(section), to: "title \(Int.random(in: 0..<4, using: &generator))")
        case ..<96 where sections > 1 && (sections > sectionLimit / 2 || generator.oneIn(3)):
            try editor.deleteSection(.at(section))
        default:
            if sections < sectionLimit { try insertSection(&editor, section) }
        }
    }

    private mutating func insertSection(_ editor: inout UntypedEditor, _ index: Int) throws {
        let count = Int.random(in: 0...3, using: &generator)
        let items = (0..<count).map { [nextID] in
            NewRow(id: .integer(nextID + 1 + Int64($0)), content: [0])
        }
        let section = NewSection(id: .integer(nextID), title: "new", items: items)
        nextID += Int64(count) + 1
        try editor.insertSection(section, at: .at(index))
    }
}

extension MemoryList {
    /// Makes one commit of up to `count` random edits. It may change nothing.
    mutating func commit(upTo count: Int, _ random: inout RandomEditor) throws {
        try editor.begin(CommitDraft(name: "edit", time: Timestamp(microseconds: 0)))
        for _ in 0..<Int.random(in: 1...count, using: &random.generator) { try random.edit(&editor) }
        if let commit = try editor.finish() { log.append(commit) }
    }

    /// Makes one commit that fills the list.
    mutating func fill(_ random: inout RandomEditor) throws {
        try editor.begin(CommitDraft(name: "fill", time: Timestamp(microseconds: 0)))
        try random.fill(&editor)
        if let commit = try editor.finish() { log.append(commit) }
    }
}
