// The property wrapper for a list in SwiftUI: makes an observable list once, and keeps it as long as its view exists.

#if canImport(SwiftUI)
import ListModel
import Listory
import SwiftUI

/// A list of a store's rows in a SwiftUI view, which may search, filter and sort.
///
/// ```swift
/// struct TodoList: View {
///     @ObservedList(store, names: ActionNames { $0.title }, query: { $0.searchable(in: \.title) }) var todos
///
///     var body: some View {
///         ListTable(todos) { row in TodoRow(row, todos) }
///             .searchable(text: $todos.searchText)
///     }
/// }
/// ```
///
/// The value is an ``ObservableList``; SwiftUI observes it. `$todos` makes bindings to its properties, such as `searchText` and
/// `failure`. The list is made when the view reads it for the first time, and again if the store is another one. A query that
/// fails for a row is reported in `failure`, and tried again at each commit.
@MainActor
@propertyWrapper
public struct ObservedList<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>: DynamicProperty
where Item.ID: RowIdentifier {
    /// The list that the view shows.
    public typealias Rows = ObservableList<QueriedList<SectionID, Item>>

    /// Keeps the list. SwiftUI makes a new wrapper each time the parent of the view is evaluated, and keeps the first state.
    @MainActor
    private final class Holder {
        var rows: Rows?
    }
    @State private var holder = Holder()
    private let store: UntypedStore
    private let make: @MainActor () throws -> Rows

    /// All rows of a store.
    ///
    /// - Parameters:
    ///   - store: the store, which must be open as long as views show it.
    ///   - names: how commits are named.
    public init(_ store: ListStore<SectionID, Item>, names: ActionNames<Item>) {
        self.init(store, names: names) { $0 }
    }

    /// The rows of a query.
    ///
    /// - Parameters:
    ///   - store: the store, which must be open as long as views show it.
    ///   - names: how commits are named.
    ///   - query: chooses, orders and groups the rows at first; ``ObservableList/show(_:)`` replaces it.
    public init<StoreSection>(
        _ store: ListStore<StoreSection, Item>, names: ActionNames<Item>,
        query: @escaping (ListQuery<StoreSection, Item>) -> ListQuery<SectionID, Item>
    ) {
        self.store = store.core
        make = { try ObservableList(store, names: names, query: query) }
    }

    public var wrappedValue: Rows {
        if let rows = holder.rows, rows.driver.source.editedStore === store { return rows }
        do {
            let rows = try make()
            holder.rows = rows
            return rows
        } catch {
            preconditionFailure("the store of an observed list is open while views show it: \(error)")
        }
    }

    /// Bindings to the properties of the list.
    public var projectedValue: Bindable<Rows> { Bindable(wrappedValue) }
}
#endif
