// Changes of a view whose source stays: other search words, another stage, or all stages.

extension DerivedView {
    /// Searches for words: stages that are searchable leave out the rows that do not have them.
    ///
    /// Only rows that come into a stage above are asked for their place. If another letter is typed, only the rows
    /// found so far are searched.
    ///
    /// - Parameter words: the words to search for; without words, the search finds every row.
    /// - Returns: what changed in the view.
    /// - Throws: ``QueryError`` for the first row that a stage above cannot place. The view then keeps its former words.
    /// - Complexity: O(n), and O(log n) for each row that comes or goes.
    @discardableResult
    public mutating func search(_ words: SearchWords) throws(QueryError) -> ListTransition {
        try change { view throws(QueryError) in
            view.searchWords = words
            var (old, new) = (view.source, view.source)
            for index in view.levels.indices {
                let output = view.levels[index].output
                try view.levels[index].follow(from: old, to: new, nil, stage: index)
                let input = new
                try view.levels[index].editRows { $0.search(words, input) }
                view.levels[index].output = view.levels[index].output(input)
                (old, new) = (output, view.levels[index].output)
            }
        }
    }

    /// Replaces a stage.
    ///
    /// - Parameters:
    ///   - index: which stage, from 0.
    ///   - stage: the new stage.
    /// - Returns: what changed in the view.
    /// - Throws: ``QueryError`` for the first row that cannot be placed. The view then stays as it is.
    /// - Complexity: O(log n) for each row that comes or goes, if both are stages that show the first rows. Otherwise O(n)
    ///   calls of the new function; and O(n log n) if most rows have other places.
    @discardableResult
    public mutating func replaceStage(at index: Int, with stage: QueryStage) throws(QueryError) -> ListTransition {
        precondition(levels.indices.contains(index), "the view has no such stage")
        return try change { view throws(QueryError) in
            let output = view.levels[index].output
            let input = index == 0 ? view.source : view.levels[index - 1].output
            try view.put(stage, at: index, input, isSameInput: true)
            try view.follow(output, view.levels[index].output, from: index + 1)
        }
    }

    /// Replaces all stages.
    ///
    /// - Returns: what changed in the view.
    /// - Throws: ``QueryError`` for the first row that cannot be placed. The view then stays as it is.
    /// - Complexity: O(n) calls of the new functions, O(log n) for each row whose place differs; O(n log n) if most do.
    @discardableResult
    public mutating func replaceStages(_ stages: [QueryStage]) throws(QueryError) -> ListTransition {
        let before = snapshot
        var next = self
        if stages.count == levels.count {
            var isSameInput = true
            var input = source
            for (index, stage) in stages.enumerated() {
                let output = levels[index].output
                try next.put(stage, at: index, input, isSameInput: isSameInput)
                input = next.levels[index].output
                isSameInput = isSameInput && input.isIdentical(to: output)
            }
        } else {
            next = try DerivedView(stages, of: source, searchingFor: searchWords, limits)
        }
        self = next
        return ListTransition(from: before, to: snapshot)
    }

    /// Replaces a stage, and keeps the state of the old one if possible.
    private mutating func put(
        _ stage: QueryStage, at index: Int, _ input: UntypedSnapshot, isSameInput: Bool
    ) throws(QueryError) {
        // An outline stage has no settings, so two of them are equal.
        if isSameInput, case .visibleRows = stage, case .visible = levels[index].stage { return }
        guard case .arrange(let arrangement) = stage, case .arranged = levels[index].stage, isSameInput else {
            levels[index] = try level(stage, at: index, of: input, source.version)
            return
        }
        let (words, context) = (searchWords, ArrangedRows.Context(version: source.version, stage: index))
        try levels[index].editRows { rows throws(QueryError) in
            try rows.rearrange(arrangement, words, input, context)
        }
        levels[index].output = levels[index].output(input)
    }
}
