// A line of text that is typed.
//
// Always holds: the caret is in the text or at its end; the text is one line.

import TerminalKit

/// A text with a caret.
struct TypedText {
    private(set) var characters: [Character]
    /// The character before which the caret is.
    private(set) var caret: Int

    /// A text with the caret at its end.
    init(_ text: String = "") {
        characters = Array(text)
        caret = characters.count
    }

    var text: String { String(characters) }

    mutating func press(_ key: Key) {
        switch key {
        case .text(let more), .paste(let more):
            // A character may complete the one before the caret, so the characters are found again.
            let before = String(characters[..<caret]) + more.map { $0.isNewline || $0 == "\t" ? " " : $0 }
            let rest = characters[caret...]
            characters = Array(before)
            caret = characters.count
            characters += rest
        case .backspace:
            guard caret > 0 else { return }
            caret -= 1
            characters.remove(at: caret)
        case .delete: if caret < characters.count { characters.remove(at: caret) }
        case .left: caret = max(caret - 1, 0)
        case .right: caret = min(caret + 1, characters.count)
        case .home, .control("a"): caret = 0
        case .end, .control("e"): caret = characters.count
        case .control("u"):
            characters.removeFirst(caret)
            caret = 0
        case .control("k"): characters.removeLast(characters.count - caret)
        default: break
        }
    }

    /// The glyphs from one on with which the caret is within a width, and the column of the caret.
    func shown(width: Int) -> (glyphs: [Glyph], column: Int) {
        var (start, column) = (caret, 0)
        while start > 0 {
            let next = column + Glyph(characters[start - 1]).width
            if next >= width { break }
            (start, column) = (start - 1, next)
        }
        return (characters[start...].prefix(max(width, 0)).map { Glyph($0) }, column)
    }
}
