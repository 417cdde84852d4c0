// Prints one row with its whole content: `show --row`.
//
// Always holds: the row is one of the version that is printed, also if another commit comes meanwhile. It is looked up by its id in
// the newest version, and searched in an older one, which has no index.

import ListModel
import Listory

/// Prints a row.
public struct RowReport {
    private let row: UntypedRow
    private let path: ListIndexPath
    private let section: UntypedID
    private let version: Version
    private let source: any CommitSource

    /// A report on a row.
    ///
    /// - Throws: ``ToolError`` if there is no such row.
    public init(_ id: IdentifierText, in store: UntypedStore, at name: VersionName?) throws {
        let snapshot = try name?.snapshot(in: store) ?? store.snapshot
        let path = try snapshot.reading { try id.path(in: snapshot, of: store) }
        guard let path, let row = snapshot.item(at: path) else {
            throw ToolError(
                .refused, "row: expected one of version \(snapshot.version), found \"\(id.text.visible)\"")
        }
        (self.row, self.path, version, source) = (row, path, snapshot.version, store.source)
        section = snapshot.sections[path.section].id
    }

    /// The row, its place, and its content, every character of it visible.
    public func text() throws -> String {
        let content = JSONValue.text(of: try source.value(of: row.content)).visible
        let outline =
            row.depth > 0 || row.isCollapsed ? "depth    \(row.depth)\(row.isCollapsed ? ", collapsed" : "")\n" : ""
        return """
            id       \(row.id.plainText.visible)
            version  \(version)
            section  \(section.plainText.visible)
            position \(path)
            checked  \(row.isChecked ? "yes" : "no")
            \(outline)content  \(content)

            """
    }

    /// The row as a line of JSON.
    public func json() throws -> [UInt8] {
        try JSONWriter.line { writer in
            writer.member("version", version.rawValue)
            writer.key("section")
            writer.write(section)
            writer.key("at")
            writer.write(path)
            writer.key("row")
            try writer.write(row, source)
        }
    }
}

extension IdentifierText {
    /// Where the row is in a version of a store; nil if it is not there.
    ///
    /// - Parameter snapshot: the rows of the version. The call belongs inside of its `reading`, because a row that cannot be read is
    ///   not found.
    /// - Throws: an error of the store.
    /// - Complexity: O(log n) if the row is in the newest version, and that is wanted; else O(n).
    public func path(in snapshot: UntypedSnapshot, of store: UntypedStore) throws -> ListIndexPath? {
        if try snapshot.version == store.version, let path = try first({ try store.indexPath(of: $0) }),
            // Another commit may have come meanwhile, after which another row is there.
            let row = snapshot.item(at: path), means(row.id)
        {
            return path
        }
        return first { snapshot.indexPath(of: $0) }
    }
}
