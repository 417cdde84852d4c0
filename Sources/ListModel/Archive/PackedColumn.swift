// The columns of a packed block: which there are, and in which order they lie in it.
//
// Always holds: the order of the cases is the order in the block; a column without bytes holds zeros.

/// A column of a packed block. What it holds is a difference from a prediction, so that most values are 0.
/// `Docs/Design/FileFormat.md` says of each what it is predicted from.
enum PackedColumn: Int, CaseIterable {
    // One value for each commit; `targets` only if it speaks of another, `historyParts` only where it is needed.
    case causes
    case flags
    case targets
    case histories
    case historyParts
    case times
    case names
    case origins
    case eventCounts
    case contentCounts
    // One value for each event that has such a part.
    case kinds
    case sections
    case rows
    case rowCounts
    case destinations
    // One value for each identifier, content or string that does not follow from the state.
    case identifierKinds
    case integers
    case contentTags
    case referenceVersions
    case referenceOffsets
    case referenceLengths
    case stringLengths
    // Where contents are: one value for each content, but for the starts (each commit with contents) and the gaps
    // (each content that is not the first of its commit).
    case contentAffixes
    case contentLengths
    case contentStarts
    case contentGaps
}
