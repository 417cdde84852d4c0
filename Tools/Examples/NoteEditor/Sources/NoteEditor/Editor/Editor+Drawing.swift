// Draws the window.
//
// Always holds: whatever the size of the window is, the line with the caret is in it.

import Listory
import TerminalKit

/// The first line in the window.
struct Scroll: Equatable {
    var row = 0
    var line = 0
}

extension Editor {
    /// What the window shows.
    func draw() -> Grid {
        var grid = Grid(size)
        switch mode {
        case .editing:
            drawText(&grid, notes.paragraphs, caret, &scroll, 0..<textHeight, showsCaret: true)
            drawStatus(&grid, [title, count, steps], save)
            drawKeys(&grid, "^Z undo  ^Y redo  ^T tree  ^R rewind  ^F find  ^K cut  ^U insert  ^G keys  ^Q quit")
        case .searching(var search):
            let found = search.found
            let focus = Place(row: search.chosen, offset: 0)
            drawText(&grid, found, focus, &search.scroll, 0..<textHeight, words: search.words, marks: search.chosen)
            mode = .searching(search)
            drawStatus(&grid, ["Find: \(search.words)"], "\(found.count) of \(notes.paragraphs.count)", caretAfter: 0)
            drawKeys(&grid, "↑ ↓ choose  Enter go there  Esc back")
        case .branching(var branches):
            let split = textHeight / 2
            drawText(
                &grid, branches.paragraphs, branches.change, &branches.scroll, 0..<split, marks: branches.change.row)
            drawTree(&grid, branches, split..<textHeight)
            mode = .branching(branches)
            drawStatus(&grid, ["Undo tree", branches.step.name], "\(branches.tree.steps.count - 1) steps")
            drawKeys(&grid, "↑ ↓ look  Enter go there  Esc back")
        case .traveling(var travel):
            drawText(
                &grid, travel.paragraphs, travel.change, &travel.scroll, 0..<textHeight - 1, marks: travel.change.row)
            drawSlider(&grid, travel, textHeight - 1)
            mode = .traveling(travel)
            let name = travel.commit.map { "\(wallTime($0.time))  \($0.name)" } ?? "the beginning"
            drawStatus(&grid, [name], "version \(travel.version) of \(travel.range.upperBound)")
            drawKeys(&grid, "← → one edit  ↓ ↑ many  Home End  Enter restore  Esc back")
        case .help:
            for (row, text) in Self.help.enumerated() { grid.draw(text, at: .init(column: 0, row: row)) }
            drawStatus(&grid, ["Keys"], "any key: back")
        }
        return grid
    }

    private static let help = [
        "Keys", "", "  Ctrl+Z, Ctrl+Y     undo, redo", "  Ctrl+T             the tree of undo steps, with all branches",
        "  Ctrl+R             rewind: a slider through all versions", "  Ctrl+F             find words",
        "  Alt+Up, Alt+Down   move the paragraph", "  Ctrl+K, Ctrl+U     cut paragraphs, insert them",
        "  Ctrl+Left, Right   by words", "  Ctrl+S             wait until everything is saved",
        "  Ctrl+Q             quit; everything is saved anyway",
    ]

    // MARK: The text

    /// Draws paragraphs in rows of the window, around the one with the focus.
    private func drawText(
        _ grid: inout Grid, _ paragraphs: Paragraphs, _ focus: Place, _ scroll: inout Scroll, _ rows: Range<Int>,
        words: String = "", marks: Int? = nil, showsCaret: Bool = false
    ) {
        if rows.isEmpty { return }
        var wrapped: [Int: [WrappedLine]] = [:]
        func lines(_ row: Int) -> [WrappedLine] {
            if let lines = wrapped[row] { return lines }
            wrapped[row] = wrap(paragraphs.text(row), width: textWidth)
            return wrapped[row]!
        }
        let last = max(0, paragraphs.count - 1)
        let focus = Place(row: min(max(0, focus.row), last), offset: focus.offset)
        let focused = Scroll(row: focus.row, line: line(of: focus.offset, in: lines(focus.row)))
        scroll.row = min(scroll.row, last)
        scroll.line = min(scroll.line, lines(scroll.row).count - 1)
        // The highest first line with which the one with the focus is in the window.
        var lowest = focused
        for _ in 1..<max(1, rows.count) {
            if lowest.line > 0 {
                lowest.line -= 1
            } else if lowest.row > 0 {
                lowest.row -= 1
                lowest.line = lines(lowest.row).count - 1
            }
        }
        if (scroll.row, scroll.line) > (focused.row, focused.line) { scroll = focused }
        if (scroll.row, scroll.line) < (lowest.row, lowest.line) { scroll = lowest }
        var at = scroll
        for row in rows {
            if at.row > last { break }
            let line = lines(at.row)[at.line]
            grid.draw(line.glyphs, at: .init(column: 0, row: row), marks == at.row ? .bold : [])
            if !words.isEmpty { mark(&grid, words, paragraphs.text(at.row), line, row) }
            if showsCaret, at == focused {
                grid.caret = .init(column: max(0, min(line.column(of: focus.offset), size.columns - 1)), row: row)
            }
            at.line += 1
            if at.line == lines(at.row).count { at = Scroll(row: at.row + 1, line: 0) }
        }
    }

