// The beginning of an event that names many rows.
//
// Always holds: what is left is an event of the same kind, at the same place.

import ListModel

extension ListEvent {
    /// The event with the first of its rows only.
    ///
    /// - Parameters:
    ///   - count: how many rows at most.
    ///   - bytes: rows are left out after that many bytes of contents. The first row stays, however long it is.
    /// - Returns: the shorter event, and how many rows it leaves out.
    public func shortened(to count: Int, contentBytes bytes: Int) -> (event: ListEvent, omitted: Int) {
        var rest = Rest(count: count, bytes: bytes)
        func run<Element>(_ elements: ListRun<Element>, _ kept: some Collection<Element>) -> ListRun<Element> {
            rest.omitted += elements.count - kept.count
            return kept.count == elements.count ? elements : ListRun(Array(kept)) ?? elements
        }
        let event: ListEvent =
            switch self {
            case .itemsInserted(let path, let items): .itemsInserted(at: path, run(items, rest.kept(items)))
            case .itemsDeleted(let path, let items): .itemsDeleted(at: path, run(items, rest.kept(items)))
            case .itemsMoved(let from, let to, let ids): .itemsMoved(from: from, to: to, run(ids, ids.prefix(count)))
            case .itemsIndented(let path, let ids, let change):
                .itemsIndented(at: path, run(ids, ids.prefix(count)), by: change)
            case .sectionInserted(let index, let section): .sectionInserted(at: index, rest.kept(section))
            case .sectionDeleted(let index, let section): .sectionDeleted(at: index, rest.kept(section))
            case .listReloaded(let old, let new): .listReloaded(old: rest.kept(old), new: rest.kept(new))
            case .itemToggled, .itemUpdated, .itemCollapsed, .sectionMoved, .sectionRenamed, .annotated, .unrecognised:
                self
            }
        return (event, rest.omitted)
    }

    /// How much may still be kept.
    private struct Rest {
        var count: Int
        var bytes: Int
        var omitted = 0

        mutating func kept(_ rows: some Collection<UntypedRow>) -> [UntypedRow] {
            var kept: [UntypedRow] = []
            for row in rows {
                if count <= 0 || bytes <= 0 { break }
                count -= 1
                bytes -= Int(row.content.length)
                kept.append(row)
            }
            return kept
        }

        mutating func kept(_ section: ListSection) -> ListSection {
            let items = kept(section.items)
            omitted += section.items.count - items.count
            return ListSection(id: section.id, title: section.title, items: items)
        }

        /// The first sections, of which there may be as many as rows.
        mutating func kept(_ sections: [ListSection]) -> [ListSection] {
            var kept: [ListSection] = []
            for section in sections {
                if count <= 0 {
                    omitted += section.items.count
                    continue
                }
                count -= 1
                kept.append(self.kept(section))
            }
            return kept
        }
    }
}
