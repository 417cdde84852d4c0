// Contents that a replica does not have, because its log begins after the commits that wrote them.
//
// A record has only the contents that its commit wrote. If the commit brings back a row that was deleted long ago, or an earlier content,
// its record refers to an older one. A replica whose log begins later may have dropped that, or may never have had it; the shared log has it.
//
// Always holds: what is added is what the record refers to, by its hash.

import ListModel

/// Contents in commits that were dropped here, to which records of a shared log refer.
@_spi(Sync)
public struct LackedContents: Sendable {
    fileprivate let references: Set<ContentReference>

    /// The versions of those commits, ascending.
    public var versions: [Version] { Set(references.map(\.version)).sorted() }
}

@_spi(Sync)
extension UntypedStore {
    /// The contents to which records of the shared log refer and which this file does not have.
    ///
    /// - Parameters:
    ///   - records: what the shared log has. What follows one that is damaged is left out: ``receive(_:after:)`` refuses it.
    ///   - version: the version before them.
    /// - Complexity: O(events of the records); O(1) if no commits were dropped.
    public func lackedContents(of records: [[UInt8]], after version: Version) throws -> LackedContents {
        try door {
            let oldest = oldestVersion
            var references: Set<ContentReference> = []
            var next = version.next
            for record in oldest == .empty ? [] : records {
                guard let contents = try? Commit(record: record, version: next).contents(through: oldest) else { break }
                references.formUnion(contents)
                next = next.next
            }
            return LackedContents(references: try references.filter(group.log.packed.lacks))
        }
    }

    /// Adds contents to those that the file has from dropped commits.
    ///
    /// - Parameter records: the records of some of the commits; empty if the shared log has lost one. What a record does not have where it
    ///   should be is known as lost from then on: the row is there, and its content cannot be read.
    public func add(_ contents: LackedContents, from records: [Version: [UInt8]]) throws {
        try door {
            try withHead { _ in }
            if options.isReadOnly { throw ListError.readOnly }
            _ = try group.log.putContents(contents.references.filter { records[$0.version] != nil }) { reference in
                records[reference.version]?.withUnsafeBytes { record in
                    try? reference.checkedCopy(of: reference.content(in: record))
                }
            }
        }
    }
}
