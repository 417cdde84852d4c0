// A changeset as JSON.
//
// Always holds: deletions and sources of moves are positions before the change; insertions, targets of moves and
// updates are positions after it; empty lists and groups are left out.

import ListModel

extension JSONWriter {
    /// Writes a changeset.
    public mutating func write(_ changeset: Changeset) {
        object { writer in
            writer.write(changeset.sections, "sections") { $0.write($1) }
            writer.write(changeset.items, "items") { $0.write($1) }
        }
    }

    /// Writes an index path: the index of the section and the index in it.
    public mutating func write(_ path: ListIndexPath) {
        array { writer in
            writer.write(path.section)
            writer.write(path.item)
        }
    }

    private mutating func write<Position>(
        _ changes: Changeset.Changes<Position>, _ name: String, _ position: (inout JSONWriter, Position) -> Void
    ) {
        if changes.isEmpty { return }
        key(name)
        object { writer in
            writer.list("deleted", changes.deleted, position)
            writer.list("inserted", changes.inserted, position)
            writer.list("moved", changes.moved) { writer, move in
                writer.array {
                    position(&$0, move.from)
                    position(&$0, move.to)
                }
            }
            writer.list("updated", changes.updated, position)
        }
    }

    private mutating func list<Element>(
        _ name: String, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        if elements.isEmpty { return }
        key(name)
        array { writer in
            for element in elements { write(&writer, element) }
        }
    }
}
