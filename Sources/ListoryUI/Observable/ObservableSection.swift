// A section with an id that SwiftUI tells it apart by.

import ListModel
import Listory

/// A section of an observable list.
public struct ObservableSection<Source: ListSource>: Identifiable {
    /// Where it was when it was shown.
    public let index: Int
    let core: SectionView
    let snapshot: ListSnapshot<Source.SectionID, Source.Item>

    /// The identity of the section.
    public var id: Identifier { core.id }
    /// What its header shows.
    public var title: String { core.title }
    /// Its rows, in order; for `ForEach`.
    public var rows: ObservableRows<Source> {
        ObservableRows(section: index, core: core.items, snapshot: snapshot)
    }
}
