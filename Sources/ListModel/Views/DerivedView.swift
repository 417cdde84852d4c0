// A view of a list: some of its rows, in an order and in sections of the view's own. When the list changes, the view
// follows at the cost of the change.
//
// A view is a chain of stages. Each stage is a value of persistent trees, so a view is a value too: a copy is free and
// independent. An app shows an earlier version through a copy, and a change that may fail half-way is made in a copy.
//
// Always holds: `snapshot` is the result of the stages for `source`, also after an error.

/// Rows that are derived from the rows of a list: filtered, sorted, grouped, searched, folded as an outline, cut off.
///
/// ```swift
/// var view = try DerivedView([.arrange(unchecked), .first(50)], of: store.snapshot)
/// try store.edit("Check milk") { try $0.toggle(.item(7)) }
/// let transition = try view.advance(to: store.snapshot)
/// ```
///
/// The rows of a view are an ``UntypedSnapshot``, of the same items: with their ids, checkmarks and references to content, and with
/// the version of the list that they were derived from. Changesets work on it, and so do other views.
///
/// A view keeps the snapshot of its source and, for each row of that, some 20 bytes; for each row that it shows, 70, or 150
/// if rows are sorted, grouped or searched.
public struct DerivedView: Sendable {
    /// The rows of the list that the view is of.
    public internal(set) var source: UntypedSnapshot
    /// The rows of the view.
    public var snapshot: UntypedSnapshot { levels.last?.output ?? source }
    /// The words of the search.
    public internal(set) var searchWords = SearchWords()

    var levels: [Level] = []
    let limits: ArrangedRows.Limits

    /// A stage and the rows that it shows.
    struct Level: Sendable {
        var stage: StageState
        var output: UntypedSnapshot
    }

    /// The state of a stage.
    enum StageState: Sendable {
        case arranged(ArrangedRows)
        case visible(VisibleRows)
        case first(Int)
        case firstOfEachSection(FirstRows)
        case sections(ChosenSections)
    }

    /// A view of a snapshot.
    ///
    /// - Parameters:
    ///   - stages: the stages, each applied to the rows of the one before. Without stages, the view shows the rows as
    ///     they are.
    ///   - source: the rows of a list, or of another view.
    ///   - words: words that it searches for, as ``search(_:)`` does later.
    /// - Throws: ``QueryError`` for the first row that cannot be placed.
    /// - Complexity: O(n), and O(n log n) where rows are sorted.
    public init(
        _ stages: [QueryStage], of source: UntypedSnapshot, searchingFor words: SearchWords = SearchWords()
    ) throws(QueryError) {
        try self.init(stages, of: source, searchingFor: words, ArrangedRows.Limits())
    }

    init(
        _ stages: [QueryStage], of source: UntypedSnapshot, searchingFor words: SearchWords = SearchWords(),
        _ limits: ArrangedRows.Limits
    ) throws(QueryError) {
        self.source = source
        self.limits = limits
        searchWords = words
        for stage in stages { try append(stage) }
    }

    private mutating func append(_ stage: QueryStage) throws(QueryError) {
        levels.append(try level(stage, at: levels.count, of: snapshot, source.version))
    }

    /// A stage of these rows.
    func level(
        _ stage: QueryStage, at index: Int, of input: UntypedSnapshot, _ version: Version
    ) throws(QueryError) -> Level {
        switch stage {
        case .arrange(let arrangement):
            var rows = ArrangedRows(arrangement, searchWords, limits)
            rows.fill(from: input, keys: try rows.keys(of: input, .init(version: version, stage: index)))
            let output = rows.snapshot(version)
            return Level(stage: .arranged(rows), output: output)
        case .visibleRows:
            var visible = VisibleRows(of: input, limits)
            let output = visible.rows.snapshot(version)
            return Level(stage: .visible(visible), output: output)
        case .first(let count): return Level(stage: .first(count), output: input.first(count))
        case .firstOfEachSection(let count):
            let rows = FirstRows(count, of: input)
            return Level(stage: .firstOfEachSection(rows), output: rows.snapshot(of: input))
        case .sections(let ids):
            let sections = ChosenSections(ids, of: input)
            return Level(stage: .sections(sections), output: sections.snapshot(of: input))
        }
    }
}

/// One stage of a derived view.
public enum QueryStage: Sendable {
    /// Filters, sorts and groups.
    case arrange(Arrangement)
    /// Shows the rows of outlines that no collapsed row hides, with their depths. Parents are decided among the rows of
    /// the stage below: see ``SectionOutline``.
    case visibleRows
    /// Shows the first rows over all sections, and leaves out the sections after the last of them. If there are no more rows than
    /// that, all sections are shown, also empty ones at the end.
    case first(Int)
    /// Shows the first rows of each section.
    case firstOfEachSection(Int)
    /// Shows the sections of these ids, with all their rows.
    case sections(Set<UntypedID>)
}

// MARK: - Positions

extension DerivedView {
    /// The position of a row of ``source`` in the view; nil if the view leaves it out.
    ///
    /// - Parameter path: where the row is in the source.
    /// - Complexity: O(log n) for each stage.
    public func indexPath(ofSource path: ListIndexPath) -> ListIndexPath? {
        guard source.item(at: path) != nil else { return nil }
        var path = path
        for level in levels {
            switch level.stage {
            case .arranged(let rows):
                guard let next = rows.position(ofSource: path) else { return nil }
                path = next
            case .visible(let visible):
                guard let next = visible.rows.position(ofSource: path) else { return nil }
                path = next
            case .sections(let sections):
                guard let index = sections.index(ofSource: path.section) else { return nil }
                path.section = index
            case .first, .firstOfEachSection:
                // The first rows keep their positions.
                if level.output.item(at: path) == nil { return nil }
            }
        }
        return path
    }
}

extension ArrangedRows {
    /// The position of a row of the source in the view; nil if the view leaves it out. The source must have a row
    /// there.
    func position(ofSource path: ListIndexPath) -> ListIndexPath? {
        let section = sources[path.section]
        return section.slots(pool)[path.item].rank(section.number).map(position(of:))
    }
}
