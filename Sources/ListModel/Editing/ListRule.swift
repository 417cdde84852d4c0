// Rules that an app declares for its list: what a commit must not do.
//
// Always holds: a commit that breaks a rule is not made. When a commit of a replica, or of one of several processes, is made again behind
// those of others and would break one, it is given up with that reason, and what comes after it is made again without it.

/// What no commit of a list may do.
///
/// ```swift
/// var options = StoreOptions()
/// options.rules = [.atMost(3, inSection: "doing"), .unique("name") { try ContentCoder<Task>.json.decode($0).name }]
/// ```
///
/// An edit, an undo or a redo that breaks a rule throws ``ListError/brokenRule(name:reason:)``. A rule may differ between releases and
/// between devices: what is in the log stays, whatever later rules say.
public struct ListRule: Sendable {
    /// A change that a rule judges.
    public struct Change {
        /// The rows before the commit, and after it.
        public let before, after: UntypedSnapshot
        /// What the commit changes: positions of `before` for what is gone, of `after` for what is new.
        public let changes: Changeset
    }

    /// The name, for errors.
    public let name: String
    /// Says what is wrong with a change, or nil; the second parameter reads contents of rows.
    let problem: @Sendable (Change, (UntypedRow) throws -> [UInt8]) throws -> String?

    /// A rule.
    ///
    /// - Parameters:
    ///   - name: a name for errors.
    ///   - problem: says what is wrong with a change; nil if nothing is. Called with the store's lock held, for each commit, so it is to be
    ///     quick and must not use the store. Its second parameter reads the content of a row. If it throws, the rule is broken.
    public init(
        _ name: String, problem: @escaping @Sendable (Change, (UntypedRow) throws -> [UInt8]) throws -> String?
    ) {
        (self.name, self.problem) = (name, problem)
    }

    /// No commit adds a row to a list, or a section, that then has more than so many.
    ///
    /// - Parameter section: the section; nil for the whole list.
    /// - Complexity: O(sections).
    public static func atMost(_ count: Int, inSection section: UntypedID? = nil) -> ListRule {
        let place = section.map { "section \($0)" } ?? "the list"
        return ListRule("at most \(count) rows in \(place)") { change, _ in
            func rows(_ snapshot: UntypedSnapshot) -> Int {
                guard let section else { return snapshot.itemCount }
                return snapshot.sections.first { $0.id == section }?.items.count ?? 0
            }
            let after = rows(change.after)
            return after > count && after > rows(change.before) ? "\(place) would have \(after) rows" : nil
        }
    }

    /// No commit gives a row a key that another row has.
    ///
    /// A row is given a key when it is inserted, or when its content changes. So rows that had one key before there was this rule can
    /// still be checked, moved and indented. A row whose content was erased has no key until it gets a content again.
    ///
    /// - Parameters:
    ///   - name: what is unique, for errors.
    ///   - key: the key of a content; nil if such rows need none.
    /// - Complexity: O(rows) for a commit that inserts or updates rows. It reads all contents if a row is inserted or its content changes.
    public static func unique<Key: Hashable>(
        _ name: String, by key: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Key?
    ) -> ListRule {
        ListRule("unique \(name)") { change, content in
            let written = change.writtenRows
            let ids = Set(written.map(\.id))
            var owners: [Key: UntypedID] = [:]
            for item in written where !item.content.isErased {
                guard let key = try content(item).withUnsafeBytes(key) else { continue }
                if let other = owners.updateValue(item.id, forKey: key) { return "rows \(other) and \(item.id)" }
            }
            if owners.isEmpty { return nil }
            for section in change.after.sections {
                for item in section.items where !ids.contains(item.id) && !item.content.isErased {
                    if let key = try content(item).withUnsafeBytes(key), let other = owners[key] {
                        return "rows \(item.id) and \(other)"
                    }
                }
            }
            return nil
        }
    }

    /// Rows move between sections only as allowed.
    ///
    /// - Parameters:
    ///   - name: a name for errors.
    ///   - isAllowed: whether a row may move from a section to another one.
    /// - Complexity: O(rows moved).
    public static func moves(
        _ name: String, isAllowed: @escaping @Sendable (UntypedRow, _ from: UntypedID, _ to: UntypedID) -> Bool
    ) -> ListRule {
        ListRule(name) { change, _ in
            for move in change.changes.items.moved {
                let from = change.before.sections[move.from.section].id
                let to = change.after.sections[move.to.section].id
                guard from != to, let item = change.after.item(at: move.to) else { continue }
                if !isAllowed(item, from, to) { return "row \(item.id) from section \(from) to \(to)" }
            }
            return nil
        }
    }
}

extension ListRule.Change {
    /// The rows after the commit that it inserts, or gives another content.
    ///
    /// - Complexity: O(k log n) for k such rows, and O(n) if rows are updated, because a snapshot has no index of ids.
    fileprivate var writtenRows: [UntypedRow] {
        let inserted = changes.items.inserted.compactMap { after.item(at: $0) }
        let updated = changes.items.updated.compactMap { after.item(at: $0) }
        if updated.isEmpty { return inserted }
        let ids = Set(updated.map(\.id))
        var contents: [UntypedID: ContentReference] = [:]
        for section in before.sections {
            for item in section.items where ids.contains(item.id) { contents[item.id] = item.content }
        }
        return inserted + updated.filter { contents[$0.id]?.hasSameContent(as: $0.content) != true }
    }
}

extension [ListRule] {
    /// Judges a commit.
    ///
    /// - Throws: ``ListError/brokenRule(name:reason:)``; an error of rows that cannot be read.
    func check(
        from before: UntypedSnapshot, to after: UntypedSnapshot, _ content: (UntypedRow) throws -> [UInt8]
    ) throws {
        let change = ListRule.Change(before: before, after: after, changes: Changeset(from: before, to: after))
        for rule in self {
            var failure: (any Error)?
            let reason: String?
            do {
                reason = try rule.problem(change) { row in
                    do { return try content(row) } catch {
                        failure = error
                        throw error
                    }
                }
            } catch { reason = "it cannot be judged: \(error)" }
            // A file that cannot be read says nothing about the commit, which would be given up for good.
            if let failure, (failure as? ListError)?.isRejection != true { throw failure }
            if let reason { throw ListError.brokenRule(name: rule.name, reason: reason) }
        }
    }
}
