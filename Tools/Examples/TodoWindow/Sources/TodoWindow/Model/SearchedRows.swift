// The rows whose titles contain what is searched for.
//
// Always holds: rows that do not match are in the model all the same; the list view sees them not.

import CListRows
import Foundation
import ListModel

/// A filter of the rows of a model.
@MainActor
public final class SearchedRows {
    /// The model of the rows that match.
    public let list: OpaquePointer
    private let filter: UnsafeMutablePointer<GtkFilter>
    /// What titles have to contain, in capitals or not; empty for all rows.
    public private(set) var text = ""

    init(_ rows: RowModel) {
        let context = Context()
        let filter = gtk_custom_filter_new(
            { row, context in
                nonisolated(unsafe) var isMatch = false
                onMainThread((row!, context!)) { row, context in
                    // SAFETY: the filter retains the context that it was made with.
                    let text = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().text
                    let title = String(cString: listory_row_get_title(OpaquePointer(row)))
                    isMatch = text.isEmpty || title.range(of: text, options: .caseInsensitive) != nil
                }
                return isMatch.gboolean
            }, Unmanaged.passRetained(context).toOpaque(),
            // SAFETY: the retain of above ends with the filter.
            { Unmanaged<Context>.fromOpaque($0!).release() })
        // The model takes these references.
        list = gtk_filter_list_model_new(
            OpaquePointer(g_object_ref(rows.list.raw)), g_object_ref(filter?.raw)?.assumingMemoryBound(to: GtkFilter.self))
        self.filter = UnsafeMutablePointer(filter!)
        self.context = context
    }

    isolated deinit {
        g_object_unref(list.raw)
        g_object_unref(filter)
    }

    private let context: Context

    /// How many rows match.
    public var count: Int { Int(g_list_model_get_n_items(list)) }

    /// Searches for something else.
    func search(_ text: String) {
        self.text = text
        context.text = text
        gtk_filter_changed(filter, GTK_FILTER_CHANGE_DIFFERENT)
    }

    /// Looks again at rows that changed in themselves.
    func refilter() {
        if !text.isEmpty { gtk_filter_changed(filter, GTK_FILTER_CHANGE_DIFFERENT) }
    }

    /// The id of the row at a position, or nil if there is none.
    public func id(at position: Int) -> UUID? {
        guard position >= 0, let row = g_list_model_get_item(list, guint(position)) else { return nil }
        defer { g_object_unref(row) }
        return RowModel.id(of: OpaquePointer(row))
    }

    /// The position of a row, or nil if it does not match or is not there.
    public func position(of id: UUID) -> Int? { (0..<count).first { self.id(at: $0) == id } }

    @MainActor
    private final class Context {
        var text = ""
    }
}
