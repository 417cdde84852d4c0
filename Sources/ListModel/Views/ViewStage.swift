// The stages of a derived view, each of which makes rows of the rows below it.

/// What one stage of a derived view does.
public enum ViewStage: Sendable {
    /// Filters, sorts and groups.
    case arrange(Arrangement)
    /// Shows the rows of outlines that no collapsed row hides, each with the depth that it has. What a row is below is
    /// decided among the rows that the stage sees: see ``SectionOutline``.
    case visibleRows
    /// Shows the first rows, over all sections; the sections after the last of them are left out.
    case first(Int)
    /// Shows the first rows of each section.
    case firstOfEachSection(Int)
}
