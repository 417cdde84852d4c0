// Compares the names of versions with the versions.
//
// Always holds: a name that was compared is of a version that the file has, with the hash that the name says.

import ListModel

/// Compares the names of versions with the versions of a log, which are given one after another.
struct NameCheck {
    /// How many names there are.
    let count: Int
    /// The names of the versions that were not given yet.
    private var left: [Version: [NamedVersion]]

    init(_ log: CommitLog) throws {
        let names = try log.names()
        count = names.count
        left = Dictionary(grouping: names, by: \.version)
    }

    /// Compares the names of a version.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if a name is of other rows.
    mutating func check(_ version: Version, _ hash: StateHash) throws {
        for named in left.removeValue(forKey: version) ?? [] where named.stateHash != hash {
            throw ListError.headMismatch(
                what: "name \"\(named.name)\"", expected: "version \(version) with the hash \(named.stateHash)",
                found: "\(hash)")
        }
    }

    /// Checks that all versions were given.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)``.
    func finish() throws {
        guard let named = left.values.first?.first else { return }
        throw ListError.headMismatch(
            what: "name \"\(named.name)\"", expected: "the rows of version \(named.version)", found: "none")
    }
}
