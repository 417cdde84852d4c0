// A search in many versions of a list, most of which have most rows in common.
//
// Always holds: parts of lists and contents that are equal have equal hashes, and what is remembered has no match.

/// A search for a content in many versions of a list, which passes over everything that it has searched before. Search inside of
/// `reading(_:)` of the rows, and do not go on after an error.
///
/// ```swift
/// var search = RepeatedSearch()
/// let found = try versions.first { version in
///     try list.snapshot(at: version).sections.contains { section in
///         try search.hasMatch(in: section.items) { try list.content(of: $0).count > 1_000 }
///     }
/// }
/// ```
public struct RepeatedSearch: Sendable {
    /// The hashes of parts of lists in which nothing was found.
    private var parts: Set<UInt64> = []
    /// The hashes of contents that do not match.
    private var contents: Set<UInt64> = []

    /// A search that remembers nothing yet.
    public init() {}

    /// Whether the content of a row matches.
    ///
    /// - Parameters:
    ///   - items: the rows of a section of any version.
    ///   - matches: whether a content is looked for. The answer must always be the same for equal contents.
    /// - Throws: what `matches` throws.
    /// - Complexity: O(rows in parts that equal no part searched before). Memory for each different content.
    public mutating func hasMatch(
        in items: ItemCollection, where matches: (ContentReference) throws -> Bool
    ) rethrows -> Bool {
        // Two variables, because the closure changes one of them while the other is passed.
        var contents = contents
        self.contents = []
        defer { self.contents = contents }
        return try items.tree.contains(passing: &parts) { row in
            guard !contents.contains(row.content.hash) else { return false }
            let isMatch = try matches(row.content)
            if !isMatch { contents.insert(row.content.hash) }
            return isMatch
        }
    }
}
