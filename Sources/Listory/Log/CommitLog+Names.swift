// The names of versions in the file: a row of `meta` for each.
//
// Always holds: one transaction makes a change, after it has checked that the names are as the change supposes; the commit
// of a version is in the database before the version has a name. See `Docs/Design/Retention.md`.

import LMDB
import ListModel

extension CommitLog {
    /// The versions that have names, by version and name.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if a row is damaged.
    func names() throws -> [NamedVersion] {
        var names: [NamedVersion] = []
        try environment.read { txn in
            try txn.forEach(in: meta) { key, row in
                if let name = NamedVersion.name(ofKey: key) { names.append(try CommitLog.named(name, row)) }
                return true
            }
        }
        return names.sorted { ($0.version, $0.name) < ($1.version, $1.name) }
    }

    /// The version that has a name; nil if none has.
    func named(_ name: String) throws -> NamedVersion? { try environment.read { try named(name, $0) } }

    private func named(_ name: String, _ txn: borrowing some Transaction & ~Copyable) throws -> NamedVersion? {
        try txn.withValue(forKey: NamedVersion.key(name), in: meta) { row in
            try row.map { try CommitLog.named(name, $0) }
        }
    }

    private static func named(_ name: String, _ row: UnsafeRawBufferPointer) throws -> NamedVersion {
        guard let named = NamedVersion(row, name: name) else {
            throw ListError.headMismatch(
                what: "name \"\(name)\"", expected: "a version with its checksum", found: "another")
        }
        return named
    }

    /// Gives a version a name.
    ///
    /// - Throws: ``LostRace`` if the commit of the version leads to other rows: another process has replaced a pending one of a replica;
    ///   ``ListError/duplicateName(_:of:)``; ``ListError/unknownVersion(_:head:)`` if its commit is not in the database.
    func add(_ named: NamedVersion) throws {
        try environment.write { txn in
            let head = try LogRows(meta: meta, commits: commits, lastPacked: base.lastPacked).readHead(txn).version
            if named.version > head { throw ListError.unknownVersion(named.version, head: head) }
            // A commit that is packed or dropped stays as it is.
            let hash = try txn.withValue(forKey: named.version.rawValue, in: commits) { record in
                try record.map { try RecordHeader.stateHash($0, version: named.version) }
            }
            if let hash, hash != named.stateHash { throw LostRace() }
            try put(named, &txn)
        }
    }

    /// Gives the version of a name another one.
    ///
    /// - Throws: ``ListError/unknownName(_:)``, ``ListError/duplicateName(_:of:)``.
    func changeName(_ name: String, to newName: String) throws {
        try environment.write { txn in
            guard let old = try named(name, txn) else { throw ListError.unknownName(name) }
            try txn.delete(NamedVersion.key(name), in: meta)
            try put(
                NamedVersion(name: newName, version: old.version, stateHash: old.stateHash, time: old.time), &txn)
        }
    }

    /// Takes a name away, also one that is damaged.
    ///
    /// - Throws: ``ListError/unknownName(_:)``.
    func removeName(_ name: String) throws {
        try environment.write { txn in
            let isThere = try removeNames(&txn) { $0.utf8.elementsEqual(name.utf8) }
            if !isThere { throw ListError.unknownName(name) }
        }
    }

    /// Deletes rows of names.
    ///
    /// - Parameter isRemoved: whether a name is to go. A damaged key may be no UTF-8; its name then has other characters in these places.
    /// - Returns: whether there were any.
    @discardableResult
    private func removeNames(_ txn: inout WriteTransaction, where isRemoved: (String) -> Bool) throws -> Bool {
        // Whose keys are bytes.
        let rows = try txn.openDatabase(
            named: LogFormat.metaDatabase, of: [UInt8].self, [UInt8].self, create: false)
        var keys: [[UInt8]] = []
        try txn.forEach(in: rows) { key, _ in
            if let name = NamedVersion.name(ofKey: key), isRemoved(name) { keys.append(Array(key)) }
            return true
        }
        for key in keys { try txn.delete(key, in: rows) }
        return !keys.isEmpty
    }

    private func put(_ named: NamedVersion, _ txn: inout WriteTransaction) throws {
        if let other = try self.named(named.name, txn) { throw ListError.duplicateName(named.name, of: other.version) }
        try txn.put(named.bytes, forKey: NamedVersion.key(named.name), in: meta)
    }

    /// Moves names with their commits.
    ///
    /// - Parameter commits: what commits with successive versions have become.
    func moveNames(with commits: [RebasedCommit], _ txn: inout WriteTransaction) throws {
        guard let first = commits.first?.version else { return }
        var moved: [NamedVersion] = []
        try txn.forEach(in: meta) { key, row in
            guard let name = NamedVersion.name(ofKey: key), let old = NamedVersion(row, name: name),
                old.version >= first, old.version.rawValue - first.rawValue < commits.count
            else { return true }
            let commit = commits[Int(old.version.rawValue - first.rawValue)].commit
            moved.append(
                NamedVersion(name: name, version: commit.version, stateHash: commit.stateHash, time: old.time))
            return true
        }
        for named in moved { try txn.put(named.bytes, forKey: NamedVersion.key(named.name), in: meta) }
    }

    /// Replaces all names.
    func replaceNames(with names: [NamedVersion]) throws {
        try environment.write { txn in
            try removeNames(&txn) { _ in true }
            for named in names { try put(named, &txn) }
        }
    }
}
