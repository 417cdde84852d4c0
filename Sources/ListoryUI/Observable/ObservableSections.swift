// Sections and rows with ids that SwiftUI tells them apart by. Nothing is copied out of the snapshot: a section or row is
// made when it is looked at.

import ListModel
import Listory

/// The sections of an observable list.
public struct ObservableSections<Source: ListSource>: RandomAccessCollection {
    let snapshot: ListSnapshot<Source.SectionID, Source.Item>

    public var startIndex: Int { 0 }
    public var endIndex: Int { snapshot.core.sectionCount }

    public subscript(position: Int) -> ObservableSection<Source> {
        ObservableSection(index: position, core: snapshot.core.sections[position], snapshot: snapshot)
    }
}
