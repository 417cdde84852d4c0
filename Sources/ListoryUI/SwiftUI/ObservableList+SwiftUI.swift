// An observable list in SwiftUI: its sections for a `List`, bindings to its rows, animations.

#if canImport(SwiftUI)
import ListModel
import Listory
import SwiftUI

/// The sections and rows of an observable list, for the body of a `List`.
///
/// ```swift
/// List(selection: $selection) {
///     ListSections(list) { row in
///         Text(row.item?.title ?? "?")
///     }
/// }
/// ```
///
/// SwiftUI's own gestures move and delete rows, as far as the rules of the driver allow; each becomes a commit with a name.
/// SwiftUI decodes the rows that it shows, and reads the id of every row.
public struct ListSections<Source: ListSource, RowContent: View>: View {
    private let list: ObservableList<Source>
    private let row: (ObservableRow<Source>) -> RowContent

    /// The sections of a list.
    ///
    /// - Parameters:
    ///   - list: the list to show.
    ///   - row: the view of a row.
    public init(_ list: ObservableList<Source>, @ViewBuilder row: @escaping (ObservableRow<Source>) -> RowContent) {
        self.list = list
        self.row = row
    }

    public var body: some View {
        ForEach(list.sections) { section in
            Section {
                ForEach(section.rows) { row in
                    self.row(row)
                        .moveDisabled(!list.canMove(row))
                        .deleteDisabled(!list.canDelete(row))
                }
                .onMove(perform: list.keepsOrder ? { list.move($0, to: $1, in: section) } : nil)
                .onDelete { list.delete($0, in: section) }
            } header: {
                Text(section.title)
            }
        }
    }
}

extension ObservableList {
    /// A binding to a field of a row; each change is committed.
    ///
    /// ```swift
    /// TextField("Title", text: list.binding(row, \.title, default: "", named: "Rename"))
    /// ```
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - field: the field of its item.
    ///   - value: the value that is shown if the row is deleted or cannot be read.
    ///   - name: the name of the commits, the same for each key stroke, so that they can be coalesced.
    public func binding<Value>(
        _ row: ObservableRow<Source>, _ field: WritableKeyPath<Source.Item, Value>, default value: Value,
        named name: String
    ) -> Binding<Value> {
        Binding(
            get: { @MainActor in self.value(row, field) ?? value },
            set: { @MainActor new in self.set(row.id, field, to: new, named: name) })
    }

    /// A binding to the checkmark of a row.
    ///
    /// ```swift
    /// Toggle("Done", isOn: list.isChecked(row))
    /// ```
    public func isChecked(_ row: ObservableRow<Source>) -> Binding<Bool> {
        Binding(
            get: { @MainActor in self.hasCheckmark(row) },
            set: { @MainActor isChecked in self.setChecked(isChecked, for: row) })
    }

    /// A binding to whether the rows below a row are shown.
    ///
    /// ```swift
    /// Toggle("", isOn: list.isExpanded(row)).padding(.leading, CGFloat(row.depth * 16))
    /// ```
    public func isExpanded(_ row: ObservableRow<Source>) -> Binding<Bool> {
        Binding(
            get: { @MainActor in self.showsChildren(row) },
            set: { @MainActor isExpanded in self.setExpanded(isExpanded, for: row) })
    }

    /// Animates newer rows from now on; nil to show them at once.
    public func animate(with animation: Animation?) {
        animate = { change in withAnimation(animation, change) }
    }
}
#endif
