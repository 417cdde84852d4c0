// The editor without a terminal: keys change the notes and what is looked at, and a grid shows it.
//
// Always holds: a key that fails changes nothing and leaves a message; looking at the past or searching changes nothing;
// drawing reads only the paragraphs that are in the window.

import Foundation
import Listory
import TerminalKit

/// Edits notes by keys.
final class Editor {
    /// What is in the window.
    enum Mode {
        case editing
        case searching(Search)
        case branching(Branches)
        case traveling(Travel)
        case help
    }

    let notes: Notes
    /// The name of the notes, for the status line.
    let title: String
    var mode = Mode.editing
    /// Where the caret is in the newest paragraphs.
    var caret = Place(row: 0, offset: 0)
    /// The column that moving up and down keeps to.
    var goal: Int?
    /// The paragraphs that were cut last.
    var clipboard: [String] = []
    /// Whether the last key cut a paragraph, so that the next one is added.
    var isCutting = false
    /// What went wrong with the last key.
    var message: String?
    /// The first line in the window.
    var scroll = Scroll()
    private(set) var size: Size
    private(set) var isFinished = false

    init(_ notes: Notes, title: String, size: Size) {
        (self.notes, self.title, self.size) = (notes, title, size)
    }

    func resize(to size: Size) { self.size = size }

    /// Does what a key means.
    func press(_ key: Key) {
        message = nil
        // The notes may have been changed by another program.
        attempt { if try notes.refresh() { caret = notes.paragraphs.nearest(caret) } }
        if key == .control("q") {
            isFinished = true
            return
        }
        attempt {
            switch mode {
            case .editing: try edit(key)
            case .searching(let search): try find(key, search)
            case .branching(let branches): try branch(key, branches)
            case .traveling(let travel): try self.travel(key, travel)
            case .help: mode = .editing
            }
        }
    }

    /// Looks whether another program has changed the notes.
    func look() { attempt { if try notes.refresh() { caret = notes.paragraphs.nearest(caret) } } }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { message = "\(error)" }
    }

    /// The height of the text.
    var textHeight: Int { max(1, size.rows - (size.rows >= 6 ? 2 : size.rows >= 2 ? 1 : 0)) }
    /// The width of the text; the caret has a column after it.
    var textWidth: Int { max(2, size.columns - 1) }
}

// MARK: - Editing

extension Editor {
    private func edit(_ key: Key) throws {
        let wasCutting = isCutting
        isCutting = false
        switch key {
        case .text(let text): try replace(caret, caret, text, "Type")
        case .tab: try replace(caret, caret, "    ", "Type")
        case .paste(let text): try replace(caret, caret, text, "Paste")
        case .enter: try replace(caret, caret, "\n", "New Paragraph")
        case .backspace:
            let start = before(caret)
            if start < caret { try replace(start, caret, "", start.row < caret.row ? "Join Paragraphs" : "Delete") }
        case .delete:
            let end = after(caret)
            if end > caret { try replace(caret, end, "", end.row > caret.row ? "Join Paragraphs" : "Delete") }
        case .control("k"):
            guard let (text, place) = try notes.deleteParagraph(caret.row, caret: caret) else { return }
            clipboard = (wasCutting ? clipboard : []) + [text]
            caret = place
            isCutting = true
        case .control("u") where !clipboard.isEmpty:
            let start = Place(row: caret.row, offset: 0)
            try replace(start, start, (clipboard + [""]).joined(separator: "\n"), "Insert Paragraphs")
        case .moveUp, .moveDown:
            let place = try notes.moveParagraph(caret.row, by: key == .moveUp ? -1 : 1, caret: caret)
            caret = place ?? caret
        case .control("z"): caret = try notes.undo()
        case .control("y"): caret = try notes.redo()
        case .control("s"): try notes.store.waitUntilDurable()
        case .control("f"): mode = .searching(try Search(notes.store, caret))
        case .control("t"): mode = .branching(try Branches(notes.store))
        case .control("r"): mode = .traveling(try Travel(notes.store))
        case .help, .control("g"): mode = .help
        default: move(key)
        }
        if key != .up && key != .down && key != .pageUp && key != .pageDown { goal = nil }
    }

    private func replace(_ start: Place, _ end: Place, _ text: String, _ name: String) throws {
        caret = try notes.replace(from: start, to: end, with: text, name: name, caret: caret)
    }

    /// Moves the caret, which ends the step of undo.
    private func move(_ key: Key) {
        let length = notes.paragraphs.text(caret.row).count
        let old = caret
        switch key {
        case .left: caret = before(caret)
        case .right: caret = after(caret)
        case .up: moveLines(-1)
        case .down: moveLines(1)
        case .pageUp: moveLines(-max(1, textHeight - 1))
        case .pageDown: moveLines(max(1, textHeight - 1))
        case .home, .control("a"): caret.offset = 0
        case .end, .control("e"): caret.offset = length
        case .wordLeft: caret = wordBefore(caret)
        case .wordRight: caret = wordAfter(caret)
        default: return
        }
        if caret != old { notes.breakStep() }
    }

    private func before(_ place: Place) -> Place {
        if place.offset > 0 { return Place(row: place.row, offset: place.offset - 1) }
        if place.row == 0 { return place }
        return Place(row: place.row - 1, offset: notes.paragraphs.text(place.row - 1).count)
    }

    private func after(_ place: Place) -> Place {
        if place.offset < notes.paragraphs.text(place.row).count {
            return Place(row: place.row, offset: place.offset + 1)
        }
        return place.row + 1 < notes.paragraphs.count ? Place(row: place.row + 1, offset: 0) : place
    }

    private func wordBefore(_ place: Place) -> Place {
        if place.offset == 0 { return before(place) }
        let head = notes.paragraphs.text(place.row).prefix(place.offset)
        let word = head.reversed().drop { !isWord($0) }.drop { isWord($0) }
        return Place(row: place.row, offset: word.count)
    }

    private func wordAfter(_ place: Place) -> Place {
        let text = notes.paragraphs.text(place.row)
        if place.offset == text.count { return after(place) }
        let rest = text.dropFirst(place.offset).drop { !isWord($0) }.drop { isWord($0) }
        return Place(row: place.row, offset: text.count - rest.count)
    }

    private func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

    /// Moves the caret by lines of the window, and keeps its column.
    private func moveLines(_ count: Int) {
        var row = caret.row
        var lines = wrap(notes.paragraphs.text(row), width: textWidth)
        var index = line(of: caret.offset, in: lines)
        let column = goal ?? lines[index].column(of: caret.offset)
        goal = column
        for _ in 0..<abs(count) {
            if count < 0, index > 0 {
                index -= 1
            } else if count < 0, row > 0 {
                row -= 1
                lines = wrap(notes.paragraphs.text(row), width: textWidth)
                index = lines.count - 1
            } else if count > 0, index + 1 < lines.count {
                index += 1
            } else if count > 0, row + 1 < notes.paragraphs.count {
                row += 1
                lines = wrap(notes.paragraphs.text(row), width: textWidth)
                index = 0
            } else {
                break
            }
        }
        var offset = lines[index].offset(at: column)
        // The end of a line that is not the last is the beginning of the next one.
        if index + 1 < lines.count { offset = min(offset, lines[index].range.upperBound - 1) }
        caret = Place(row: row, offset: offset)
    }
}
