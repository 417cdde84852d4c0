// A derived view follows its source.

extension DerivedView {
    /// Advances the view to another snapshot of its source: a newer one, or any other.
    ///
    /// - Parameter newSource: the rows of the same list at some version.
    /// - Returns: what changed in the view.
    /// - Throws: ``QueryError`` for the first row that cannot be placed. The view then still shows its rows from before,
    ///   and the next call begins there.
    /// - Complexity: O(k log n) for k rows that differ in the source, with one call of the arrangement for each. If
    ///   more than a quarter differ, the view is rebuilt.
    @discardableResult
    public mutating func advance(to newSource: UntypedSnapshot) throws(QueryError) -> ListTransition {
        try advance(ListTransition(from: source, to: newSource))
    }

    /// Makes the view follow a transition of its source.
    ///
    /// - Parameter transition: the change of the source. If it does not begin with ``source``, only its end is used.
    /// - Returns: what changed in the view.
    /// - Throws: as ``advance(to:)``.
    @discardableResult
    public mutating func advance(_ transition: ListTransition) throws(QueryError) -> ListTransition {
        var transition = transition
        if !transition.old.isIdentical(to: source) { transition = ListTransition(from: source, to: transition.new) }
        return try change { view throws(QueryError) in
            try view.follow(transition.old, transition.new, transition.changeset, from: 0)
            view.source = transition.new
        }
    }

    /// Makes each stage follow the stage below it.
    ///
    /// - Parameters:
    ///   - old: the rows below the first of these stages before.
    ///   - new: the rows below it now.
    ///   - changes: the changeset from old to new, if it is known.
    ///   - first: the first of the stages.
    mutating func follow(
        _ old: UntypedSnapshot, _ new: UntypedSnapshot, _ changes: Changeset? = nil, from first: Int
    ) throws(QueryError) {
        var (old, new, changes) = (old, new, changes)
        for index in first..<levels.count {
            let output = levels[index].output
            try levels[index].follow(from: old, to: new, changes, stage: index)
            (old, new, changes) = (output, levels[index].output, nil)
        }
    }

    /// Changes the whole view or, if something throws, nothing.
    mutating func change(_ body: (inout DerivedView) throws(QueryError) -> Void) throws(QueryError) -> ListTransition {
        let before = snapshot
        if canFailHalfWay {
            var copy = self
            try body(&copy)
            self = copy
        } else {
            try body(&self)
        }
        return ListTransition(from: before, to: snapshot)
    }

    /// Whether a stage can throw after another stage has changed. A single stage throws before it changes anything.
    private var canFailHalfWay: Bool {
        levels.dropFirst().contains { level in
            if case .arranged = level.stage { true } else { false }
        }
    }
}

extension DerivedView.Level {
    /// Follows the stage below.
    mutating func follow(
        from old: UntypedSnapshot, to new: UntypedSnapshot, _ changes: Changeset?, stage index: Int
    ) throws(QueryError) {
        // Taken out for the time of the change, so that it alone refers to its trees.
        switch exchange(&stage, with: .first(0)) {
        case .first(let count): stage = .first(count)
        case .firstOfEachSection(var rows):
            rows.advance(from: old, to: new)
            stage = .firstOfEachSection(rows)
        case .sections(var sections):
            sections.advance(from: old, to: new)
            stage = .sections(sections)
        case .arranged(var rows):
            defer { stage = .arranged(rows) }
            try rows.advance(from: old, to: new, changes ?? Changeset(from: old, to: new), stage: index)
        case .visible(var rows):
            defer { stage = .visible(rows) }
            try rows.advance(from: old, to: new, changes ?? Changeset(from: old, to: new))
        }
        output = output(new)
    }

    /// Changes an arranged stage; does nothing for other stages.
    mutating func editRows(_ body: (inout ArrangedRows) throws(QueryError) -> Void) throws(QueryError) {
        guard case .arranged = stage else { return }
        guard case .arranged(var rows) = exchange(&stage, with: .first(0)) else { return }
        defer { stage = .arranged(rows) }
        try body(&rows)
    }

    /// The rows that the stage shows.
    mutating func output(_ input: UntypedSnapshot) -> UntypedSnapshot {
        switch exchange(&stage, with: .first(0)) {
        case .first(let count):
            stage = .first(count)
            return input.first(count)
        case .firstOfEachSection(let rows):
            stage = .firstOfEachSection(rows)
            return rows.snapshot(of: input)
        case .sections(let sections):
            stage = .sections(sections)
            return sections.snapshot(of: input)
        case .arranged(var rows):
            let result = rows.snapshot(input.version)
            stage = .arranged(rows)
            return result
        case .visible(var visible):
            let result = visible.rows.snapshot(input.version)
            stage = .visible(visible)
            return result
        }
    }
}

extension UntypedSnapshot {
    /// Whether both are the same tree, and so have the same rows. Different trees may have the same rows too.
    func isIdentical(to other: UntypedSnapshot) -> Bool { tree.top.isSame(as: other.tree.top) }
}

extension DerivedView {
    /// Checks the invariants of the stages. For tests.
    ///
    /// - Throws: ``InvariantViolation``.
    /// - Complexity: O(n log n).
    func checkInvariants() throws {
        var input = source
        for level in levels {
            switch level.stage {
            case .arranged(let rows): try rows.checkInvariants(input)
            case .visible(let visible): try visible.checkInvariants(input)
            case .first, .firstOfEachSection, .sections: break
            }
            input = level.output
        }
    }
}
