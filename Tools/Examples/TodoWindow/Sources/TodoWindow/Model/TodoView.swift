// The views that the window shows: the rows that match the search, and the number of done ones.
//
// Always holds: after an edit, only the edited rows are evaluated again, so a search among a million rows follows an
// edit as fast as one among ten.

import ListModel
import Listory

/// Views of a list of to-dos, kept up to date by the library.
@MainActor
public final class TodoView {
    private let rows: LiveList<String, Todo>
    private let done: LiveList<String, Todo>
    /// The words that titles have to contain, in any order. Empty for all rows.
    public private(set) var search = ""

    /// Views of a store.
    ///
    /// - Throws: ``ListError/closed``; ``QueryError`` for the first row that cannot be read.
    init(of store: ListStore<String, Todo>) throws {
        rows = try store.view { $0.searchable(in: \.title) }
        done = try store.view { $0.filter { $0.isChecked } }
    }

    /// The rows that match, at the newest version.
    ///
    /// - Throws: as ``init(of:)``; the next call tries again.
    var snapshot: UntypedSnapshot { get throws { try rows.core.snapshot } }

    /// How many rows are done, whether they match or not, at the newest version.
    var doneCount: Int { get throws { try done.core.snapshot.itemCount } }

    /// Changes the search.
    func search(for text: String) throws {
        try rows.search(text)
        search = text
    }
}
