// The undos that no redo has taken back, so that a redo finds the one that it takes back without a search through the log.
//
// Always holds: all commits after `searchStart` are undos and redos of the scope that cancel each other out. So the search for the undo
// that the next redo takes back may begin there. How far it gets is remembered, too: many redos in a row read each undo once.

/// The newest undos of one scope that no redo has taken back.
struct StandingUndos: Sendable {
    private var scope = HistoryScope.shared
    /// The newest undo or redo of the scope.
    private var latest = Version.empty
    /// The oldest first. Whatever is between two of them cancels out.
    private var undos: [Version] = []
    /// Where the search goes on when none of them is left. Empty if it would find nothing.
    private var rest = Version.empty

    /// The most undos to keep, the newest. Fewer in tests.
    var maximumCount = 2_048

    /// The newest commit that may be the undo which the next redo takes back.
    ///
    /// - Parameter version: the newest version of the list.
    func searchStart(at version: Version, in scope: HistoryScope) -> Version {
        latest == version && self.scope == scope ? undos.last ?? rest : version
    }

    /// Notes the version of an undo.
    mutating func noteUndo(by undo: Version, in scope: HistoryScope) {
        follow(undo, in: scope)
        undos.append(undo)
        // Half of them at once, for amortised O(1).
        if undos.count > maximumCount {
            undos.removeFirst(undos.count / 2)
            rest = undos[0].previous
        }
    }

    /// Notes the version of a redo.
    ///
    /// - Parameter undo: the undo that it took back; nil if there was none, or it was not found.
    mutating func noteRedo(by redo: Version, of undo: Version?, in scope: HistoryScope) {
        follow(redo, in: scope)
        if let undo, undo == undos.last {
            undos.removeLast()
        } else {
            (undos, rest) = ([], undo?.previous ?? .empty)
        }
    }

    /// Forgets everything if something else happened before a version.
    private mutating func follow(_ version: Version, in scope: HistoryScope) {
        if latest != version.previous || self.scope != scope { (undos, rest) = ([], version.previous) }
        (latest, self.scope) = (version, scope)
    }
}
