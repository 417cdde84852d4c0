// Which rows and sections a change is about, without their places: what it moves or deletes, and what commits have put
// somewhere.

extension Changeset {
    /// Rows and sections, by their ids.
    struct Elements {
        var items: Set<UntypedID> = []
        var sections: Set<UntypedID> = []

        init(items: Set<UntypedID> = [], sections: Set<UntypedID> = []) {
            (self.items, self.sections) = (items, sections)
        }

        /// What commits have put somewhere.
        init(placedBy commits: some Sequence<Commit>) throws {
            for commit in commits { try add(placedBy: commit) }
        }

        /// How many bytes of commits are read to learn what others have put somewhere.
        private static let readBytes = 16 << 20

        /// What commits of a log have put somewhere; nil if they are too many or too large to be read, or if one cannot be read.
        ///
        /// - Parameters:
        ///   - scope: its commits do not count.
        ///   - limit: the most versions.
        init?(
            placedBy versions: some Collection<Version>, of source: any CommitSource, except scope: HistoryScope? = nil,
            atMost limit: UInt64
        ) throws {
            guard versions.count <= limit else { return nil }
            var bytes = 0
            for version in versions {
                // A damaged commit of others does not keep a user from undoing a step.
                guard let commit = try? source.commit(version) else { return nil }
                bytes += commit.record.count
                if bytes > Self.readBytes { return nil }
                if scope == nil || commit.scope != scope { try add(placedBy: commit) }
            }
        }

        /// Adds what a commit has put somewhere.
        mutating func add(placedBy commit: Commit) throws {
            try commit.eventRun().forEach { event in
                switch event {
                case .itemsMoved(_, _, let ids): items.formUnion(ids)
                case .itemsInserted(_, let rows): items.formUnion(rows.lazy.map(\.id))
                case .sectionMoved(_, _, let id): sections.insert(id)
                case .sectionInserted(_, let section):
                    sections.insert(section.id)
                    items.formUnion(section.items.lazy.map(\.id))
                default: break
                }
            }
        }

        var isEmpty: Bool { items.isEmpty && sections.isEmpty }

        func contains(_ item: UntypedRow) -> Bool { items.contains(item.id) }

        func contains(_ section: SectionEntry) -> Bool { sections.contains(section.id) }

        func union(_ other: Elements) -> Elements {
            Elements(items: items.union(other.items), sections: sections.union(other.sections))
        }

        func intersection(_ other: Elements) -> Elements {
            Elements(items: items.intersection(other.items), sections: sections.intersection(other.sections))
        }

        func subtracting(_ other: Elements) -> Elements {
            Elements(items: items.subtracting(other.items), sections: sections.subtracting(other.sections))
        }
    }
}

extension Changeset {
    /// What it moves; `new` are the rows that it leads to.
    func moved(in new: UntypedSnapshot) -> Elements {
        Elements(
            items: Set(items.moved.lazy.compactMap { new.item(at: $0.to)?.id }),
            sections: Set(sections.moved.lazy.map { new.sections[$0.to].id }))
    }

    /// The sections that it inserts; `new` are the rows that it leads to.
    func insertedSections(in new: UntypedSnapshot) -> Set<UntypedID> {
        Set(sections.inserted.lazy.map { new.sections[$0].id })
    }

    /// What it deletes; `old` are the rows that it leads from.
    func deleted(in old: UntypedSnapshot) -> Elements {
        Elements(
            items: Set(items.deleted.lazy.compactMap { old.item(at: $0)?.id }),
            sections: Set(sections.deleted.lazy.map { old.sections[$0].id }))
    }
}
