// What is known of a commit before its events.

/// What is known of a commit before its events.
public struct CommitDraft: Sendable {
    /// What the user does, as a menu names it: "Add milk".
    public var name: String
    /// Who does it: a user, a device, a sync. May be empty.
    public var origin: String
    /// When it is done; frozen into the commit.
    public var time: Timestamp
    /// Which history it belongs to.
    public var tracking: Tracking
    /// Whether it does not matter to the user, so that nothing need be saved on its account.
    public var isDiscardable: Bool
    /// Why it is done.
    var cause = Commit.Cause.edit

    /// The beginning of an edit.
    public init(
        name: String, origin: String = "", time: Timestamp, tracking: Tracking = .shared, isDiscardable: Bool = false
    ) {
        self.name = name
        self.origin = origin
        self.time = time
        self.tracking = tracking
        self.isDiscardable = isDiscardable
    }

    /// Whose history it belongs to; nil if it is in none.
    var scope: HistoryScope? { tracking.scope { origin } }
}
