// Reads the row objects of any GListModel.

import CListRows
import TodoWindow

@MainActor
enum Rows {
    /// The row objects of a model, borrowed: they exist as long as others hold them.
    static func all(of list: OpaquePointer) -> [OpaquePointer] {
        (0..<g_list_model_get_n_items(list)).map { position in
            let row = g_list_model_get_item(list, position)!
            defer { g_object_unref(row) }
            return OpaquePointer(row)
        }
    }

    /// The values of a row object.
    static func shown(_ row: OpaquePointer) -> ShownRow {
        ShownRow(title: String(cString: listory_row_get_title(row)), isChecked: listory_row_get_checked(row) != 0)
    }
}
