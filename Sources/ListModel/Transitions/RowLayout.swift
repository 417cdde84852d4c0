// How sections lie in one sequence, for views that have no sections.

/// How the sections of a list lie in one sequence of rows.
public enum RowLayout: Hashable, Sendable, CaseIterable {
    /// The rows of all sections, one after another.
    case rows
    /// Before the rows of each section a row for its header, also if the section has no rows.
    case rowsWithHeaders
}
