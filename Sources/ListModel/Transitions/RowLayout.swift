// The layout of sections in one sequence, for views without sections.

/// The layout of the sections of a list in one sequence of rows.
public enum RowLayout: Hashable, Sendable, CaseIterable {
    /// The rows of all sections, one after another.
    case rows
    /// The rows of all sections, with a row for its header before each section, even if the section has no rows.
    case rowsWithHeaders
}
