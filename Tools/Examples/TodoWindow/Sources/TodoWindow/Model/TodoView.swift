// What of the store the window shows: the rows that match the search, and how many are done.
//
// Always holds: a row that was edited is looked at again, and no other; so a search among a million rows follows an edit
// as fast as one among ten.

import ListModel
import Listory

/// Views of a list of to-dos, kept up to date by the library.
@MainActor
public final class TodoView {
    private let rows: TypedLiveView<String, Todo>
    private let done: TypedLiveView<String, Todo>
    /// What titles have to contain: words, in any order. Empty for all rows.
    public private(set) var search = ""

    /// Views of a store.
    ///
    /// - Throws: ``StoreError/closed``; ``ViewError`` for the first row that cannot be read.
    init(of store: ListStore<String, Todo>) throws {
        rows = try store.view { $0.searchable(in: \.title) }
        done = try store.view { $0.filter { $0.isChecked } }
    }

    /// The rows that match, at the newest version.
    ///
    /// - Throws: as ``init(of:)``; the next attempt begins where this one did.
    var snapshot: Snapshot { get throws { try rows.core.snapshot } }

    /// How many rows are done, whether they match or not, at the newest version.
    var doneCount: Int { get throws { try done.core.snapshot.itemCount } }

    /// Searches for something else.
    func search(for text: String) throws {
        try rows.search(text)
        search = text
    }
}
