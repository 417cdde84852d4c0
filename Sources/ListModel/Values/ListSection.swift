// A section with all its rows, as events carry it that insert or delete whole sections.

/// A section: its id, its title and its rows.
public struct ListSection: Equatable, Sendable {
    /// The identity of the section.
    public var id: Identifier
    /// The text of its header.
    public var title: String
    /// Its rows, in order.
    public var items: [ListItem]

    /// A section with these rows.
    public init(id: Identifier, title: String, items: [ListItem]) {
        self.id = id
        self.title = title
        self.items = items
    }
}
