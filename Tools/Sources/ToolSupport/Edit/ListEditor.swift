// A list of any store, edited by keys.
//
// The window has a line for each section and for each row. The app's types are not known: a content can be edited if it is a
// text, or an object with a title. Rows below a row belong to it: they move and are deleted with it.
//
// Always holds: a key that fails changes nothing and leaves a message; each key that edits makes one commit, of the row that
// the window shows at the cursor, whatever others have edited meanwhile; looking at the past and searching change nothing;
// drawing reads only the rows in the window.

import ListModel
import Listory
import TerminalKit

/// Edits a list by keys, without a terminal.
public final class ListEditor: TerminalContent {
    /// What keys are for.
    enum Mode {
        case list
        /// A text is typed.
        case typing(Purpose, TypedText)
        /// The rows of an older version are looked at.
        case past(Version)
        case help
    }

    /// What a text is typed for.
    enum Purpose: String {
        case row = "New row"
        case section = "New section"
        case title = "Change to"
        case search = "Find"
    }

    /// A line of the window: a section, or a row of it.
    struct Line: Equatable {
        let section: Int
        /// The row; nil for the section itself.
        let item: Int?
    }

    let store: UntypedStore
    /// The name of the list, for the status line.
    let title: String
    private(set) var mode = Mode.list
    private(set) var size: Size
    /// The rows that are shown.
    private(set) var rows: UntypedSnapshot
    /// The line of each section.
    private var starts: [Int] = []
    /// The line of the cursor.
    private(set) var cursor = 0
    /// The first line in the window.
    var scroll = 0
    /// What went wrong with the last key, or what it found.
    private(set) var message: String?
    private var lastWords = ""
    public private(set) var isFinished = false
    public let isBusy = false

    /// An editor of a store.
    public init(_ store: UntypedStore, title: String, size: Size) throws {
        (self.store, self.title, self.size) = (store, title, size)
        rows = .empty
        show(try store.snapshot)
    }

    /// Waits until everything is durable, and closes the store.
    public func close() throws { try store.close() }

    public func resize(to size: Size) { self.size = size }

    /// Shows what others have edited, but not while a text is typed: it is for the row at the cursor.
    public func look() {
        switch mode {
        case .list, .help:
            do { if try store.version != rows.version { show(try store.snapshot) } } catch { fail(error) }
        case .typing, .past: break
        }
    }

    // MARK: - Lines

    /// The number of lines.
    var lineCount: Int { rows.sectionCount + rows.itemCount }

