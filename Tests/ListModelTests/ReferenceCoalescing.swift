// The specification of which commits continue a step. It uses only the rows before and after a commit, not its record.

@testable import ListModel
import TestSupport

/// Decides which commits continue the step before them, with the standard policy unless another is given.
struct ReferenceCoalescing {
    /// The change of a commit, if it is of a kind that coalesces.
    enum Change: Equatable {
        case update(UntypedID)
        /// Rows that now follow one another.
        case insertion(section: UntypedID, [UntypedID])
        /// Rows that followed one another, and the rows of their section before the first deletion.
        case deletion(section: UntypedID, [UntypedID], among: [UntypedID])
    }

    private struct Last {
        var scope: HistoryScope
        var version: Version
        var name: String
        var origin: String
        var time: Int64
        var change: Change?
    }

    private struct Group {
        var depth = 0
        var name: String?
        var isBegun = false
    }

    var interval: Int64 = 500_000
    private var last: Last?
    private var groups: [HistoryScope: Group] = [:]

    func isGrouping(_ scope: HistoryScope) -> Bool { groups[scope] != nil }

    func name(_ name: String, in scope: HistoryScope?) -> String { scope.flatMap { groups[$0]?.name } ?? name }

    mutating func beginGroup(_ scope: HistoryScope, name: String?) {
        groups[scope, default: Group()].depth += 1
        groups[scope]!.name = groups[scope]!.name ?? name
    }

    /// - Returns: whether there was one.
    mutating func endGroup(_ scope: HistoryScope) -> Bool {
        guard groups[scope] != nil else { return false }
        groups[scope]!.depth -= 1
        if groups[scope]!.depth == 0 { groups[scope] = nil }
        last = nil
        return true
    }

    /// Ends the step, as a checkout, an untracked commit and the end of a group do.
    mutating func endStep() { last = nil }

    /// Ends all steps and groups, as opening does.
    mutating func forget() { self = ReferenceCoalescing() }

    /// Whether a revision continues the step. Records the revision.
    mutating func continues(
        _ commit: Commit, in scope: HistoryScope, isAtTip: Bool, before: ReferenceList, after: ReferenceList,
        isEdit: Bool
    ) -> Bool {
        if groups[scope] != nil {
            defer { groups[scope]!.isBegun = true }
            last = nil
            return groups[scope]!.isBegun && isAtTip
        }
        var next = Last(
            scope: scope, version: commit.version, name: commit.name, origin: commit.origin,
            time: commit.time.microseconds, change: isEdit ? Self.change(before, after) : nil)
        defer { last = next }
        guard isAtTip, let last, let change = next.change, last.version.rawValue + 1 == next.version.rawValue,
            last.scope == scope, last.name == next.name, last.origin == next.origin,
            (0...interval).contains(next.time - last.time),
            let joined = last.change.flatMap({ Self.joined($0, change, after) })
        else { return false }
        next.change = joined
        return true
    }

    /// The change of both; nil if the second does not continue the first.
    private static func joined(_ first: Change, _ second: Change, _ after: ReferenceList) -> Change? {
        switch (first, second) {
        case (.update(let id), .update(let other)):
            return id == other ? second : nil
        case (.insertion(let section, let ids), .insertion(let other, let new)):
            guard section == other else { return nil }
            let rows = after.sections[after.indexOfSection(section)!].items.map(\.id)
            let joined = [ids + new, new + ids].first { rows.contains($0) }
            return joined.map { .insertion(section: section, $0) }
        case (.deletion(let section, let ids, let rows), .deletion(let other, let new, _)):
            guard section == other else { return nil }
            let joined = [ids + new, new + ids].first { rows.contains($0) }
            return joined.map { .deletion(section: section, $0, among: rows) }
        default: return nil
        }
    }

    /// The change between two lists of rows, if it is of one kind.
    private static func change(_ before: ReferenceList, _ after: ReferenceList) -> Change? {
        guard before.sections.map(\.id) == after.sections.map(\.id),
            before.sections.map(\.title) == after.sections.map(\.title)
        else { return nil }
        let changed = before.sections.indices.filter { before.sections[$0] != after.sections[$0] }
        guard let index = changed.first, changed.count == 1 else { return nil }
        let section = before.sections[index].id
        let (old, new) = (before.sections[index].items, after.sections[index].items)
        let start = zip(old, new).prefix { $0 == $1 }.count
        let (removed, added) = (max(0, old.count - new.count), max(0, new.count - old.count))
        if removed > 0 {
            guard Array(old[..<start] + old[(start + removed)...]) == new else { return nil }
            return .deletion(
                section: section, old[start..<(start + removed)].map(\.id), among: old.map(\.id))
        }
        if added > 0 {
            guard Array(new[..<start] + new[(start + added)...]) == old else { return nil }
            return .insertion(section: section, new[start..<(start + added)].map(\.id))
        }
        guard Array(old[(start + 1)...]) == Array(new[(start + 1)...]) else { return nil }
        var updated = old[start]
        updated.content = new[start].content
        return updated == new[start] ? .update(updated.id) : nil
    }
}
