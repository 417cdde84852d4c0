// Tests the editor without a terminal: keys, and what the window shows then.

import Foundation
import Listory
import TerminalKit
import TerminalTestSupport
import TestSupport
import Testing

@testable import NoteEditor

/// An editor with a clock that the test sets.
final class Desk {
    let folder: TemporaryFolder
    let clock: Clock
    let editor: Editor

    final class Clock: @unchecked Sendable {
        // @unchecked Sendable: used by one test, on one thread.
        var seconds: Int64 = 1_700_000_000
    }

    init(_ size: Size = Size(columns: 40, rows: 12)) throws {
        (folder, clock) = (try TemporaryFolder.inMemory(), Clock())
        let notes = try Notes(folder.file("notes")) { [clock] in
            Timestamp(microseconds: clock.seconds * 1_000_000)
        }
        editor = Editor(notes, title: "notes", size: size)
    }

    func press(_ keys: Key...) { for key in keys { editor.press(key) } }

    /// Types a text, a character at a time.
    func type(_ text: String) { for character in text { press(character == "\n" ? .enter : .text(String(character))) } }

    /// Waits until another step of undo begins.
    func pause() { clock.seconds += 60 }

    /// The paragraphs of the newest version.
    var paragraphs: [String] { (0..<editor.notes.paragraphs.count).map { editor.notes.paragraphs.text($0) } }

    /// The rows of the window, without the space at their ends.
    var lines: [String] {
        let grid = editor.draw()
        return (0..<grid.size.rows).map { row in
            var text = grid.text(ofRow: row)
            while text.last == " " { text.removeLast() }
            return text
        }
    }
}

@Suite("The note editor")
struct EditorTests {
    @Test("Words that are typed without a pause are one step of undo; a pause or another place begins the next one")
    func coalescing() throws {
        let desk = try Desk()
        desk.type("Milk and bread")
        desk.pause()
        desk.type(" and tea")
        #expect(desk.paragraphs == ["Milk and bread and tea"])
        desk.press(.control("z"))
        #expect(desk.paragraphs == ["Milk and bread"])
        #expect(desk.editor.caret == Place(row: 0, offset: 14))
        desk.press(.control("y"))
        #expect(desk.paragraphs == ["Milk and bread and tea"])
        #expect(desk.editor.caret == Place(row: 0, offset: 22))
        desk.press(.home)
        desk.type("1 ")
        desk.press(.end)
        desk.type("!")
        desk.press(.control("z"))
        #expect(desk.paragraphs == ["1 Milk and bread and tea"])
        desk.press(.control("z"))
        #expect(desk.paragraphs == ["Milk and bread and tea"])
        #expect(desk.editor.caret == Place(row: 0, offset: 0))
    }

    @Test("A paragraph keeps its row when others are typed before, after or into it")
    func identity() throws {
        let desk = try Desk()
        desk.type("one\ntwo")
        let ids = { (0..<desk.paragraphs.count).map { desk.editor.notes.paragraphs.id($0)! } }
        let before = ids()
        desk.press(.home, .enter)
        #expect(desk.paragraphs == ["one", "", "two"] && ids()[2] == before[1])
        desk.press(.backspace, .backspace)
        #expect(desk.paragraphs == ["onetwo"] && ids() == [before[0]])
        desk.press(.control("z"), .control("z"), .control("z"))
        #expect(desk.paragraphs == ["one", "two"] && ids() == before)
        desk.press(.moveUp)
        #expect(desk.paragraphs == ["two", "one"] && ids() == before.reversed())
    }

