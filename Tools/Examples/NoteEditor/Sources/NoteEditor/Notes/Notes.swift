// The notes in a store, and their edits.
//
// Every change of the text replaces what is between two places. A change inside one paragraph is an update of its row, so
// that typing coalesces into one step of undo. A change of several ones keeps the first row, and the row of a paragraph
// before whose beginning something is inserted.
//
// Always holds: each edit is one commit with a name, and with the places of the caret before and after it; edits do not
// wait for the disk.

import Foundation
import Listory

/// Whether the newest edits are on the disk.
enum SaveState: Equatable {
    case saved
    case saving
    case failed(String)
}

/// Notes in a store.
final class Notes {
    let store: NoteStore
    /// The paragraphs of the newest version.
    private(set) var paragraphs: Paragraphs

    /// Opens the notes of a file, which is made if there is none.
    ///
    /// - Parameter now: the clock; it decides which keystrokes are one step of undo.
    init(_ path: String, now: @escaping @Sendable () -> Timestamp = StoreOptions.systemTime) throws {
        var options = StoreOptions()
        options.durability = .deferred
        // Typing pauses for longer than half a second.
        options.coalescing.interval = .seconds(1)
        options.now = now
        store = try NoteStore.open(at: path, createIfMissing: true, options: options)
        if try store.snapshot.section(Paragraphs.section) == nil {
            // No step of undo: the first key changes a paragraph as all others do, and coalesces with them.
            try store.edit("Begin", tracking: .untracked) {
                try $0.insertSection(Paragraphs.section, items: [Paragraph("")])
            }
        }
        paragraphs = Paragraphs(try store.snapshot)
    }

    /// Reads the newest version.
    ///
    /// - Returns: whether it is another one: another program may edit the same file.
    @discardableResult
    func refresh() throws -> Bool {
        let newest = try store.snapshot
        if newest.version == paragraphs.snapshot.version { return false }
        paragraphs = Paragraphs(newest)
        return true
    }

    /// Whether the newest edits are on the disk.
    var saveState: SaveState {
        if let failure = store.appendFailure { return .failed("\(failure)") }
        return store.durableVersion >= paragraphs.snapshot.version ? .saved : .saving
    }

    /// Replaces the text between two places.
    ///
    /// - Parameters:
    ///   - start: where it begins.
    ///   - end: where it ends.
    ///   - text: what is there instead; its line ends begin paragraphs.
    ///   - name: the name of the commit.
    ///   - caret: where the caret is.
    /// - Returns: where the caret is then: after the text.
    func replace(from start: Place, to end: Place, with text: String, name: String, caret: Place) throws -> Place {
        let (first, last) = (paragraphs.text(start.row), paragraphs.text(end.row))
        let (head, tail) = (String(first.prefix(start.offset)), String(last.dropFirst(end.offset)))
        var parts = Self.lines(text)
        let inserted = parts[parts.count - 1]
        parts[0] = head + parts[0]
        // Counted together with what is before it: characters may combine.
        let after = Place(row: start.row + parts.count - 1, offset: (parts.count == 1 ? parts[0] : inserted).count)
        parts[parts.count - 1] += tail
        try edit(name, from: caret, to: after) { list, paragraphs in
            guard let id = paragraphs.id(start.row) else {
                return try list.insert(parts.map { Paragraph($0) }, at: .end(of: Paragraphs.section))
            }
            if start.row == end.row, head.isEmpty, parts.count > 1, parts[parts.count - 1] == first {
                // Before the beginning of a paragraph, which stays the same one.
                return try list.insert(parts.dropLast().map { Paragraph($0) }, at: .before(id))
            }
            // Otherwise the words that are shown instead of its text would become text.
            guard paragraphs.isReadable(start.row), paragraphs.isReadable(end.row) else { throw Unreadable() }
            try list.update(id) { $0.text = parts[0] }
            let gone = start.row < end.row ? (start.row + 1...end.row).compactMap { paragraphs.id($0) } : []
            if !gone.isEmpty { try list.delete(.items(gone)) }
            if parts.count > 1 { try list.insert(parts.dropFirst().map { Paragraph($0) }, at: .after(id)) }
        }
        return after
    }

