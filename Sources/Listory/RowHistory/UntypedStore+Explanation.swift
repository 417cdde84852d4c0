// Explains a row: looks it up in one version, and collects the commits behind it.
//
// Always holds: the rows, the decisions and the commits are of the same version.

import ListModel

extension UntypedStore {
    /// Why a row is where it is in the list, and which commits made it as it is; or which one deleted it.
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - version: the version of the rows; nil for the newest.
    /// - Throws: as ``snapshot(at:)-(Version)``; an error of the log.
    /// - Complexity: that of ``blame(ofRows:at:)``, and reading at most three more commits. For an earlier version also that of
    ///   ``snapshot(at:)-(Version)``, and O(n), because only the newest version has an index of the rows.
    public func explanation(ofRow id: UntypedID, at version: Version? = nil) throws -> RowExplanation {
        try explanation(ofRow: id, at: version) { rows, path, _ in RowSighting(path: path, in: rows) }
    }

    /// As ``explanation(ofRow:at:)``, for a row that is looked at through something.
    ///
    /// - Parameter look: finds out where the row is shown of the list that has it at a path, and when that was read;
    ///   nil if the list has changed meanwhile.
    func explanation(
        ofRow id: UntypedID, at version: Version?,
        _ look: (UntypedSnapshot, ListIndexPath, StoreMoment) throws -> RowSighting?
    ) throws -> RowExplanation {
        try door {
            while true {
                let found: RowExplanation? = try reading { revision in
                    let (rows, path) = try located(id, at: version)
                    guard let path else { return try explanation(of: id, rows, nil, RowSighting()) }
                    let moment = StoreMoment(revision: revision, version: rows.version)
                    return try rows.reading {
                        try look(rows, path, moment).map { try explanation(of: id, rows, path, $0) }
                    }
                }
                if let found { return found }
            }
        }
    }

    /// The rows of a version, and where one of them is.
    func located(_ id: UntypedID, at version: Version? = nil) throws -> (UntypedSnapshot, ListIndexPath?) {
        if let version, try version != self.version {
            // A named version before the log has rows, and no commits that would explain them.
            if version < oldestVersion { throw ListError.droppedVersion(version, oldest: oldestVersion) }
            let rows = try snapshot(at: version)
            return (rows, try rows.reading { rows.indexPath(of: id) })
        }
        return try find(
            inHead: { head in
                let path = head.editor.state.indexPath(of: id)
                // An unreadable row is not found: report the damage instead.
                if path == nil { try head.checkNodes() }
                return (try head.snapshot(), path)
            }, during: { rows in (rows, rows.indexPath(of: id)) })
    }

    private func explanation(
        of id: UntypedID, _ rows: UntypedSnapshot, _ path: ListIndexPath?, _ sighting: RowSighting
    ) throws -> RowExplanation {
        let blame = try blame([id], at: rows.version)[0]
        let row = path.flatMap { rows.item(at: $0) }
        let place = path.map { RowExplanation.Location(path: $0, section: rows.sections[$0.section].id) }
        // A reload may have written the same content again.
        let given = (blame.updated ?? blame.inserted)?.version ?? .empty
        let written = row.map { min($0.content.version, given) } ?? .empty
        return RowExplanation(
            id: id, version: rows.version, location: sighting.location, listLocation: place, row: row,
            decisions: sighting.decisions, blame: blame,
            contentWritten: written > oldestVersion ? try group.commitInfo(written) : nil,
            previousContent: try blame.updated.flatMap { try group.commit($0.version).content(before: id) },
            sectionMoved: try place.flatMap { place in
                let settled = (blame.moved ?? blame.inserted)?.version ?? oldestVersion
                return try lastMove(of: .section(place.section), after: settled, through: rows.version)
            })
    }
}

/// Where a row is shown, and why.
struct RowSighting {
    var location: RowExplanation.Location?
    var decisions: [QueryDecision] = []
}

extension RowSighting {
    /// A row of a list that is shown as it is.
    fileprivate init(path: ListIndexPath, in rows: UntypedSnapshot) {
        location = RowExplanation.Location(path: path, section: rows.sections[path.section].id)
    }

    /// A row of a view's source.
    init(path: ListIndexPath, through view: DerivedView) throws(QueryError) {
        decisions = try view.decisions(aboutSource: path)
        location = view.indexPath(ofSource: path).map { shown in
            RowExplanation.Location(path: shown, section: view.snapshot.sections[shown.section].id)
        }
    }
}

extension Commit {
    /// The content of a row before the commit, which has updated it.
    fileprivate func content(before id: UntypedID) throws -> ContentReference? {
        for event in try events() {
            switch event {
            case .itemUpdated(_, id, let old, _): return old
            case .listReloaded(let old, _):
                for section in old {
                    if let row = section.items.first(where: { $0.id == id }) { return row.content }
                }
            default: break
            }
        }
        return nil
    }
}
