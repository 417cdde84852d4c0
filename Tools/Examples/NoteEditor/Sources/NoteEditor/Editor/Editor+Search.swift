// Searching: a live view of the store shows the paragraphs that have the words.

import Listory
import TerminalKit

/// A search.
struct Search {
    let view: LiveList<String, Paragraph>
    /// The paragraphs that have the words.
    private(set) var found: Paragraphs
    /// Where the caret was.
    let start: Place
    var words = ""
    /// The paragraph that is chosen, among those that were found.
    var chosen = 0
    var scroll = Scroll()

    init(_ store: NoteStore, _ start: Place) throws {
        view = try store.view { $0.searchable(in: \.text) }
        found = Paragraphs(try view.shown)
        self.start = start
    }

    /// Looks for the words again.
    mutating func find() throws {
        try view.search(words)
        found = Paragraphs(try view.shown)
    }
}

extension Editor {
    func find(_ key: Key, _ search: Search) throws {
        var search = search
        switch key {
        case .text(let text), .paste(let text): search.words += text
        case .backspace: search.words = String(search.words.dropLast())
        case .up: search.chosen -= 1
        case .down, .control("f"): search.chosen += 1
        case .pageUp: search.chosen -= textHeight
        case .pageDown: search.chosen += textHeight
        case .escape, .control("g"):
            mode = .editing
            return
        case .enter:
            mode = .editing
            let found = search.found
            if let id = found.id(search.chosen), let path = try notes.store.indexPath(of: id) {
                let offset = matches(of: search.words, in: found.text(search.chosen)).first?.lowerBound ?? 0
                caret = notes.paragraphs.nearest(Place(row: path.item, offset: offset))
                notes.breakStep()
            }
            return
        default: return
        }
        try search.find()
        let count = search.found.count
        search.chosen = count == 0 ? 0 : min(max(0, search.chosen), count - 1)
        mode = .searching(search)
    }
}

/// Where the words of a search are in a text, as offsets of characters.
func matches(of words: String, in text: String) -> [Range<Int>] {
    let (folded, words) = (
        text.map { $0.lowercased() }, words.lowercased().split(separator: " ").map { $0.map(String.init) }
    )
    var ranges: [Range<Int>] = []
    for word in words where word.count <= folded.count {
        for start in 0...folded.count - word.count where folded[start..<start + word.count].elementsEqual(word) {
            ranges.append(start..<start + word.count)
        }
    }
    return ranges.sorted { $0.lowerBound < $1.lowerBound }
}
