// The stages of a derived view. Each derives rows from the rows of the stage below it.

/// One stage of a derived view.
public enum ViewStage: Sendable {
    /// Filters, sorts and groups.
    case arrange(Arrangement)
    /// Shows the rows of outlines that no collapsed row hides, with their depths. Parents are decided among the rows of
    /// the stage below: see ``SectionOutline``.
    case visibleRows
    /// Shows the first rows over all sections, and leaves out the sections after the last of them.
    case first(Int)
    /// Shows the first rows of each section.
    case firstOfEachSection(Int)
}
