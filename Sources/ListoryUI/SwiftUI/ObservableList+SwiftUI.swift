// Bindings and animations for SwiftUI. All else of an observable list knows nothing of it.

#if canImport(SwiftUI)
import ListModel
import Listory
import SwiftUI

extension ObservableList {
    /// A binding to a field of a row: what is typed is committed.
    ///
    /// ```swift
    /// TextField("Title", text: list.binding(row, \.title, default: "", named: "Rename"))
    /// ```
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - field: the field of its item.
    ///   - value: what is shown if the row is gone, or cannot be read.
    ///   - name: the name of the commits, the same for each key stroke, so that they can be taken for one.
    public func binding<Value>(
        _ row: ObservableRow<Source>, _ field: WritableKeyPath<Source.Item, Value>, default value: Value,
        named name: String
    ) -> Binding<Value> {
        let id = row.id
        return Binding(
            get: { @MainActor in self.value(id, field) ?? value },
            set: { @MainActor new in self.set(id, field, to: new, named: name) })
    }

    /// A binding to the checkmark of a row.
    ///
    /// ```swift
    /// Toggle("Done", isOn: list.isChecked(row))
    /// ```
    public func isChecked(_ row: ObservableRow<Source>) -> Binding<Bool> {
        let id = row.id
        return Binding(
            get: { @MainActor in self.isChecked(id) },
            set: { @MainActor isChecked in self.driver.setChecked(isChecked, [id]) })
    }

    /// A binding to whether the rows below a row are shown.
    ///
    /// ```swift
    /// Toggle("", isOn: list.isExpanded(row)).padding(.leading, CGFloat(row.depth * 16))
    /// ```
    public func isExpanded(_ row: ObservableRow<Source>) -> Binding<Bool> {
        let id = row.id
        return Binding(
            get: { @MainActor in self.isExpanded(id) },
            set: { @MainActor isExpanded in self.driver.setCollapsed(!isExpanded, id) })
    }

    /// Animates newer rows from now on; nil to show them at once.
    public func animate(with animation: Animation?) {
        animate = { change in withAnimation(animation, change) }
    }
}
#endif
