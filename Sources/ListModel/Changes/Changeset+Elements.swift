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
        fileprivate static let readBytes = 16 << 20

        /// What commits of a log have put somewhere; nil if they are too many or too large to be read, or if one cannot be read.
        ///
        /// - Parameters:
        ///   - scope: its commits do not count.
        ///   - limit: the most versions.
        ///   - known: the commits that were read before, with the same scope. Those that are read are added.
        init?(
            placedBy versions: some BidirectionalCollection<Version>, of source: any CommitSource,
            except scope: HistoryScope? = nil, atMost limit: UInt64, _ known: ReadCommits = ReadCommits()
        ) throws {
            guard versions.count <= limit else { return nil }
            var bytes = 0
            // The newest first. All parts of a step ask for the commits up to the same version, so they share what was read, and together they
            // remember no more than the limits allow.
            for version in versions.reversed() {
                guard let commit = try known.read(version, of: source, except: scope) else { return nil }
                bytes += commit.bytes
                if bytes > Self.readBytes { return nil }
                items.formUnion(commit.placed.items)
                sections.formUnion(commit.placed.sections)
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

    /// What commits have put somewhere, each read once. The parts of a step that others have interrupted ask for the same commits.
    final class ReadCommits {
        private var known: [Version: (placed: Elements, bytes: Int)] = [:]

        /// What a commit has put somewhere (nothing, if it is of `scope` or too large), and the size of its record; nil if it cannot be read.
        fileprivate func read(
            _ version: Version, of source: any CommitSource, except scope: HistoryScope?
        ) throws -> (placed: Elements, bytes: Int)? {
            if let commit = known[version] { return commit }
            // A damaged commit of others does not keep a user from undoing a step.
            guard let commit = try? source.commit(version) else { return nil }
            // With a larger record the caller gives up, so the ids in it are not needed.
            let counts = (scope == nil || commit.scope != scope) && commit.record.count <= Elements.readBytes
            let found = (placed: try Elements(placedBy: counts ? [commit] : []), bytes: commit.record.count)
            known[version] = found
            return found
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
