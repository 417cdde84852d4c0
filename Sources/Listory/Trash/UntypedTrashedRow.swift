// A row that was deleted, and where and by whom.

import ListModel

/// A row that was in the list and is not any more.
public struct UntypedTrashedRow: Equatable, Sendable {
    /// The row as it was last: its id, content, checkmark and depth.
    public let row: UntypedRow
    /// The section that it was in.
    public let sectionID: UntypedID
    /// The title that the section had then.
    public let sectionTitle: String
    /// The commit that took it out of the list: when that was, by whom, and why.
    public let commit: CommitInfo
    /// Its place among the rows of its commit.
    private let ordinal: Int

    init(_ deleted: DeletedRow, _ commit: CommitInfo, ordinal: Int) {
        (row, sectionID, sectionTitle) = (deleted.row, deleted.sectionID, deleted.sectionTitle)
        (self.commit, self.ordinal) = (commit, ordinal)
    }

    /// The last version that has the row, to restore it from.
    public var lastVersion: Version { commit.version.previous }

    /// Its place in the trash.
    var place: TrashPlace { TrashPlace(version: commit.version, ordinal: ordinal) }
}

extension UntypedTrashedRow {
    /// The rows that a commit deleted, in the order of the trash.
    static func all(of rows: [DeletedRow], _ commit: Commit) -> [UntypedTrashedRow] {
        if rows.isEmpty { return [] }
        let info = CommitInfo(commit)
        return rows.enumerated().map { UntypedTrashedRow($0.element, info, ordinal: $0.offset) }
    }
}

/// A place in the trash: the newest commit comes first, and its rows in the order of the list.
struct TrashPlace: Comparable, Sendable {
    var version: Version
    var ordinal: Int

    static func < (left: TrashPlace, right: TrashPlace) -> Bool {
        left.version == right.version ? left.ordinal < right.ordinal : left.version > right.version
    }
}
