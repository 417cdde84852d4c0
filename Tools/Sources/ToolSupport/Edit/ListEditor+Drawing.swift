// Draws the window of a list.
//
// Always holds: whatever the size of the window is, the line with the cursor is in it.

import ListModel
import Listory
import TerminalKit

extension ListEditor {
    /// How many lines of the list are in the window.
    private var height: Int { max(1, size.rows - 2) }

    public func draw() -> Grid {
        var grid = Grid(size)
        if case .help = mode {
            for (row, text) in ListEditor.help.enumerated() { grid.draw(text, at: .init(column: 0, row: row)) }
            return grid
        }
        scroll = max(cursor - height + 1, min(scroll, cursor))
        for row in 0..<height {
            guard let line = line(scroll + row) else { break }
            draw(line, row, isChosen: scroll + row == cursor, &grid)
        }
        drawStatus(&grid)
        return grid
    }

    private static let help = [
        "Keys", "", "  Space               check the row, or uncheck it", "  a, s                add a row, a section",
        "  Enter               change the text of a row or the title of a section",
        "  Tab, Shift+Tab      move it below the row before it, and out again (also >, <)",
        "  Alt+Up, Alt+Down    move it (also K, J)", "  d                   delete it, with the rows below it",
        "  u, r                undo, redo", "  Left, Right         an older version, a newer one; Enter restores it",
        "  /, n                find words, find them again", "  q                   quit; everything is saved",
    ]

    private func draw(_ line: Line, _ row: Int, isChosen: Bool, _ grid: inout Grid) {
        var style: Style = isChosen ? .inverse : []
        if isChosen { grid.fill(row: row, style) }
        guard line.item != nil, let item = self.row(line) else {
            style.insert(.bold)
            grid.draw(rows.sections[line.section].label, at: .init(column: 0, row: row), style)
            return
        }
        if item.isChecked { style.insert(.dim) }
        let title = (try? title(of: item)) ?? "unreadable"
        let box = (item.isChecked ? "[x] " : "[ ] ") + title + (item.isCollapsed ? " …" : "")
        grid.draw(box, at: .init(column: 2 + 2 * item.depth, row: row), style)
    }

    /// The text that can be changed, or what the content is.
    private func title(of row: UntypedRow) throws -> String {
        if let text = try store.source.withShownContent(of: row.content, { EditableContent.text(of: Array($0)) }) {
            return text.shown
        }
        return try store.source.title(of: row.content)
    }

    private func drawStatus(_ grid: inout Grid) {
        let row = size.rows - 2
        guard row > 0 else { return }
        grid.fill(row: row, .inverse)
        var text = "\(title.shown)   \(rows.itemCount) rows   version \(rows.version)"
        var keys = "Space check  a add  Enter change  d delete  u undo  / find  ? all keys  q quit"
        switch mode {
        case .typing(let purpose, let typed):
            let start = grid.draw("\(purpose.rawValue): ", at: .init(column: 1, row: row), .inverse)
            let (glyphs, column) = typed.shown(width: size.columns - start)
            grid.draw(glyphs, at: .init(column: start, row: row), .inverse)
            grid.caret = .init(column: min(start + column, size.columns - 1), row: row)
            (text, keys) = ("", "Enter done  Esc back")
        case .past(let version):
            let commit = version > store.oldestVersion ? try? store.commit(version) : nil
            text += commit.map { "   \($0.time.text)  \($0.name.shown)" } ?? "   the beginning"
            keys = "← older  → newer  Enter restore  Esc back"
        case .list, .help: break
        }
        grid.draw(message?.shown ?? text, at: .init(column: 1, row: row), .inverse)
        grid.draw(keys, at: .init(column: 1, row: row + 1), .dim)
    }
}
