// The past: the tree of undo steps, and a slider over all versions. Both only look, until enter is pressed.

import Foundation
import Listory
import TerminalKit

/// The tree of undo steps, with one of them chosen.
struct Branches {
    let tree: StepTree
    let lines: [StepTree.Line]
    /// The index of the chosen line.
    var chosen: Int
    /// The paragraphs of the chosen step.
    var paragraphs: Paragraphs
    /// What the chosen step changed.
    var change: Place
    var scroll = Scroll()

    init(_ store: NoteStore) throws {
        tree = try StepTree(of: store)
        lines = tree.lines
        chosen = lines.firstIndex { [tree] in $0.step == tree.current } ?? 0
        paragraphs = Paragraphs(try store.snapshot)
        change = Place(row: 0, offset: 0)
        try look(store)
    }

    var step: StepTree.Step { tree.steps[lines[chosen].step] }

    /// Reads the paragraphs of the chosen step.
    mutating func look(_ store: NoteStore) throws {
        paragraphs = Paragraphs(try store.snapshot(at: step.version))
        guard let parent = step.parent else { return change = Place(row: 0, offset: 0) }
        change = paragraphs.firstChange(since: Paragraphs(try store.snapshot(at: tree.steps[parent].version)))
    }
}

/// A slider over the versions.
struct Travel {
    let range: ClosedRange<UInt64>
    /// The version that is shown.
    var version: UInt64
    var paragraphs: Paragraphs
    /// What the commit of the version changed.
    var change = Place(row: 0, offset: 0)
    /// The commit of the version; nil for the oldest one.
    var commit: Commit?
    var scroll = Scroll()

    init(_ store: NoteStore) throws {
        let newest = try store.snapshot
        range = store.oldestVersion.rawValue...newest.version.rawValue
        version = range.upperBound
        paragraphs = Paragraphs(newest)
        try look(at: version, store)
    }

    /// Reads the paragraphs of a version.
    mutating func look(at version: UInt64, _ store: NoteStore) throws {
        let snapshot = Paragraphs(try store.snapshot(at: Version(version)))
        commit = version > range.lowerBound ? try store.commit(Version(version)) : nil
        let before = version > range.lowerBound ? Paragraphs(try store.snapshot(at: Version(version - 1))) : snapshot
        change = snapshot.firstChange(since: before)
        (self.version, paragraphs) = (version, snapshot)
    }
}

extension Editor {
    func branch(_ key: Key, _ branches: Branches) throws {
        var branches = branches
        switch key {
        case .up, .left: branches.chosen -= 1
        case .down, .right: branches.chosen += 1
        case .pageUp: branches.chosen -= 10
        case .pageDown: branches.chosen += 10
        case .home: branches.chosen = 0
        case .end: branches.chosen = branches.lines.count - 1
        case .enter:
            mode = .editing
            caret = try notes.go(to: branches.step.version)
            return
        case .escape, .control("t"), .control("g"):
            mode = .editing
            return
        default: return
        }
        branches.chosen = min(max(0, branches.chosen), branches.lines.count - 1)
        try branches.look(notes.store)
        mode = .branching(branches)
    }

    func travel(_ key: Key, _ travel: Travel) throws {
        var travel = travel
        let (first, last) = (Int64(travel.range.lowerBound), Int64(travel.range.upperBound))
        var version = Int64(travel.version)
        switch key {
        case .left: version -= 1
        case .right: version += 1
        case .down, .pageUp, .wordLeft: version -= max(1, (last - first) / 20)
        case .up, .pageDown, .wordRight: version += max(1, (last - first) / 20)
        case .home: version = first
        case .end: version = last
        case .enter:
            mode = .editing
            if travel.version < travel.range.upperBound { caret = try notes.restore(Version(travel.version)) }
            return
        case .escape, .control("r"), .control("g"):
            mode = .editing
            return
        default: return
        }
        try travel.look(at: UInt64(min(max(first, version), last)), notes.store)
        mode = .traveling(travel)
    }
}

/// The time of a commit, as a clock on the wall shows it; with the day if it is another one.
func wallTime(_ time: Timestamp, now: Date = Date()) -> String {
    var seconds = time_t(time.microseconds / 1_000_000)
    var today = time_t(now.timeIntervalSince1970)
    var (parts, present) = (tm(), tm())
    localtime_r(&seconds, &parts)
    localtime_r(&today, &present)
    let isToday = (parts.tm_year, parts.tm_yday) == (present.tm_year, present.tm_yday)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, isToday ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
