// The header of a commit before its events: name, origin, time and history.

/// The header of a commit that is about to be made.
public struct CommitDraft: Sendable {
    /// The name of the user's action, as a menu shows it: "Add milk".
    public var name: String
    /// Who does it: a user, a device, a sync. May be empty.
    public var origin: String
    /// When it is done; frozen into the commit.
    public var time: Timestamp
    /// Which history it belongs to.
    public var tracking: Tracking
    /// Whether nothing needs to be saved because of it.
    public var isDiscardable: Bool
    /// The cause of the commit.
    var cause = Commit.Cause.edit

    /// The header of an edit.
    public init(
        name: String, origin: String = "", time: Timestamp, tracking: Tracking = .shared, isDiscardable: Bool = false
    ) {
        self.name = name
        self.origin = origin
        self.time = time
        self.tracking = tracking
        self.isDiscardable = isDiscardable
    }

    /// The scope of its history; nil if it is in none.
    var scope: HistoryScope? { tracking.scope { origin } }
}
