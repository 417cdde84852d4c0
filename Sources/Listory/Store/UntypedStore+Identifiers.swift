// The kinds of identifiers of a store, and their check when an app opens it.
//
// Always holds: a store whose kinds are in the file has no other ids, in any version, but those that came with commits of other devices: what
// is in their shared log has happened.

import ListModel

extension UntypedStore {
    /// Checks that all ids are of the kinds of an app's types, and writes that into the file if it is not there yet.
    ///
    /// - Parameter whenChecked: called once all ids were checked, and before the kinds are written.
    /// - Throws: ``ListError/otherIdentifiers(path:expected:found:)``; ``ListError/inUse(path:)`` if another process is editing a
    ///   store whose kinds are not known; an error of the log.
    /// - Complexity: O(1); the first time for a store that a tool made, O(events).
    func require(_ expected: IdentifierKinds, whenChecked: () throws -> Void = {}) throws(ListError) {
        try door {
            if let found = identifierKinds.withLock({ $0 }) {
                if found == expected { return }
                throw ListError.otherIdentifiers(path: path, expected: "\(expected)", found: "\(found)")
            }
            // A process that joins does so with the writer's lock held, so that all have said what they do.
            if !options.isReadOnly { try group.log.environment.whileNobodyWrites { try checkNobodyEdits() } }
            do {
                for version in try keptVersions + [oldestVersion] {
                    for section in try snapshot(at: version).sections { try expected.check(section.id, section.items) }
                }
                var (checked, isWritten) = (oldestVersion, false)
                while !isWritten {
                    if !options.isReadOnly { try racer.catchUp() }
                    let newest = try version
                    if newest > checked {
                        try forEachCommit(in: checked.next...newest) { commit in
                            for event in try commit.events() { try expected.check(event) }
                        }
                    }
                    checked = newest
                    if options.isReadOnly { return }
                    try whenChecked()
                    // Checking may have taken long, and others may have made commits.
                    isWritten = try withTurn { _ in
                        let isWritten = try group.log.put(expected) {
                            try checkNobodyEdits()
                            return try !group.isBehind() && group.newestVersion == checked
                        }
                        if isWritten { identifierKinds.withLock { $0 = expected } }
                        return isWritten
                    }
                }
            } catch ListError.otherKind(let id, _) {
                throw ListError.otherIdentifiers(path: path, expected: "\(expected)", found: "\(id)")
            }
        }
    }

    /// Throws if another process is editing the store: it could use ids of other kinds. One that follows a shared log makes no ids.
    private func checkNobodyEdits() throws {
        let others = try group.log.journal.table?.neighbours() ?? []
        if others.contains(where: { $0.isAppending && $0.purpose != .following }) { throw ListError.inUse(path: path) }
    }
}
