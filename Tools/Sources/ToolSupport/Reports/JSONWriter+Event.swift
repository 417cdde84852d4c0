// An event as JSON: an object with one member, whose name is that of the event.
//
// Always holds: the names of events and of their values are those of the model.

import ListModel

extension JSONWriter {
    /// Writes an event, with the contents that it refers to.
    public mutating func write(_ event: ListEvent, _ source: any CommitSource) throws {
        try object { writer in
            writer.key(event.name)
            try writer.object { try $0.writeFields(event, source) }
        }
    }

    private mutating func writeFields(_ event: ListEvent, _ source: any CommitSource) throws {
        switch event {
        case .itemsInserted(let path, let items), .itemsDeleted(let path, let items):
            member("at", path)
            key("items")
            try array { writer in
                for item in items { try writer.write(item, source) }
            }
        case .itemsMoved(let from, let to, let ids):
            member("from", from)
            member("to", to)
            key("ids")
            array { writer in
                for id in ids { writer.write(id) }
            }
        case .itemToggled(let path, let id, let isChecked):
            member("at", path)
            member("id", id)
            member("checked", isChecked)
        case .itemUpdated(let path, let id, let old, let new):
            member("at", path)
            member("id", id)
            key("old")
            try write(old, source)
            key("new")
            try write(new, source)
        case .itemsIndented(let path, let ids, let change):
            member("at", path)
            member("by", change)
            key("ids")
            array { writer in
                for id in ids { writer.write(id) }
            }
        case .itemCollapsed(let path, let id, let isCollapsed):
            member("at", path)
            member("id", id)
            member("collapsed", isCollapsed)
        case .sectionInserted(let index, let section), .sectionDeleted(let index, let section):
            member("at", index)
            key("section")
            try write(section, source)
        case .sectionMoved(let from, let to, let id):
            member("from", from)
            member("to", to)
            member("id", id)
        case .sectionRenamed(let index, let id, let old, let new):
            member("at", index)
            member("id", id)
            member("old", old)
            member("new", new)
        case .listReloaded(let old, let new):
            for (name, sections) in [("old", old), ("new", new)] {
                key(name)
                try array { writer in
                    for section in sections { try writer.write(section, source) }
                }
            }
        case .annotated(let name, let value):
            member("name", name)
            key("value")
            value.withUnsafeBytes { write(content: $0) }
        case .unrecognised(let kind, let payload):
            member("kind", Int(kind))
            key("payload")
            payload.withUnsafeBytes { write(content: $0) }
        }
    }

    private mutating func member(_ name: String, _ path: ListIndexPath) {
        key(name)
        write(path)
    }

    private mutating func member(_ name: String, _ id: UntypedID) {
        key(name)
        write(id)
    }

    /// Writes a section with its rows.
    mutating func write(_ section: ListSection, _ source: any CommitSource) throws {
        try object { writer in
            writer.member("id", section.id)
            writer.member("title", section.title)
            writer.key("items")
            try writer.array { writer in
                for item in section.items { try writer.write(item, source) }
            }
        }
    }
}

extension ListEvent {
    /// The name of the kind of event: that of its case.
    var name: String { Mirror(reflecting: self).children.first?.label ?? "unrecognised" }
}
