// The stages of a derived view, each of which makes rows of the rows below it.

/// What one stage of a derived view does.
public enum ViewStage: Sendable {
    /// Filters, sorts and groups.
    case arrange(Arrangement)
    /// Shows the first rows, over all sections; the sections after the last of them are left out.
    case first(Int)
    /// Shows the first rows of each section.
    case firstOfEachSection(Int)
}
