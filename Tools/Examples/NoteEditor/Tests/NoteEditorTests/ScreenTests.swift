// Tests glyphs, wrapping, keys, and the bytes that a terminal is sent.

import TerminalKit
import TerminalTestSupport
import TestSupport
import Testing

@testable import NoteEditor

@Suite("The screen")
struct ScreenTests {
    @Test(
        "A character takes as many cells as a terminal gives it",
        arguments: [
            ("a", 1), ("ä", 1), ("e\u{301}", 1), ("日", 2), ("한", 2), ("ｱ", 1), ("Ａ", 2), ("😀", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2),
            ("❤️", 2), ("❤", 1), ("→", 1), ("\t", 1), ("\u{301}", 1), ("€", 1), ("ก็", 1), ("、", 2),
        ] as [(Character, Int)])
    func widths(character: Character, width: Int) {
        #expect(Glyph(character).width == width)
    }

    @Test(
        "What a terminal would obey is never written",
        arguments: [
            "\u{1B}", "\u{7F}", "\u{9B}", "\r\n", "\u{202E}", "\u{2066}", "\u{200B}", "\u{2028}",
            "\u{E000}",
        ] as [Character])
    func commands(character: Character) {
        #expect(Glyph(character) == Glyph("\u{FFFD}") || Glyph(character).text == "\u{FFFD}")
    }

    /// Characters of all widths, spaces above all.
    private static func randomText(_ random: inout SeededGenerator, _ limit: Int) -> String {
        let characters: [Character] = ["a", "b", "日", "😀", "e\u{301}", "-", " ", " ", "\u{1B}", "👩‍👩‍👧"]
        return String((0..<random.below(limit)).map { _ in characters.randomElement(using: &random)! })
    }