    /// Underlines the words of a search in a line.
    private func mark(_ grid: inout Grid, _ words: String, _ text: String, _ line: WrappedLine, _ row: Int) {
        for match in matches(of: words, in: text) {
            let range = match.clamped(to: line.range)
            if range.isEmpty { continue }
            let glyphs = line.glyphs[
                range.lowerBound - line.range.lowerBound..<range.upperBound - line.range.lowerBound]
            grid.draw(glyphs, at: .init(column: line.column(of: range.lowerBound), row: row), [.bold, .underlined])
        }
    }

    // MARK: The past

    private func drawTree(_ grid: inout Grid, _ branches: Branches, _ rows: Range<Int>) {
        // The chosen line in the middle.
        let first = max(0, min(branches.chosen - rows.count / 2, branches.lines.count - rows.count))
        for (row, line) in zip(rows, branches.lines[first...]) {
            let step = branches.tree.steps[line.step]
            let time = step.time.map { wallTime($0) } ?? ""
            let count = step.count > 1 ? " (\(step.count))" : ""
            let isChosen = line.step == branches.lines[branches.chosen].step
            let isCurrent = line.step == branches.tree.current
            if isChosen { grid.fill(row: row, .inverse) }
            var style: Style = isChosen ? .inverse : []
            if isCurrent { style.insert(.bold) }
            let column = grid.draw(line.branches, at: .init(column: 1, row: row), style)
            grid.draw("  \(time)  \(step.name)\(count)", at: .init(column: column, row: row), style)
        }
    }

    private func drawSlider(_ grid: inout Grid, _ travel: Travel, _ row: Int) {
        let width = max(3, size.columns - 2)
        let span = travel.range.upperBound - travel.range.lowerBound
        let part = span == 0 ? 1 : Double(travel.version - travel.range.lowerBound) / Double(span)
        let knob = Int((Double(width - 1) * part).rounded())
        let bar = String(repeating: "━", count: knob) + "●" + String(repeating: "─", count: width - 1 - knob)
        grid.draw(bar, at: .init(column: 1, row: row))
    }

    // MARK: The status

    /// How many paragraphs there are.
    private var count: String { "\(notes.paragraphs.count) paragraph\(notes.paragraphs.count == 1 ? "" : "s")" }

    /// What can be undone and redone.
    private var steps: String {
        guard let state = try? notes.store.undoState() else { return "" }
        return "\(state.undoCount) undo, \(state.redoCount) redo"
    }

    /// Whether everything is saved.
    private var save: String {
        switch notes.saveState {
        case .saved: "saved"
        case .saving: "saving …"
        case .failed(let reason): "NOT SAVED: \(reason)"
        }
    }

    /// Draws the line below the text.
    ///
    /// - Parameter caretAfter: which of the texts the caret is behind.
    private func drawStatus(_ grid: inout Grid, _ texts: [String], _ end: String, caretAfter: Int? = nil) {
        guard size.rows >= 2 else { return }
        let row = textHeight
        grid.fill(row: row, .inverse)
        var column = 1
        for (index, text) in (message.map { [$0] } ?? texts).enumerated() {
            column = grid.draw(text, at: .init(column: column, row: row), .inverse)
            if index == caretAfter, message == nil {
                grid.caret = .init(column: min(column, size.columns - 1), row: row)
            }
            column = grid.draw("   ", at: .init(column: column, row: row), .inverse)
        }
        let width = end.reduce(0) { $0 + Glyph($1).width }
        // What went wrong with saving is never hidden by the rest.
        if column + width + 1 <= size.columns || end.hasPrefix("NOT") {
            let start = max(0, size.columns - width - 1)
            grid.draw(end, at: .init(column: start, row: row), [.inverse, .bold])
        }
    }

    private func drawKeys(_ grid: inout Grid, _ text: String) {
        if size.rows >= 6 { grid.draw(text, at: .init(column: 1, row: textHeight + 1), .dim) }
    }
}
