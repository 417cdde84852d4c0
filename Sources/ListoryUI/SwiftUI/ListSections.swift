// The sections of an observable list as they stand in a SwiftUI `List`: rows that are moved and deleted, headers.

#if canImport(SwiftUI)
import ListModel
import Listory
import SwiftUI

/// The sections and rows of an observable list, for the body of a `List`.
///
/// ```swift
/// List(selection: $selection) {
///     ListSections(list) { row in
///         Text((try? row.item.title) ?? "?")
///     }
/// }
/// ```
///
/// Rows are moved and deleted by SwiftUI's own gestures; each becomes a commit with a name.
public struct ListSections<Source: ListSource, RowContent: View>: View {
    private let list: ObservableList<Source>
    private let row: (ObservableRow<Source>) -> RowContent

    /// The sections of a list.
    ///
    /// - Parameters:
    ///   - list: what is shown.
    ///   - row: what a row looks like.
    public init(_ list: ObservableList<Source>, @ViewBuilder row: @escaping (ObservableRow<Source>) -> RowContent) {
        self.list = list
        self.row = row
    }

    public var body: some View {
        ForEach(list.sections) { section in
            Section {
                ForEach(section.rows) { row($0) }
                    .onMove(perform: list.driver.source.keepsOrder ? { list.move($0, to: $1, in: section) } : nil)
                    .onDelete { list.delete($0, in: section) }
            } header: {
                Text(section.title)
            }
        }
    }
}
#endif
