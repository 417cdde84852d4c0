// The kinds of identifiers of a store, and their check when an app opens it.
//
// Always holds: a store whose kinds are in the file has no other ids, in any version, but those that came with commits of other devices: what
// is in their shared log has happened.

import ListModel

extension UntypedStore {
    /// Checks that all ids are of the kinds of an app's types, and writes that into the file if it is not there yet.
    ///
    /// - Throws: ``ListError/otherIdentifiers(path:expected:found:)``; ``ListError/inUse(path:)`` if another process is editing a
    ///   store whose kinds are not known; an error of the log.
    /// - Complexity: O(1); the first time for a store that a tool made, O(events).
    func require(_ expected: IdentifierKinds) throws(ListError) {
        try door {
            if let found = identifierKinds.withLock({ $0 }) {
                if found == expected { return }
                throw ListError.otherIdentifiers(path: path, expected: "\(expected)", found: "\(found)")
            }
            // It could use ids of other kinds. One that follows a shared log makes no ids. A process that joins does so with the writer's
            // lock held, so that all have said what they do.
            let others = try group.log.environment.whileNobodyWrites {
                try group.log.journal.table?.neighbours() ?? []
            }
            let isEditedElsewhere = others.contains { $0.isAppending && $0.purpose != .following }
            if isEditedElsewhere && !options.isReadOnly { throw ListError.inUse(path: path) }
            do {
                for version in try keptVersions + [oldestVersion] {
                    for section in try snapshot(at: version).sections { try expected.check(section.id, section.items) }
                }
                let newest = try version
                if newest > oldestVersion {
                    try forEachCommit(in: oldestVersion.next...newest) { commit in
                        for event in try commit.events() { try expected.check(event) }
                    }
                }
            } catch ListError.otherKind(let id, _) {
                throw ListError.otherIdentifiers(path: path, expected: "\(expected)", found: "\(id)")
            }
            if options.isReadOnly { return }
            try group.log.put(expected)
            identifierKinds.withLock { $0 = expected }
        }
    }
}