    @Test("The lines of a paragraph are all of it, and fit the window", arguments: [1, 2, 3])
    func wrapping(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let (text, width) = (Self.randomText(&random, 60), 2 + random.below(20))
            let lines = wrap(text, width: width)
            #expect(lines.flatMap(\.glyphs) == text.map { Glyph($0) })
            #expect(lines.first?.range.lowerBound == 0 && lines.last?.range.upperBound == text.count)
            for (line, next) in zip(lines, lines.dropFirst()) {
                #expect(line.range.upperBound == next.range.lowerBound && !line.range.isEmpty)
                // A line ends after a space, unless a word is as wide as the window.
                let isWhole = line.glyphs.last == .space || !line.glyphs.contains(.space)
                #expect(isWhole, "\(text.debugDescription) in \(width)")
            }
            for line in lines {
                let end = line.glyphs.lastIndex { $0 != .space }.map { $0 + 1 } ?? 0
                #expect(
                    line.glyphs[..<end].reduce(0) { $0 + $1.width } <= width, "\(text.debugDescription) in \(width)")
                for offset in line.range where line.glyphs[offset - line.range.lowerBound].width == 1 {
                    #expect(line.offset(at: line.column(of: offset)) == offset)
                }
            }
        }
    }

    @Test("After what differs is written, a terminal shows the new grid", arguments: [1, 2, 3])
    func painting(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let size = Size(columns: 1 + random.below(30), rows: 1 + random.below(8))
            var terminal = Emulator(size)
            var shown: Grid?
            for _ in 0..<20 {
                var grid = shown ?? Grid(size)
                for _ in 0..<random.below(4) {
                    let place = Grid.Place(column: random.below(size.columns), row: random.below(size.rows))
                    // Rows are drawn as a whole, as the editor does.
                    grid.fill(row: place.row, [])
                    grid.draw(Self.randomText(&random, 20), at: place, random.oneIn(2) ? .inverse : [])
                }
                grid.caret =
                    random.oneIn(3) ? nil : .init(column: random.below(size.columns), row: random.below(size.rows))
                terminal.write(grid.commands(from: shown))
                shown = grid
                #expect(terminal.cells == grid.cells.map { $0.map(\.text) })
                #expect(
                    terminal.styles.joined().map { $0.contains("7") }
                        == grid.cells.joined().map { $0.style == .inverse })
                #expect(terminal.isCaretShown == (grid.caret != nil))
                if let caret = grid.caret { #expect(terminal.caret == caret) }
                #expect(terminal.unknown == [] && terminal.outside == [])
            }
        }
    }

    @Test("A key that changes one character of a full window sends only that")
    func littleChange() {
        var old = Grid(Size(columns: 100, rows: 50))
        for row in 0..<50 { old.draw(String(repeating: "x", count: 100), at: .init(column: 0, row: row)) }
        var new = old
        new.draw("y", at: .init(column: 50, row: 25))
        #expect(new.commands(from: old).utf8.count < 40)
        #expect(new.commands(from: new) == "")
        // A control: from nothing, it is everything.
        #expect(new.commands(from: nil).utf8.count > 5000)
    }

    @Test("Keys are read from bytes, however these are split")
    func keys() {
        let bytes =
            "aé日😀\r\t\u{7F}\u{1B}[A\u{1B}OB\u{1B}[1;5C\u{1B}[1;3A\u{1B}[1;3B\u{1B}[3~\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[4~"
            + "\u{1A}\u{1B}[200~two\rlines \u{1B}[A\u{1B}[201~\u{1B}b\u{1B}x\u{1B}[99~\u{1B}[Z\u{1B}\u{1B}[D"
        let expected: [Key] = [
            .text("a"), .text("é"), .text("日"), .text("😀"), .enter, .tab, .backspace, .up, .down, .wordRight, .moveUp,
            .moveDown, .delete, .pageUp, .pageDown, .home, .end, .control("z"), .paste("two\rlines \u{1B}[A"),
            .wordLeft, .backTab, .escape, .left,
        ]
        let all = Array(bytes.utf8)
        for size in 1...all.count {
            var reader = KeyReader()
            var keys: [Key] = []
            for start in stride(from: 0, to: all.count, by: size) {
                keys += reader.read(all[start..<min(all.count, start + size)])
            }
            #expect(keys == expected, "in pieces of \(size) bytes")
        }
        var reader = KeyReader()
        #expect(reader.read([0x1B]) == [] && reader.isWaiting)
        #expect(reader.finish() == [.escape] && !reader.isWaiting)
    }

    @Test("A long pasted text comes in parts, however its bytes are split, and nothing of it is a key")
    func longPaste() {
        let text = String(repeating: String(repeating: "aé日\r\n", count: 1000) + "\u{1B}[A", count: 300)
        let all = Array("\u{1B}[200~\(text)\u{1B}[201~x".utf8)
        var expected: [Key]?
        for size in [all.count, 1 << 20, 300_001] {
            var reader = KeyReader()
            var keys: [Key] = []
            for start in stride(from: 0, to: all.count, by: size) {
                keys += reader.read(all[start..<min(all.count, start + size)])
            }
            #expect(keys == expected ?? keys, "in pieces of \(size) bytes")
            expected = keys
        }
        let keys = expected ?? []
        let parts: [String] = keys.compactMap { key in
            guard case .paste(let part) = key else { return nil }
            return part
        }
        #expect(keys.last == .text("x") && parts.count == keys.count - 1)
        #expect(parts.count == 3 && parts.allSatisfy { $0.utf8.count <= KeyReader.longestPaste })
        // A character or a line's end that two parts shared would not be what it was.
        #expect(parts.joined() == text && parts.reduce(0) { $0 + $1.count } == text.count)
    }

    @Test("A pasted text whose end never comes ends when nothing more does", arguments: ["", "\u{1B}", "\u{1B}[201"])
    func endlessPaste(end: String) {
        var reader = KeyReader()
        #expect(reader.read("\u{1B}[200~two\rlines\(end)".utf8) == [] && reader.isPasting)
        #expect(reader.finish() == [.paste("two\rlines")] && !reader.isPasting && !reader.isWaiting)
        #expect(reader.read("q".utf8) == [.text("q")])
        #expect(reader.read("\u{1B}[200~".utf8) == [] && reader.isPasting)
        #expect(reader.finish() == [] && !reader.isPasting)
        #expect(reader.read("q".utf8) == [.text("q")])
    }

    @Test("Bytes at random are read without end and without waiting for more than a key", arguments: [1, 2])
    func randomKeys(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let likely: [UInt8] = [0x1B, 0x5B, 0x4F, 0x3B, 0x32, 0x7E, 0xC3, 0xA9, 0xF0, 0xFF, 0x41, 0x00]
        var reader = KeyReader()
        for _ in 0..<2000 {
            let bytes = (0..<random.below(8)).map { _ in
                random.oneIn(3) ? UInt8.random(in: 0...255, using: &random) : likely.randomElement(using: &random)!
            }
            for case .text(let text) in reader.read(bytes) { #expect(text.unicodeScalars.count == 1) }
        }
        _ = reader.finish()
        #expect(!reader.isWaiting)
    }
}