    /// Deletes a paragraph; of the last one, its text.
    ///
    /// - Returns: its text, and where the caret is then; nil if there is none.
    func deleteParagraph(_ row: Int, caret: Place) throws -> (text: String, caret: Place)? {
        guard let id = paragraphs.id(row) else { return nil }
        let isLast = paragraphs.count == 1
        let text = paragraphs.text(row)
        let after = Place(row: max(0, min(row, paragraphs.count - 2)), offset: 0)
        try edit("Delete Paragraph", from: caret, to: after) { list, _ in
            if isLast { try list.update(id) { $0.text = "" } } else { try list.delete(id) }
        }
        return (text, after)
    }

    /// Moves a paragraph before the one above it, or after the one below it.
    ///
    /// - Returns: where the caret is then; nil if there is no such paragraph.
    func moveParagraph(_ row: Int, by step: Int, caret: Place) throws -> Place? {
        guard let id = paragraphs.id(row), let other = paragraphs.id(row + step) else { return nil }
        let after = Place(row: row + step, offset: caret.offset)
        try edit("Move Paragraph", from: caret, to: after) { list, _ in
            try list.move(id, to: step < 0 ? .before(other) : .after(other))
        }
        return after
    }

    /// The parts of a text between its line ends, at least one, without other control characters.
    private static func lines(_ text: String) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line in
            String(
                String.UnicodeScalarView(
                    line.unicodeScalars.compactMap { scalar in
                        scalar == "\t" ? " " : scalar.properties.generalCategory == .control ? nil : scalar
                    }))
        }
    }

    private func edit(
        _ name: String, from before: Place, to after: Place,
        _ body: (ListEdit<String, Paragraph>, Paragraphs) throws -> Void
    ) throws {
        try store.edit(name) { list in
            // As the list is now: another program may have edited it since it was shown.
            let paragraphs = Paragraphs(try list.snapshot)
            guard paragraphs.snapshot.version == self.paragraphs.snapshot.version else { throw ChangedMeanwhile() }
            try body(list, paragraphs)
            try list.attachSelection(before: before.bytes, after: after.bytes)
        }
        try refresh()
    }

    /// An edit met other rows than those on the screen.
    struct ChangedMeanwhile: Error, CustomStringConvertible {
        let description = "Another program has changed the notes: look, and press the key again."
    }

    /// An edit would change a paragraph that cannot be read, or join it with another one.
    struct Unreadable: Error, CustomStringConvertible {
        let description = "A paragraph that cannot be read can only be moved and deleted."
    }

    /// Closes the file, after what is not on the disk yet.
    func close() throws { try store.close() }
}

// MARK: - History

extension Notes {
    /// Undoes the newest step.
    ///
    /// - Returns: where the caret was before it.
    func undo() throws -> Place { try changing { try store.undo() } }

    /// Redoes the next step.
    ///
    /// - Returns: where the caret was after it.
    func redo() throws -> Place { try changing { try store.redo() } }

    /// Checks out a step of any branch.
    ///
    /// - Returns: where the caret was after it.
    func go(to version: Version) throws -> Place { try changing { try store.go(to: version) } }

    /// Makes the paragraphs equal to those of a version, as a new step.
    func restore(_ version: Version) throws -> Place {
        try changing {
            try store.restore(version)
            return nil
        }
    }

    /// Ends the step of undo, because the caret was moved.
    func breakStep() { try? store.breakUndoCoalescing() }

    private func changing(_ body: () throws -> Reversal?) throws -> Place {
        let old = paragraphs
        let reversal = try body()
        try refresh()
        if let bytes = try reversal.flatMap({ try store.selection(after: $0) }), let place = Place(bytes: bytes) {
            return paragraphs.nearest(place)
        }
        return paragraphs.firstChange(since: old)
    }
}

extension Paragraphs {
    /// Where these paragraphs first differ from others.
    func firstChange(since old: Paragraphs) -> Place {
        let changes = snapshot.changeset(from: old.snapshot).items
        let paths = [changes.updated.first, changes.inserted.first, changes.moved.first?.to, changes.deleted.first]
        return nearest(Place(row: paths.compactMap { $0?.item }.min() ?? 0, offset: 0))
    }
}

extension Place {
    /// The place as a commit keeps it.
    fileprivate var bytes: [UInt8] { Array("\(row) \(offset)".utf8) }

    fileprivate init?(bytes: [UInt8]) {
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        self.init(row: numbers[0], offset: numbers[1])
    }
}
