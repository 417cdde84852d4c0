// How characters appear in the cells of a terminal.
//
// Always holds: no byte that a terminal would take for a command is in the text of a glyph, whatever the character is.

/// A character as a terminal shows it.
public struct Glyph: Equatable, Sendable {
    /// What is written.
    public let text: String
    /// How many cells it takes: 1 or 2.
    public let width: Int

    /// An empty cell.
    public static let space = Glyph(text: " ", width: 1)

    private init(text: String, width: Int) { (self.text, self.width) = (text, width) }

    /// How a character is shown.
    public init(_ character: Character) {
        let scalars = character.unicodeScalars
        let first = scalars.first!
        if first.value >= 0x20 && first.value < 0x7F && scalars.count == 1 {
            self.init(text: String(character), width: 1)
        } else if character == "\t" {
            self = .space
        } else if scalars.contains(where: Glyph.isCommand) {
            // Also in the middle of a character: a terminal would obey it there too.
            self.init(text: "\u{FFFD}", width: 1)
        } else if Glyph.isCombining(first) {
            // It has nothing to combine with.
            self.init(text: "\u{25CC}" + String(character), width: 1)
        } else {
            self.init(text: String(character), width: Glyph.isWide(character, first) ? 2 : 1)
        }
    }

    /// Whether a scalar controls the terminal, or the direction of the text around it.
    private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
        // Joiners and the tags of flags are parts of characters.
        case .format: scalar.value != 0x200C && scalar.value != 0x200D && !(0xE0020...0xE007F).contains(scalar.value)
        default: false
        }
    }

    private static func isCombining(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    private static func isWide(_ character: Character, _ first: Unicode.Scalar) -> Bool {
        if first.properties.isEmojiPresentation { return true }
        if first.properties.isEmoji && character.unicodeScalars.contains("\u{FE0F}") { return true }
        return wide.contains { $0.contains(first.value) }
    }

    /// The blocks of East Asian characters that take two cells, as Unicode's annex 11 lists them.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18DFF,
        0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]
}
