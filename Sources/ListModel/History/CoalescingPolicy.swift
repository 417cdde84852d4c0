// Decides which commits coalesce into one undo step, typing above all.
//
// The decision is made once, when a commit is finished, and frozen into its record: `HistoryEntry` says whether the
// commit continues the step before it. Reading a log needs nothing from this file.
//
// Always holds: a commit continues a step only if it was made at the tip of its scope, where that step ends.

/// Which commits continue the step before them.
///
/// ```swift
/// var options = StoreOptions()
/// options.coalescing.interval = .seconds(1)
/// ```
public struct CoalescingPolicy: Hashable, Sendable {
    /// A kind of commit that can coalesce with the next of its kind.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// Updates of the content of one row.
        case updates
        /// Insertions directly after the rows of the commit before, or directly before them.
        case insertions
        /// Deletions adjacent to the previous one: before it, as with the backspace key, or at its place.
        case deletions
    }

    /// The longest time between two commits of a step. If the clock went back, the step ends.
    public var interval: Duration
    /// Which kinds coalesce. Checkmarks, moves, sections and commits of several kinds never do.
    public var kinds: Set<Kind> {
        get { Set(Kind.allCases.filter(merges)) }
        set { kindBits = CoalescingPolicy.bits(newValue) }
    }

    // Bits and not a `Set`, because the runtime would build the type of the set whenever a store is opened, and a
    // lookup would cost as much as the rest of the decision.
    private var kindBits: UInt8

    private init(interval: Duration, kindBits: UInt8) {
        self.interval = interval
        self.kindBits = kindBits
    }

    /// A policy.
    public init(interval: Duration = .milliseconds(500), kinds: Set<Kind>) {
        self.init(interval: interval, kindBits: CoalescingPolicy.bits(kinds))
    }

    /// A policy that coalesces all kinds.
    public init(interval: Duration = .milliseconds(500)) {
        self.init(interval: interval, kindBits: Kind.updates.bit | Kind.insertions.bit | Kind.deletions.bit)
    }

    private static func bits(_ kinds: Set<Kind>) -> UInt8 {
        kinds.reduce(0) { $0 | $1.bit }
    }

    /// Whether a kind coalesces.
    func merges(_ kind: Kind) -> Bool { kindBits & kind.bit != 0 }

    /// Typing coalesces, with pauses of up to half a second.
    public static let standard = CoalescingPolicy()
    /// Every commit is a step of its own, except in a group.
    public static let never = CoalescingPolicy(interval: .milliseconds(500), kindBits: 0)
}

/// What the commits of a step did, as far as it decides whether another commit continues it.
enum EditShape: Equatable {
    case nothing
    case update(UntypedID)
    case insertion(at: ListIndexPath, count: Int)
    case deletion(at: ListIndexPath, count: Int)
    /// Something that never coalesces.
    case other

    /// Notes the next event of a commit.
    mutating func note(_ event: ListEvent) {
        switch event {
        case .itemUpdated(_, let id, _, _): self = joined(.update(id))
        case .itemsInserted(let path, let items): self = joined(.insertion(at: path, count: items.count))
        case .itemsDeleted(let path, let items): self = joined(.deletion(at: path, count: items.count))
        default: self = .other
        }
    }

    private func joined(_ next: EditShape) -> EditShape { self == .nothing ? next : followed(by: next) ?? .other }

    /// The combined shape; nil if the second commit does not continue the first.
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

    /// The kind of coalescing that it needs; nil if it never coalesces.
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

    /// The newest commit, if another commit may continue its step.
    private var last: Last?
    /// The open groups, by scope.
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
        /// The last commit of the group, which the next one continues; nil if there is none.
        var last: Version?
    }

    /// Whether any group is open.
    var hasGroups: Bool { !groups.isEmpty }

    /// Ends the step of every scope without an open group.
    mutating func endStep() { last = nil }

    /// Whether a scope has an open group.
    func isGrouping(_ scope: HistoryScope) -> Bool { groups[scope] != nil }

    /// The name of the open group of a scope.
    func groupName(_ scope: HistoryScope) -> String? { groups[scope]?.name }

    mutating func beginGroup(_ scope: HistoryScope, name: String?) {
        var group = groups[scope] ?? Group(name: nil, depth: 0)
        group.depth += 1
        group.name = group.name ?? name
        groups[scope] = group
    }

    /// Notes which commit an open group continues now instead of another.
    mutating func noteRepeated(_ version: Version, as new: Version, in scope: HistoryScope) {
        if groups[scope]?.last == version { groups[scope]?.last = new }
    }

    /// Ends the step of every scope, because commits were replaced. Groups stay open, and continue with a new step.
    mutating func endSteps() {
        last = nil
        for scope in groups.keys { groups[scope]?.last = nil }
    }

    /// - Returns: false if no group is open.
    mutating func endGroup(_ scope: HistoryScope) -> Bool {
        guard var group = groups[scope] else { return false }
        group.depth -= 1
        groups[scope] = group.depth == 0 ? nil : group
        last = nil
        return true
    }

    /// Whether a revision at the tip of its scope continues the step there. Remembers the commit either way.
    ///
    /// - Parameters:
    ///   - position: where the scope was.
    ///   - isRepeated: whether it is made again, because another process was faster. Then it is of a group only if it was.
    ///   - shape: the shape of the commit's edit.
    mutating func continues(
        _ draft: borrowing CommitDraft, _ version: Version, in scope: HistoryScope, after position: Version,
        isAtTip: Bool, isRepeated: Bool, _ shape: EditShape
    ) -> Bool {
        if hasGroups, !isRepeated, var group = groups[scope] {
            // Another process may have added to the history since.
            let continues = isAtTip && group.last == position
            group.last = version
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

    /// The combined shape of the step and the next commit; nil if the commit does not continue the step.
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
    /// Whether two commits are close enough in time.
    fileprivate func covers(from first: Timestamp, to second: Timestamp) -> Bool {
        let (passed, isOver) = second.microseconds.subtractingReportingOverflow(first.microseconds)
        // Unsigned arithmetic, because the difference of two times may exceed `Int64`.
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
