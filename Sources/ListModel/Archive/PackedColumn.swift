// The columns of a packed block, in their order in the block.
//
// Always holds: the order of the cases is the order in the block; a column without bytes holds zeros.

/// A column of a packed block. It holds differences from predictions, so most of its values are 0.
/// `Docs/Design/FileFormat.md` describes the prediction of each column.
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