    @Test(
        "Random keys do what they do to an array of strings, and undo and redo lead back and forth",
        arguments: [1, 2, 3])
    func random(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let desk = try Desk(Size(columns: 12, rows: 6))
        var texts = [""]
        var (row, offset) = (0, 0)
        for step in 0..<300 * Soak.factor {
            if random.oneIn(5) { desk.pause() }
            var line: [Character] { Array(texts[row]) }
            func replace(_ new: String) { texts[row] = new }
            switch random.below(12) {
            case 0...4:
                let text = ["a", "b ", "日", "\u{301}", "😀"].randomElement(using: &random)!
                let head = String(line[..<offset]) + text
                replace(head + String(line[offset...]))
                offset = head.count
                desk.press(.text(text))
            case 5:
                desk.press(.enter)
                let (head, tail) = (String(line[..<offset]), String(line[offset...]))
                texts.replaceSubrange(row...row, with: [head, tail])
                (row, offset) = (row + 1, 0)
            case 6:
                desk.press(.backspace)
                if offset > 0 {
                    replace(String(line[..<(offset - 1)] + line[offset...]))
                    offset -= 1
                } else if row > 0 {
                    offset = texts[row - 1].count
                    texts[row - 1] += texts.remove(at: row)
                    row -= 1
                }
            case 7:
                desk.press(.delete)
                if offset < line.count {
                    replace(String(line[..<offset] + line[(offset + 1)...]))
                } else if row + 1 < texts.count {
                    texts[row] += texts.remove(at: row + 1)
                }
            case 8:
                desk.press(.left)
                if offset > 0 { offset -= 1 } else if row > 0 { (row, offset) = (row - 1, texts[row - 1].count) }
            case 9:
                desk.press(.right)
                if offset < line.count { offset += 1 } else if row + 1 < texts.count { (row, offset) = (row + 1, 0) }
            case 10:
                desk.press(.moveDown)
                if row + 1 < texts.count {
                    texts.swapAt(row, row + 1)
                    row += 1
                }
            default:
                desk.press(.paste("x\r\ny\tz\u{1B}"))
                let (head, tail) = (String(line[..<offset]), String(line[offset...]))
                texts.replaceSubrange(row...row, with: [head + "x", "y z" + tail])
                (row, offset) = (row + 1, 3)
            }
            // Characters combine across the places where texts meet.
            if texts != (desk.paragraphs.isEmpty ? [""] : desk.paragraphs)
                || desk.editor.caret != Place(row: row, offset: offset)
            {
                let isMerged = texts.joined(separator: "\n").unicodeScalars.elementsEqual(
                    desk.paragraphs.joined(separator: "\n").unicodeScalars)
                #expect(isMerged, "step \(step): \(texts), and the editor has \(desk.paragraphs)")
                guard isMerged else { return }
                (row, offset) = (desk.editor.caret.row, desk.editor.caret.offset)
            }
            let grid = desk.editor.draw()
            #expect(grid.caret != nil && desk.editor.message == nil, "step \(step): \(desk.editor.message ?? "")")
        }
        let end = desk.paragraphs
        let count = try desk.editor.notes.store.undoState().undoCount
        for _ in 0..<count { desk.press(.control("z")) }
        #expect(desk.paragraphs == [""])
        for _ in 0..<count { desk.press(.control("y")) }
        #expect(desk.paragraphs == end)
    }

    @Test("The tree shows the branch that undo has left, and enter goes back to it")
    func tree() throws {
        let desk = try Desk(Size(columns: 60, rows: 16))
        desk.type("root")
        desk.pause()
        desk.type(" left")
        desk.press(.control("z"))
        desk.pause()
        desk.type(" right")
        desk.press(.control("t"))
        guard case .branching(let branches) = desk.editor.mode else { throw Trouble(description: "there is no tree") }
        #expect(branches.lines.map(\.branches) == ["●", "│ ○", "○─╯", "○"])
        let lines = desk.lines
        #expect(lines.filter { $0.contains("●") || $0.contains("○") }.count == 4, "\(lines)")
        #expect(lines[0] == "root right")
        desk.press(.down)
        #expect(desk.lines[0] == "root left")
        #expect(desk.paragraphs == ["root right"], "looking changes nothing")
        desk.press(.enter)
        #expect(desk.paragraphs == ["root left"])
        desk.press(.control("t"), .end, .enter)
        #expect(desk.paragraphs == [""])
        desk.press(.control("t"), .home, .enter)
        #expect(desk.paragraphs == ["root right"])
    }

    @Test("The slider shows every version, escape returns to now, and enter restores as a new step")
    func travel() throws {
        let desk = try Desk()
        desk.type("abc")
        let version = try desk.editor.notes.store.version
        desk.press(.control("r"))
        for text in ["ab", "a", ""] {
            desk.press(.left)
            #expect(desk.lines[0] == text)
        }
        desk.press(.home)
        #expect(desk.lines[desk.editor.textHeight - 1].hasPrefix(" ●─"))
        desk.press(.left, .right, .right)
        #expect(desk.lines[0] == "a")
        desk.press(.escape)
        #expect(desk.lines[0] == "abc")
        #expect(try desk.editor.notes.store.version == version)
        desk.press(.control("r"), .home, .right, .right, .right, .enter)
        #expect(desk.paragraphs == ["ab"])
        desk.press(.control("z"))
        #expect(desk.paragraphs == ["abc"])
    }

    @Test("Searching shows the paragraphs with the words, and enter goes to one of them")
    func search() throws {
        let desk = try Desk()
        desk.type("Buy milk\nCall Ann\nMilk the cow\nSleep")
        desk.press(.control("f"))
        desk.type("mil")
        #expect(desk.lines.prefix(3) == ["Buy milk", "Milk the cow", ""])
        #expect(desk.lines[desk.editor.textHeight].contains("2 of 4"))
        let grid = desk.editor.draw()
        #expect(grid.cells[0][4...6].allSatisfy { $0.style.contains(.underlined) })
        desk.press(.down, .enter)
        #expect(desk.editor.caret == Place(row: 2, offset: 0))
        desk.press(.control("f"))
        desk.type("zzz")
        #expect(desk.lines[0] == "")
        desk.press(.escape)
        #expect(desk.editor.caret == Place(row: 2, offset: 0))
        #expect(desk.lines[0] == "Buy milk")
    }

