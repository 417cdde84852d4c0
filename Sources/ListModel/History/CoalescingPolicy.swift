// Which commits belong together, so that one undo reverts them all: typing, mostly.
//
// The decision is made once, when a commit is finished, and frozen into its record: `HistoryEntry` says whether it continues
// the step before it. Nothing here is needed to read a log.
//
// Always holds: a commit continues a step only if it was made at the tip of its scope, where the step ends.

/// Which commits continue the step before them.
///
/// ```swift
/// var options = StoreOptions()
/// options.coalescing.interval = .seconds(1)
/// ```
public struct CoalescingPolicy: Hashable, Sendable {
    /// What can be done in one step, commit after commit.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// The content of one row is updated again.
        case updates
        /// Rows are inserted directly behind those of the commit before, or directly before them.
        case insertions
        /// Rows are deleted directly before the place where the commit before deleted, as a backspace does, or at it.
        case deletions
    }

    /// The longest time between two commits of a step. If the clock went back, the step ends.
    public var interval: Duration
    /// What is merged. Checkmarks, moves, sections and commits that do several things never are.
    public var kinds: Set<Kind> {
        get { Set(Kind.allCases.filter(merges)) }
        set { kindBits = CoalescingPolicy.bits(newValue) }
    }

    // As bits: a set would be made, and its type with it, by everyone who opens a store, and a look at one costs as much as
    // the rest of the decision.
    private var kindBits: UInt8

    private init(interval: Duration, kindBits: UInt8) {
        self.interval = interval
        self.kindBits = kindBits
    }

    /// A policy.
    public init(interval: Duration = .milliseconds(500), kinds: Set<Kind>) {
        self.init(interval: interval, kindBits: CoalescingPolicy.bits(kinds))
    }

    /// A policy that merges all kinds.
    public init(interval: Duration = .milliseconds(500)) {
        self.init(interval: interval, kindBits: Kind.updates.bit | Kind.insertions.bit | Kind.deletions.bit)
    }

    private static func bits(_ kinds: Set<Kind>) -> UInt8 {
        kinds.reduce(0) { $0 | $1.bit }
    }

    /// Whether a kind is merged.
    func merges(_ kind: Kind) -> Bool { kindBits & kind.bit != 0 }

    /// Typing coalesces, with pauses of up to half a second.
    public static let standard = CoalescingPolicy()
    /// Every commit is a step of its own, but for those of a group.
    public static let never = CoalescingPolicy(interval: .milliseconds(500), kindBits: 0)
}

/// What the commits of a step did, as far as it matters to whether another continues it.
enum EditShape: Equatable {
    case nothing
    case update(Identifier)
    case insertion(at: ListIndexPath, count: Int)
    case deletion(at: ListIndexPath, count: Int)
    /// Something that never coalesces.
    case other

    /// Notes the next event of a commit.
    mutating func note(_ event: Event) {
        switch event {
        case .itemUpdated(_, let id, _, _): self = joined(.update(id))
        case .itemsInserted(let path, let items): self = joined(.insertion(at: path, count: items.count))
        case .itemsDeleted(let path, let items): self = joined(.deletion(at: path, count: items.count))
        default: self = .other
        }
    }

    private func joined(_ next: EditShape) -> EditShape { self == .nothing ? next : followed(by: next) ?? .other }

    /// What both did together; nil if the second does not continue the first.
    func followed(by next: EditShape) -> EditShape? {
        switch (self, next) {
        case (.update(let first), .update(let second)):
            return first == second ? next : nil
        case (.insertion(let path, let count), .insertion(let second, let more)):
            guard second.section == path.section, second.item == path.item + count || second.item == path.item
            else { return nil }
            return .insertion(at: path, count: count + more)
        case (.deletion(let path, let count), .deletion(let second, let more)):
            guard second.section == path.section, second.item + more == path.item || second.item == path.item
            else { return nil }
            return .deletion(at: second, count: count + more)
        default: return nil
        }
    }

    /// Which kind of merging it takes; nil if it never coalesces.
    var kind: CoalescingPolicy.Kind? {
        switch self {
        case .update: .updates
        case .insertion: .insertions
        case .deletion: .deletions
        case .nothing, .other: nil
        }
    }
}

