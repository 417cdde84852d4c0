// Breaks a paragraph into the lines of a window.
//
// Always holds: the lines have all characters of the paragraph, in order; there is at least one; none is wider than the
// window, but for spaces at its end, which are not shown.

/// A line of a paragraph on the screen.
public struct WrappedLine: Equatable, Sendable {
    /// The characters of the paragraph that it shows, as offsets.
    public let range: Range<Int>
    /// What it shows.
    public let glyphs: [Glyph]

    /// The column of a character, or of the end.
    public func column(of offset: Int) -> Int {
        glyphs.prefix(max(0, offset - range.lowerBound)).reduce(0) { $0 + $1.width }
    }

    /// The character at a column, or the nearest one before.
    public func offset(at column: Int) -> Int {
        var width = 0
        for (index, glyph) in glyphs.enumerated() {
            width += glyph.width
            if width > column { return range.lowerBound + index }
        }
        return range.upperBound
    }
}

/// The lines of a paragraph.
///
/// - Parameter width: the columns of the window; at least 2 are used, because a character may take as many.
public func wrap(_ text: String, width: Int) -> [WrappedLine] {
    let width = max(2, width)
    let glyphs = text.map { Glyph($0) }
    var lines: [WrappedLine] = []
    var start = 0
    // The place after the last space of the line, and the width of what follows.
    var breakPoint = 0
    var (used, usedSinceBreak) = (0, 0)
    for (index, glyph) in glyphs.enumerated() {
        if glyph == .space {
            // A space at the end of a line may be outside the window.
            used += 1
            (breakPoint, usedSinceBreak) = (index + 1, 0)
            continue
        }
        // Twice for a word that is wider than the window and has spaces before it.
        while used + glyph.width > width, index > start {
            let end = breakPoint > start ? breakPoint : index
            lines.append(WrappedLine(range: start..<end, glyphs: Array(glyphs[start..<end])))
            if end == index { usedSinceBreak = 0 }
            (start, used) = (end, usedSinceBreak)
        }
        used += glyph.width
        usedSinceBreak += glyph.width
    }
    lines.append(WrappedLine(range: start..<glyphs.count, glyphs: Array(glyphs[start...])))
    return lines
}

/// The line that shows the caret at an offset: at the end of a line that is not the last, that is the next one.
public func line(of offset: Int, in lines: [WrappedLine]) -> Int {
    lines.lastIndex { $0.range.lowerBound <= offset } ?? 0
}