    @Test("Paragraphs are cut, inserted elsewhere, and moved")
    func cutting() throws {
        let desk = try Desk()
        desk.type("one\ntwo\nthree")
        desk.press(.up, .up, .control("k"), .control("k"))
        #expect(desk.paragraphs == ["three"])
        desk.press(.control("u"))
        #expect(desk.paragraphs == ["one", "two", "three"])
        #expect(desk.editor.caret == Place(row: 2, offset: 0))
        desk.press(.moveUp, .moveUp, .moveUp)
        #expect(desk.paragraphs == ["three", "one", "two"])
    }

    @Test("A paragraph that cannot be read is neither changed nor joined with others, but one can write before it")
    func unreadable() throws {
        let desk = try Desk()
        desk.type("one")
        let store = desk.editor.notes.store
        let id = UUID()
        try store.core.edit("Other") {
            try $0.insert(
                NewRow(id: .uuid(id), content: Array(#"{"id":"\#(id)"}"#.utf8)),
                at: .end(ofSection: .string(Paragraphs.section)))
        }
        let attempts: [[Key]] = [[.delete], [.down, .home, .backspace], [.text("x")], [.end, .backspace]]
        for keys in attempts {
            for key in keys { desk.press(key) }
            #expect(desk.editor.message == Notes.Unreadable().description, "\(keys)")
            #expect(try store.snapshot.rows.map(\.item?.text) == ["one", nil], "\(keys)")
        }
        desk.press(.home, .enter)
        #expect(desk.editor.message == nil)
        #expect(try store.snapshot.rows.map(\.item?.text) == ["one", "", nil])
    }

    @Test("Up and down keep the column, also over short and wide lines")
    func columns() throws {
        let desk = try Desk(Size(columns: 11, rows: 8))
        desk.type("0123456\n01\n日本語日\n0123 567 9ab")
        desk.press(.up, .up, .up, .up, .home)
        for _ in 0..<5 { desk.press(.right) }
        desk.press(.down)
        #expect(desk.editor.caret == Place(row: 1, offset: 2))
        desk.press(.down)
        #expect(desk.editor.caret == Place(row: 2, offset: 2))
        desk.press(.down)
        #expect(desk.editor.caret == Place(row: 3, offset: 5))
        desk.press(.down)
        #expect(desk.editor.caret == Place(row: 3, offset: 12))
        desk.press(.pageUp)
        #expect(desk.editor.caret == Place(row: 0, offset: 5))
    }

    @Test("In a window of any size, every key is accepted and the caret is inside", arguments: [1, 2])
    func smallWindows(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let desk = try Desk()
        let keys: [Key] = [
            .text("x"), .text("日"), .text(" "), .enter, .backspace, .up, .down, .left, .right, .pageUp, .pageDown,
            .home, .end,
            .control("z"), .control("y"), .control("t"), .control("r"), .control("f"), .control("k"), .control("u"),
            .escape,
            .moveUp, .moveDown, .wordLeft, .wordRight, .help, .paste("long words in several\nparagraphs"), .delete,
            .tab,
        ]
        for _ in 0..<400 * Soak.factor {
            desk.editor.resize(to: Size(columns: 1 + random.below(12), rows: 1 + random.below(8)))
            desk.press(keys.randomElement(using: &random)!)
            let grid = desk.editor.draw()
            if let caret = grid.caret {
                #expect(
                    caret.column < grid.size.columns && caret.row < grid.size.rows && caret.column >= 0
                        && caret.row >= 0)
            }
            if case .editing = desk.editor.mode { #expect(grid.caret != nil) }
            var terminal = Emulator(grid.size)
            terminal.write(grid.commands(from: nil))
            #expect(terminal.unknown == [] && terminal.outside == [])
        }
    }

    @Test("The caret is in the window wherever it is in long notes, and drawing them reads only what is shown")
    func scrolling() throws {
        let desk = try Desk(Size(columns: 20, rows: 10))
        desk.press(.paste((0..<5000).map { "paragraph \($0)" }.joined(separator: "\n")))
        #expect(desk.lines[7] == "paragraph 4999")
        for _ in 0..<30 { desk.press(.up) }
        #expect(desk.lines[0] == "paragraph 4969")
        desk.press(.pageUp, .pageDown, .pageDown)
        #expect(desk.lines.contains("paragraph \(desk.editor.caret.row)"))
    }
}