/// Decides which commits continue a step.
struct StepCoalescing {
    var policy = CoalescingPolicy.never

    /// The newest commit, if a step can be continued after it.
    private var last: Last?
    /// The groups that are open, by scope.
    private var groups: [HistoryScope: Group] = [:]

    private struct Last {
        var scope: HistoryScope
        var version: Version
        var name: String
        var origin: String
        var time: Timestamp
        var shape: EditShape
    }

    private struct Group {
        var name: String?
        var depth: Int
        /// Whether a commit was made in it, which the others continue.
        var isBegun: Bool
    }

    /// Whether commits of some scope are being grouped.
    var hasGroups: Bool { !groups.isEmpty }

    /// Ends the step of every scope, but for those of open groups.
    mutating func endStep() { last = nil }

    /// Whether commits of a scope are being grouped.
    func isGrouping(_ scope: HistoryScope) -> Bool { groups[scope] != nil }

    /// The name that commits of a scope have while they are grouped.
    func groupName(_ scope: HistoryScope) -> String? { groups[scope]?.name }

    mutating func beginGroup(_ scope: HistoryScope, name: String?) {
        var group = groups[scope] ?? Group(name: nil, depth: 0, isBegun: false)
        group.depth += 1
        group.name = group.name ?? name
        groups[scope] = group
    }

    /// - Returns: false if no group is open.
    mutating func endGroup(_ scope: HistoryScope) -> Bool {
        guard var group = groups[scope] else { return false }
        group.depth -= 1
        groups[scope] = group.depth == 0 ? nil : group
        last = nil
        return true
    }

    /// Whether a commit that made a node continues the step of its scope, which is at its tip; notes it either way.
    ///
    /// - Parameter shape: what the commit did.
    mutating func continues(
        _ draft: borrowing CommitDraft, _ version: Version, in scope: HistoryScope, isAtTip: Bool, _ shape: EditShape
    ) -> Bool {
        if hasGroups, var group = groups[scope] {
            let continues = group.isBegun && isAtTip
            group.isBegun = true
            groups[scope] = group
            last = nil
            return continues
        }
        guard let kind = shape.kind, policy.merges(kind) else {
            last = nil
            return false
        }
        let joined = isAtTip ? joined(draft, version, in: scope, shape) : nil
        last = Last(
            scope: scope, version: version, name: draft.name, origin: draft.origin, time: draft.time,
            shape: joined ?? shape)
        return joined != nil
    }

    /// What the step and a commit that comes next did together; nil if it does not continue the step.
    private func joined(
        _ draft: borrowing CommitDraft, _ version: Version, in scope: HistoryScope, _ shape: EditShape
    ) -> EditShape? {
        guard let last, last.version.next == version, last.scope == scope, last.name == draft.name,
            last.origin == draft.origin, last.time <= draft.time, let joined = last.shape.followed(by: shape)
        else { return nil }
        return policy.covers(from: last.time, to: draft.time) ? joined : nil
    }
}

extension CoalescingPolicy.Kind {
    fileprivate var bit: UInt8 {
        switch self {
        case .updates: 1
        case .insertions: 2
        case .deletions: 4
        }
    }
}

extension CoalescingPolicy {
    /// Whether the time from one commit to a later one is short enough.
    fileprivate func covers(from first: Timestamp, to second: Timestamp) -> Bool {
        let (passed, isOver) = second.microseconds.subtractingReportingOverflow(first.microseconds)
        // As numbers without a sign the times of all clocks have a difference.
        let distance = isOver ? UInt64(bitPattern: passed) : UInt64(passed)
        return microseconds.map { distance <= $0 } ?? false
    }

    /// The whole microseconds of the interval, the most that there can be if it is longer; nil if it is negative.
    private var microseconds: UInt64? {
        let (seconds, attoseconds) = interval.components
        guard seconds >= 0 && attoseconds >= 0 else { return nil }
        let (product, isOver) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
        let (sum, isAbove) = product.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000_000)
        return isOver || isAbove ? .max : sum
    }
}
