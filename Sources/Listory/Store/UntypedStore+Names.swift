// Names of versions: given, changed, taken away, looked up. See `Docs/Design/Retention.md`.
//
// Always holds: a version that gets a name can be read, and its commit is in the database; so it stays, whatever is dropped later.

import ListModel

extension StoreProtocol {
    /// Gives a version a name. Its rows can be read from then on, also when its commit is dropped (``keep(_:)``,
    /// ``compact(at:_:options:progress:)``): by ``UntypedStore/snapshot(at:)-(Version)``, ``changeset(from:to:)`` and
    /// ``restore(_:name:origin:durability:)``.
    ///
    /// ```swift
    /// try store.addName("1.0")
    /// let then = try store.snapshot(at: store.version(named: "1.0"))
    /// ```
    ///
    /// A name is no edit: there is no update and no undo step. The commits up to the version are durable afterwards, and so is the
    /// name. A version may have several names. Names are compared byte by byte. It waits for an edit in progress.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes of UTF-8.
    ///   - version: a version whose rows can be read; nil for the newest. If its commit is not durable, or pending in a replica, and another
    ///     process commits first, it has another version then, which gets the name.
    /// - Returns: the version with its name.
    /// - Throws: ``ListError/duplicateName(_:of:)``, ``ListError/invalidName(_:validBytes:)``; ``ListError/readOnly``, ``ListError/closed``;
    ///   ``ListError/unknownVersion(_:head:)``, also for the empty list before the first commit; ``ListError/droppedVersion(_:oldest:)``;
    ///   ``ListError/appendFailed(durable:cause:)``; ``ListError/writtenElsewhere(expected:found:)`` if another process has just replaced the
    ///   commit of a replica, and what it has become is not known: try it again; an error of the log.
    /// - Complexity: that of a snapshot of the version, and two syncs.
    @discardableResult
    public func addName(_ name: String, to version: Version? = nil) throws -> NamedVersion {
        try door {
            try core.checkMayName()
            try NamedVersion.check(name)
            var subject = try core.subject(version)
            while true {
                do { return try core.add(name, to: subject) } catch is LostRace { subject = try core.again(subject) }
            }
        }
    }

    /// Gives the version of a name another name instead.
    ///
    /// - Throws: ``ListError/unknownName(_:)``; as ``addName(_:to:)``.
    /// - Complexity: O(log names), and two syncs.
    public func changeName(_ name: String, to newName: String) throws {
        try door {
            try core.checkMayName()
            try NamedVersion.check(newName)
            try core.group.log.changeName(name, to: newName)
        }
    }

    /// Takes a name away. If that was the last name of a version before ``oldestVersion``, its rows go when old history is dropped next.
    ///
    /// - Throws: ``ListError/unknownName(_:)``, ``ListError/readOnly``, ``ListError/closed``, an error of the file.
    /// - Complexity: O(names), and two syncs.
    public func removeName(_ name: String) throws {
        try door {
            try core.checkMayName()
            try core.group.log.removeName(name)
        }
    }

    /// The version that has a name.
    ///
    /// - Throws: ``ListError/unknownName(_:)``, ``ListError/closed``, an error of the file.
    /// - Complexity: O(log names).
    public func version(named name: String) throws -> Version {
        try door {
            let newest = try version
            guard let named = try core.group.log.named(name), named.version <= newest else {
                throw ListError.unknownName(name)
            }
            return named.version
        }
    }

    /// The versions that have names, the oldest first. One that another process has just named is there once this process has its
    /// commit.
    ///
    /// - Throws: ``ListError/closed``, an error of the file.
    /// - Complexity: O(names).
    public var namedVersions: [NamedVersion] {
        get throws {
            try door {
                let newest = try version
                return try core.group.log.names().filter { $0.version <= newest }
            }
        }
    }
}

/// What is to get a name.
private struct Subject {
    let version: Version
    /// The commit of the version, if it may be made again and then have another version.
    let commit: Commit?
    /// How far commits had been shifted when it had that version.
    let shift: UInt64
    /// The last version whose commit is not made again.
    let fixed: Version
}

extension UntypedStore {
    fileprivate func checkMayName() throws {
        try withHead { _ in }
        if options.isReadOnly { throw ListError.readOnly }
    }

    /// What is to get a name: a version; nil for the newest.
    fileprivate func subject(_ version: Version?) throws -> Subject {
        try withTurn { head in
            try racer.followReplica(&head)
            let newest = head.editor.state.version
            let version = version ?? newest
            if version > newest { throw ListError.unknownVersion(version, head: newest) }
            if version == .empty {
                throw oldestVersion == .empty
                    ? ListError.unknownVersion(version, head: newest)
                    : ListError.droppedVersion(version, oldest: oldestVersion)
            }
            let fixed = group.log.confirmed.limit(group.durableVersion)
            let commit = version > fixed ? try group.commit(version) : nil
            return Subject(version: version, commit: commit, shift: group.shift, fixed: fixed)
        }
    }

    /// Gives it the name.
    ///
    /// - Throws: ``LostRace`` if another process has replaced the commit.
    fileprivate func add(_ name: String, to subject: Subject) throws -> NamedVersion {
        var commit = subject.commit
        if let made = commit {
            try group.flush(through: made.version, since: subject.shift)
            commit = group.successor(of: made)
        }
        // A copy of the databases, without the journal, that has the name has its version too.
        try group.store()
        let hash = try commit?.stateHash ?? snapshot(at: subject.version).stateHash
        let named = NamedVersion(
            name: name, version: commit?.version ?? subject.version, stateHash: hash, time: options.now())
        try group.log.add(named)
        return named
    }

    /// The same, after another process has replaced the commit: one that was made again has kept its id.
    fileprivate func again(_ subject: Subject) throws -> Subject {
        try withTurn { head in
            try racer.followReplica(&head)
            guard let id = try subject.commit?.identifier,
                let commit = try group.pending(after: subject.fixed).first(where: { try $0.identifier == id })
            else {
                let newest = head.editor.state.version
                throw ListError.writtenElsewhere(expected: newest, found: newest)
            }
            return Subject(version: commit.version, commit: commit, shift: group.shift, fixed: subject.fixed)
        }
    }

    /// The versions before the log whose rows are in the file, the oldest first: they have names, or had them.
    var keptVersions: [Version] {
        get throws { try (checkpointer?.database.all() ?? []).map(\.version).filter { $0 < oldestVersion } }
    }
}
