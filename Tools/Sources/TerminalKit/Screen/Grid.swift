// The cells of the window, and the bytes that change what a terminal shows.
//
// Always holds: a glyph of two cells is followed by an empty cell; nothing is drawn outside of the window.

/// How a cell looks.
public struct Style: OptionSet, Hashable, Sendable {
    /// A bit for each.
    public let rawValue: UInt8

    /// The style of some bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What a terminal can do with a cell.
    public static let bold = Style(rawValue: 1)
    public static let dim = Style(rawValue: 2)
    public static let underlined = Style(rawValue: 4)
    public static let inverse = Style(rawValue: 8)

    /// The command that selects it.
    fileprivate var command: String {
        let codes: [(Style, String)] = [(.bold, "1"), (.dim, "2"), (.underlined, "4"), (.inverse, "7")]
        return "\u{1B}[0" + codes.filter { contains($0.0) }.map { ";" + $0.1 }.joined() + "m"
    }
}

/// The size of a window.
public struct Size: Hashable, Sendable {
    public var columns: Int
    public var rows: Int

    /// A size in cells.
    public init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }
}

/// What a window shows.
public struct Grid: Equatable, Sendable {
    /// A cell.
    public struct Cell: Equatable, Sendable {
        /// What is written; empty for the second cell of a glyph.
        public var text = " "
        public var style: Style = []
    }

    /// A place in the window, from the upper left.
    public struct Place: Hashable, Sendable {
        public var column: Int
        public var row: Int

        /// A place, counted from 0.
        public init(column: Int, row: Int) { (self.column, self.row) = (column, row) }
    }

    public let size: Size
    public private(set) var cells: [[Cell]]
    /// Where the caret is; nil if it is not shown.
    public var caret: Place?

    /// An empty window.
    public init(_ size: Size) {
        self.size = Size(columns: max(0, size.columns), rows: max(0, size.rows))
        cells = Array(repeating: Array(repeating: Cell(), count: self.size.columns), count: self.size.rows)
    }

    /// Draws glyphs in a row, as many as there is space for.
    ///
    /// - Returns: the column after the last one.
    @discardableResult
    public mutating func draw(_ glyphs: some Sequence<Glyph>, at place: Place, _ style: Style = []) -> Int {
        guard cells.indices.contains(place.row) else { return place.column }
        var column = place.column
        for glyph in glyphs {
            guard column >= 0, column + glyph.width <= size.columns else { break }
            cells[place.row][column] = Cell(text: glyph.text, style: style)
            if glyph.width == 2 { cells[place.row][column + 1] = Cell(text: "", style: style) }
            column += glyph.width
        }
        return column
    }

    /// Draws a text in a row.
    @discardableResult
    public mutating func draw(_ text: String, at place: Place, _ style: Style = []) -> Int {
        draw(text.lazy.map { Glyph($0) }, at: place, style)
    }

    /// Gives all cells of a row a style, and removes what they show.
    public mutating func fill(row: Int, _ style: Style) {
        guard cells.indices.contains(row) else { return }
        cells[row] = Array(repeating: Cell(style: style), count: size.columns)
    }

    /// The text of a row.
    public func text(ofRow row: Int) -> String { cells[row].map(\.text).joined() }
}

// MARK: - What a terminal is sent

extension Grid {
    /// The bytes after which a terminal shows this grid.
    ///
    /// - Parameter old: what it shows; nil if that is not known.
    public func commands(from old: Grid?) -> String {
        var result = ""
        let known = old?.size == size ? old : nil
        if known == nil { result += "\u{1B}[0m\u{1B}[2J" }
        let blank = Grid(size)
        for row in cells.indices {
            guard let range = changed(row, since: (known ?? blank).cells[row]) else { continue }
            result += write(row, range)
        }
        if result.isEmpty && known?.caret == caret { return "" }
        // Hidden meanwhile, so that it does not jump about.
        if !result.isEmpty { result = "\u{1B}[?25l" + result + "\u{1B}[0m" }
        if let caret {
            result += "\u{1B}[\(caret.row + 1);\(caret.column + 1)H\u{1B}[?25h"
        } else {
            result += "\u{1B}[?25l"
        }
        return result
    }

    /// The cells of a row that differ, without halves of glyphs.
    private func changed(_ row: Int, since old: [Cell]) -> Range<Int>? {
        let new = cells[row]
        guard var first = new.indices.first(where: { new[$0] != old[$0] }),
            var last = new.indices.last(where: { new[$0] != old[$0] })
        else { return nil }
        while first > 0, new[first].text.isEmpty || old[first].text.isEmpty { first -= 1 }
        while last + 1 < new.count, new[last + 1].text.isEmpty || old[last + 1].text.isEmpty { last += 1 }
        return first..<last + 1
    }

    private func write(_ row: Int, _ range: Range<Int>) -> String {
        var result = "\u{1B}[\(row + 1);\(range.lowerBound + 1)H"
        var style: Style?
        for column in range {
            let cell = cells[row][column]
            if cell.text.isEmpty { continue }
            if style != cell.style { result += cell.style.command }
            style = cell.style
            result += cell.text
            // A terminal may know another width of a character. The cells after it are at the right place all the same.
            if cell.text.utf8.count > 1, column + 1 < range.upperBound {
                let width = column + 1 < size.columns && cells[row][column + 1].text.isEmpty ? 2 : 1
                result += "\u{1B}[\(column + width + 1)G"
            }
        }
        return result
    }
}
