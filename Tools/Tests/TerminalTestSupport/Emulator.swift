// A terminal in memory: it shows what a program writes to it, as far as the editor uses a terminal.
//
// Always holds: a command that it does not know is noted, and fails the test that asks.

import TerminalKit

/// A terminal.
public struct Emulator {
    public private(set) var size: Size
    public private(set) var cells: [[String]]
    public private(set) var styles: [[String]]
    public private(set) var caret = Grid.Place(column: 0, row: 0)
    public private(set) var isCaretShown = true
    /// The modes that are set, by number.
    public private(set) var modes: Set<Int> = [7, 25]
    public private(set) var unknown: [String] = []
    /// What was written outside, which happens only until a program knows of another size.
    public private(set) var outside: [String] = []
    private var style = "0"
    private var waiting = ""

    public init(_ size: Size) {
        self.size = size
        cells = Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows)
        styles = Array(repeating: Array(repeating: "0", count: size.columns), count: size.rows)
    }

    /// The rows, without the space at their ends.
    public var lines: [String] {
        cells.map { row in
            var text = row.joined()
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    /// Everything on the screen.
    public var text: String { lines.joined(separator: "\n") }

    public mutating func resize(to size: Size) {
        let old = self
        self = Emulator(size)
        (modes, unknown, isCaretShown) = (old.modes, old.unknown, old.isCaretShown)
    }

    /// Shows further output. An incomplete command at its end waits for the rest.
    public mutating func write(_ text: String) {
        var rest = Substring(waiting + text)
        waiting = ""
        while let first = rest.unicodeScalars.first {
            if first == "\u{1B}" {
                guard let count = command(rest) else {
                    waiting = String(rest)
                    return
                }
                rest = Substring(rest.unicodeScalars.dropFirst(count))
            } else if first.value < 0x20 || first.value == 0x7F {
                if first == "\r" {
                    caret.column = 0
                } else if first == "\n" {
                    caret.row += 1
                } else {
                    unknown.append("\(first.value)")
                }
                rest = Substring(rest.unicodeScalars.dropFirst())
            } else {
                // A character ends where a command begins.
                let run = Substring(rest.unicodeScalars.prefix { $0.value >= 0x20 && $0.value != 0x7F })
                for character in run { put(character) }
                rest = Substring(rest.unicodeScalars.dropFirst(run.unicodeScalars.count))
            }
        }
    }

    private mutating func put(_ character: Character) {
        let glyph = Glyph(character)
        if glyph.text != String(character) {
            unknown.append("a character that is no glyph: \(character.unicodeScalars.map(\.value))")
        }
        guard cells.indices.contains(caret.row), caret.column + glyph.width <= size.columns else {
            outside.append("\(character) at \(caret)")
            return
        }
        cells[caret.row][caret.column] = String(character)
        styles[caret.row][caret.column] = style
        if glyph.width == 2 {
            cells[caret.row][caret.column + 1] = ""
            styles[caret.row][caret.column + 1] = style
        }
        caret.column += glyph.width
    }

    /// Obeys a command.
    ///
    /// - Returns: how many scalars it has; nil if it is not complete.
    private mutating func command(_ text: Substring) -> Int? {
        let scalars = Array(text.unicodeScalars.prefix(40))
        guard scalars.count > 1 else { return nil }
        guard scalars[1] == "[" else {
            unknown.append("\(scalars[1])")
            return 2
        }
        guard let end = scalars.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0.value) }) else { return nil }
        let parameters = String(String.UnicodeScalarView(scalars[2..<end]))
        let numbers = parameters.drop { $0 == "?" }.split(separator: ";").map { Int($0) ?? 0 }
        switch (scalars[end], parameters.hasPrefix("?")) {
        case ("H", false):
            caret = Grid.Place(column: (numbers.count > 1 ? numbers[1] : 1) - 1, row: (numbers.first ?? 1) - 1)
        case ("G", false): caret.column = (numbers.first ?? 1) - 1
        case ("J", false) where numbers == [2]:
            let place = caret
            let kept = (modes, unknown, isCaretShown, outside, style)
            self = Emulator(size)
            (modes, unknown, isCaretShown, outside, style) = kept
            caret = place
        case ("m", false): style = parameters
        case ("h", true): modes.formUnion(numbers)
        case ("l", true): modes.subtract(numbers)
        default: unknown.append("ESC[\(parameters)\(scalars[end])")
        }
        isCaretShown = modes.contains(25)
        return end + 1
    }
}