    /// A line; nil if there is none.
    func line(_ index: Int) -> Line? {
        guard index >= 0, index < lineCount else { return nil }
        // The last section that does not begin after it.
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= index { low = middle } else { high = middle }
        }
        return Line(section: low, item: index == starts[low] ? nil : index - starts[low] - 1)
    }

    /// The row of a line; nil for a section.
    func row(_ line: Line) -> UntypedRow? {
        line.item.flatMap { rows.item(at: ListIndexPath(section: line.section, item: $0)) }
    }

    /// Shows rows, with the cursor on the same row or section; if it is not there any more, on the same line.
    private func show(_ snapshot: UntypedSnapshot) {
        let old = line(cursor).map { (row: row($0)?.id, section: rows.sections[$0.section].id) }
        rows = snapshot
        starts.removeAll(keepingCapacity: true)
        var next = 0
        for section in rows.sections {
            starts.append(next)
            next += 1 + section.items.count
        }
        cursor = max(0, min(cursor, lineCount - 1))
        guard let old else { return }
        if let id = old.row { choose(id) } else { chooseSection(old.section) }
    }

    /// Moves the cursor to a row, if it is there.
    private func choose(_ id: UntypedID) {
        // To find a row takes long, and most often it is where it was.
        if let line = line(cursor), row(line)?.id == id { return }
        if let path = rows.indexPath(of: id) { cursor = starts[path.section] + 1 + path.item }
    }

    /// Moves the cursor to a section, if it is there.
    private func chooseSection(_ id: UntypedID) {
        if let index = rows.sections.firstIndex(where: { $0.id == id }) { cursor = starts[index] }
    }

    // MARK: - Keys

    public func press(_ key: Key) {
        message = nil
        do {
            switch mode {
            case .list: try pressInList(key)
            case .typing(let purpose, let text): try type(key, purpose, text)
            case .past(let version): try travel(key, version)
            case .help: mode = .list
            }
        } catch { fail(error) }
    }

    private func fail(_ error: any Error) { message = Diagnostic.text(error) }

    /// - Returns: whether the key moves the cursor.
    private func moveCursor(_ key: Key) -> Bool {
        let page = max(1, size.rows - 3)
        switch key {
        case .up: cursor -= 1
        case .down: cursor += 1
        case .pageUp: cursor -= page
        case .pageDown: cursor += page
        case .home: cursor = 0
        case .end: cursor = lineCount
        default: return false
        }
        cursor = max(0, min(cursor, lineCount - 1))
        return true
    }

    private func pressInList(_ key: Key) throws {
        if moveCursor(key) { return }
        switch key {
        case .text(" "), .text("x"): try toggle()
        case .text("a"): mode = .typing(.row, TypedText())
        case .text("s"): mode = .typing(.section, TypedText())
        case .enter, .text("e"): try beginChanging()
        case .text("d"), .delete: try delete()
        case .moveUp, .text("K"): try move(by: -1)
        case .moveDown, .text("J"): try move(by: 1)
        case .tab, .text(">"): try changeRow("Indent") { try $0.indent($1) }
        case .backTab, .text("<"): try changeRow("Outdent") { try $0.outdent($1) }
        case .text("u"), .control("z"): try stepInHistory { try store.undo() }
        case .text("r"), .control("y"): try stepInHistory { try store.redo() }
        case .left: try look(back: rows.version)
        case .text("/"), .control("f"): mode = .typing(.search, TypedText())
        case .text("n"): try search(lastWords)
        case .text("?"), .help: mode = .help
        case .text("q"), .control("q"), .control("c"): isFinished = true
        default: break
        }
    }

    private func type(_ key: Key, _ purpose: Purpose, _ typed: TypedText) throws {
        switch key {
        case .escape, .control("c"): mode = .list
        case .enter:
            mode = .list
            switch purpose {
            case .row: try insertRow(typed.text)
            case .section: try insertSection(typed.text)
            case .title: try change(to: typed.text)
            case .search: try search(typed.text)
            }
        default:
            var typed = typed
            typed.press(key)
            mode = .typing(purpose, typed)
        }
    }

    private func travel(_ key: Key, _ version: Version) throws {
        if moveCursor(key) { return }
        switch key {
        case .left: try look(back: version)
        case .right:
            let next = Version(version.rawValue + 1)
            if try next >= store.version { try leavePast() } else { try look(at: next) }
        case .enter:
            try store.restore(version)
            try leavePast()
        case .escape, .text("q"), .control("c"): try leavePast()
        default: message = "Enter restores these rows, Esc goes back to the newest"
        }
    }

    private func look(back version: Version) throws {
        if version <= store.oldestVersion {
            message = "This is the oldest version"
        } else {
            try look(at: Version(version.rawValue - 1))
        }
    }

    private func look(at version: Version) throws {
        show(try store.snapshot(at: version))
        mode = .past(version)
    }

    private func leavePast() throws {
        mode = .list
        show(try store.snapshot)
    }

    // MARK: - Edits

    private func edit(_ name: String, _ body: (inout UntypedEditor) throws -> Void) throws {
        try store.edit(name, body)
        show(try store.snapshot)
    }

    /// Edits the row at the cursor, if there is one.
    private func changeRow(_ name: String, _ body: (inout UntypedEditor, UntypedID) throws -> Void) throws {
        guard let line = line(cursor), let row = row(line) else { return }
        try edit(name) { try body(&$0, row.id) }
    }

    /// Undoes or redoes, and moves the cursor to what has changed.
    private func stepInHistory(_ body: () throws -> Void) throws {
        let before = rows.version
        try body()
        show(try store.snapshot)
        let changes = try store.changeset(from: before, to: rows.version)
        let items = changes.items.inserted + changes.items.updated + changes.items.moved.map(\.to)
        if let path = items.min() {
            cursor = starts[path.section] + 1 + path.item
        } else if let index = (changes.sections.inserted + changes.sections.updated).min() {
            cursor = starts[index]
        }
    }

    private func toggle() throws {
        guard let line = line(cursor), let row = row(line) else { return }
        try edit(row.isChecked ? "Uncheck" : "Check") { try $0.setChecked(!row.isChecked, for: .item(row.id)) }
    }

    private func delete() throws {
        guard let line = line(cursor) else { return }
        if let row = row(line) {
            try edit("Delete") { try $0.deleteSubtrees([row.id]) }
        } else {
            let id = rows.sections[line.section].id
            try edit("Delete Section") { try $0.deleteSection(.section(id)) }
        }
    }

    /// Moves a row beyond its next sibling, or into the next section; or a section beyond the next one.
    private func move(by distance: Int) throws {
        guard let line = line(cursor) else { return }
        let neighbour = line.section + distance
        let next = rows.sections.indices.contains(neighbour) ? rows.sections[neighbour] : nil
        guard let item = line.item, let row = row(line) else {
            guard let next else { return }
            let id = rows.sections[line.section].id
            let target: SectionDestination = distance < 0 ? .before(next.id) : .after(next.id)
            return try edit("Move Section") { try $0.moveSection(.section(id), to: target) }
        }
        let outline = rows.sections[line.section].outline
        let end = outline.subtree(of: item).upperBound
        var target: OutlineDestination?
        if distance < 0 {
            target = outline.previousSibling(of: item).map { .before(outline.items[$0].id) }
        } else if end < outline.items.count, outline.parent(of: end) == outline.parent(of: item) {
            target = .after(outline.items[end].id)
        }
        if target == nil {
            guard outline.parent(of: item) == nil else {
                throw ToolError(.refused, "expected another row below the same one, found none: Shift+Tab moves it out")
            }
            guard let next else { return }
            target = distance > 0 ? next.items.first.map { .before($0.id) } : nil
            target = target ?? .root(ofSection: next.id)
        }
        guard let target else { return }
        try edit("Move") { try $0.moveSubtree(row.id, to: target) }
    }

    /// Inserts a row after the cursor, with a content like that of its neighbour.
    ///
    /// - Parameter kind: that of its id; nil for that of its neighbour.
    private func insertRow(_ text: String, _ kind: UntypedID.Kind? = nil) throws {
        guard let line = line(cursor) else {
            throw ToolError(.refused, "expected a section first, found none: press s")
        }
        let example = row(line) ?? firstRow(of: line.section)
        let id = try freshID(of: kind ?? example?.id.kind ?? .integer)
        var content: [UInt8]? = ImportedList.content(title: text)
        if let example {
            let old = try store.source.withShownContent(of: example.content) { Array($0) }
            content = EditableContent.content(text, like: old, id: example.id, newID: id)
        } else if kind != nil {
            // The items of most apps have their ids.
            let usual = Array(#"{"id":0,"title":""}"#.utf8)
            content = EditableContent.content(text, like: usual, id: .integer(0), newID: id)
        }
        guard let content else { throw EditableContent.refusal }
        let new = NewRow(id: id, content: content)
        do {
            if let row = row(line) {
                try edit("Add") { try $0.insert([new], in: .after(row.id)) }
            } else {
                let section = rows.sections[line.section].id
                try edit("Add") { try $0.insert(new, at: .section(section, at: 0)) }
            }
        } catch ListError.otherKind(_, let expected) where kind == nil {
            // The store of an app has a kind of ids also before it has rows.
            return try insertRow(text, expected)
        }
        choose(id)
    }

    private func firstRow(of section: Int) -> UntypedRow? {
        rows.sections[section].items.first ?? rows.sections.lazy.compactMap { $0.items.first }.first
    }

    /// - Parameter kind: that of its id; nil for that of the first section.
    private func insertSection(_ text: String, _ kind: UntypedID.Kind? = nil) throws {
        let line = line(cursor)
        let id = freshSectionID(text, of: kind ?? rows.sections.first?.id.kind ?? .string)
        let target: SectionDestination = line.map { .after(rows.sections[$0.section].id) } ?? .end
        do {
            try edit("Add Section") { try $0.insertSection(NewSection(id: id, title: text), at: target) }
        } catch ListError.otherKind(_, let expected) where kind == nil {
            return try insertSection(text, expected)
        }
        chooseSection(id)
    }

    private func beginChanging() throws {
        guard let line = line(cursor) else { return }
        guard let row = row(line) else {
            return mode = .typing(.title, TypedText(rows.sections[line.section].title))
        }
        guard let text = EditableContent.text(of: try store.source.withShownContent(of: row.content) { Array($0) })
        else {
            throw EditableContent.refusal
        }
        mode = .typing(.title, TypedText(text))
    }

    private func change(to text: String) throws {
        guard let line = line(cursor) else { return }
        guard let row = row(line) else {
            let section = rows.sections[line.section]
            return try edit("Rename Section") { list in
                let now = list.state.indexOfSection(section.id).map { list.snapshot().sections[$0].title }
                if let now, now != section.title { throw EditableContent.changedMeanwhile }
                try list.renameSection(.section(section.id), to: text)
            }
        }
        let seen = EditableContent.text(of: try store.source.content(of: row.content))
        try edit("Change") { list in
            guard let now = list.state.item(row.id) else { throw ListError.unknownItem(row.id) }
            let content = try list.withContent(of: now.content) { Array($0) }
            guard EditableContent.text(of: content) == seen else { throw EditableContent.changedMeanwhile }
            // What others have changed besides the text stays.
            guard let new = EditableContent.content(text, like: content) else { throw EditableContent.refusal }
            try list.update(row.id, content: new)
        }
    }

    // MARK: - Searching

    /// Moves the cursor to the next row that has some words.
    private func search(_ text: String) throws {
        let words = SearchWords(text)
        if words.isEmpty { return }
        lastWords = text
        for distance in 1...max(1, lineCount) {
            let index = (cursor + distance) % max(1, lineCount)
            guard let line = line(index), let row = row(line) else { continue }
            if try store.source.withShownContent(of: row.content, { words.match(content: $0) }) {
                cursor = index
                return
            }
        }
        message = "No row has these words"
    }
}
