// The item of the list: a paragraph of the notes; and the paragraphs of a version.
//
// Always holds: no paragraph that the editor writes has a line end in it.

import Foundation
import Listory

/// A paragraph.
struct Paragraph: Codable, Identifiable, Sendable {
    let id: UUID
    var text: String

    init(_ text: String) { (id, self.text) = (UUID(), text) }
}

typealias NoteStore = ListStore<String, Paragraph>

/// A place in the notes.
struct Place: Hashable, Comparable {
    /// The paragraph, counted from 0.
    var row: Int
    /// How many characters of it are before the place.
    var offset: Int

    static func < (left: Place, right: Place) -> Bool { (left.row, left.offset) < (right.row, right.offset) }
}

/// The paragraphs of a version, read when they are looked at.
struct Paragraphs {
    static let section = "notes"

    let snapshot: ListSnapshot<String, Paragraph>
    private let section: ListSnapshot<String, Paragraph>.Section?
    /// How many there are.
    let count: Int

    init(_ snapshot: ListSnapshot<String, Paragraph>) {
        self.snapshot = snapshot
        section = snapshot.section(Self.section)
        count = section?.rows.count ?? 0
    }

    private func row(_ index: Int) -> ListRow<Paragraph>? {
        guard let rows = section?.rows, (0..<count).contains(index) else { return nil }
        return rows[rows.index(rows.startIndex, offsetBy: index)]
    }

    /// The text of a paragraph; an empty one if there is none, because notes without paragraphs look like an empty one.
    ///
    /// - Complexity: O(log n), and reading it.
    func text(_ index: Int) -> String {
        guard let row = row(index) else { return "" }
        return row.item?.text ?? "(this paragraph cannot be read)"
    }

    /// Whether the text of a paragraph can be read, or there is none.
    func isReadable(_ index: Int) -> Bool { row(index).map { $0.item != nil } ?? true }

    /// The id of a paragraph; nil if there is none.
    func id(_ index: Int) -> UUID? { row(index)?.id }

    /// The nearest place that there is.
    func nearest(_ place: Place) -> Place {
        let row = min(max(0, place.row), max(0, count - 1))
        return Place(row: row, offset: min(max(0, place.offset), text(row).count))
    }
}
