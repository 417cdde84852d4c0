// A section of a derived view that rows are gathered into.
//
// Always holds: a view has one group for an id. As long as a row is in it, its title and its place are those that came
// with its first row.

/// A section into which a derived view gathers rows.
public final class ViewGroup: Sendable {
    /// The identity of the section.
    public let id: Identifier
    /// What its header shows.
    public let title: String
    /// What the sections of the view are sorted by; those of equal keys by their ids.
    public let order: ViewKey

    /// A section.
    ///
    /// - Parameters:
    ///   - id: its identity.
    ///   - title: what its header shows.
    ///   - order: what the sections are sorted by. It has to follow from the id, and so does the title.
    public init(id: Identifier, title: String, order: ViewKey) {
        self.id = id
        self.title = title
        self.order = order
    }

    /// Which of two groups comes first: less than 0 if this one does.
    func compare(_ other: ViewGroup) -> Int {
        let result = order.compare(other.order, descending: [])
        return result != 0 ? result : id.compare(other.id)
    }
}
