// A section of a derived view that collects rows.
//
// Always holds: a view has one group for an id. While it has rows, its title and its order are those of its first row.

/// A section in which a derived view collects rows.
public final class ViewGroup: Sendable {
    /// The identity of the section.
    public let id: Identifier
    /// The text of its header.
    public let title: String
    /// The sort key of the section; sections of equal keys are sorted by their ids.
    public let order: ViewKey

    /// A section.
    ///
    /// - Parameters:
    ///   - id: its identity.
    ///   - title: the text of its header.
    ///   - order: the sort key of the section. Groups of the same id must have the same order and the same title.
    public init(id: Identifier, title: String, order: ViewKey) {
        self.id = id
        self.title = title
        self.order = order
    }

    /// Compares two groups: less than 0 if this one comes first.
    func compare(_ other: ViewGroup) -> Int {
        let result = order.compare(other.order, descending: [])
        return result != 0 ? result : id.compare(other.id)
    }
}
