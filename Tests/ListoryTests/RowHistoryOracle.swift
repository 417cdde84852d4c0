// The specification of the history of rows: reads every commit of a log.

@testable import ListModel
@testable import Listory

/// Reads every commit, and keeps what each did to each row and section.
struct RowHistoryOracle {
    /// The last commit that it has read.
    private var version: Version
    private var touched: [RowOrSection: [(version: Version, kinds: ChangeKinds)]] = [:]
    /// The commits that deleted a row or a section, and did not insert it again.
    private var deletions: Set<Deletion> = []

    private struct Deletion: Hashable {
        var subject: RowOrSection
        var version: Version
    }

    var subjects: some Collection<RowOrSection> { touched.keys }

    init(_ store: UntypedStore) throws {
        version = store.oldestVersion
        try follow(store)
    }

    /// Reads the commits since.
    mutating func follow(_ store: UntypedStore) throws {
        let newest = try store.version
        guard version < newest else { return }
        try store.forEachCommit(in: version.next...newest) { commit in
            var kinds: [RowOrSection: ChangeKinds] = [:]
            for event in try commit.events() {
                RowHistoryOracle.read(event) { subject, kind in
                    kinds[subject, default: []].formUnion(kind)
                    let deletion = Deletion(subject: subject, version: commit.version)
                    if kind.contains(.deleted) { deletions.insert(deletion) }
                    if kind.contains(.inserted) { deletions.remove(deletion) }
                }
            }
            for (subject, kinds) in kinds { touched[subject, default: []].append((commit.version, kinds)) }
        }
        version = newest
    }

    private static func read(_ event: ListEvent, _ note: (RowOrSection, ChangeKinds) -> Void) {
        switch event {
        case .itemsInserted(_, let rows): rows.forEach { note(.row($0.id), .inserted) }
        case .itemsDeleted(_, let rows): rows.forEach { note(.row($0.id), .deleted) }
        case .itemsMoved(_, _, let ids): ids.forEach { note(.row($0), .moved) }
        case .itemToggled(_, let id, _): note(.row(id), .toggled)
        case .itemUpdated(_, let id, _, _): note(.row(id), .updated)
        case .itemsIndented(_, let ids, _): ids.forEach { note(.row($0), .outlined) }
        case .itemCollapsed(_, let id, _): note(.row(id), .outlined)
        case .sectionInserted(_, let section): read(section, .inserted, note)
        case .sectionDeleted(_, let section): read(section, .deleted, note)
        case .sectionMoved(_, _, let id): note(.section(id), .moved)
        case .sectionRenamed(_, let id, _, _): note(.section(id), .updated)
        case .listReloaded(let old, let new):
            let (before, after) = (places(old), places(new))
            for id in Set(before.keys).union(after.keys) {
                switch (before[id], after[id]) {
                case (nil, _?): note(id, .inserted)
                case (_?, nil): note(id, .deleted)
                case (let old?, let new?):
                    // Its place among what stays in the same section.
                    let staying = Set(old.siblings).intersection(new.siblings)
                    let isMoved =
                        old.home != new.home
                        || old.siblings.filter(staying.contains).firstIndex(of: id)
                            != new.siblings.filter(staying.contains).firstIndex(of: id)
                    if isMoved { note(id, .moved) }
                    if old.content != new.content { note(id, .updated) }
                    if old.isChecked != new.isChecked { note(id, .toggled) }
                    if old.outline != new.outline { note(id, .outlined) }
                case (nil, nil): break
                }
            }
        case .annotated, .unrecognised: break
        }
    }

    private static func read(
        _ section: ListSection, _ kinds: ChangeKinds, _ note: (RowOrSection, ChangeKinds) -> Void
    ) {
        note(.section(section.id), kinds)
        section.items.forEach { note(.row($0.id), kinds) }
    }

    private struct Place {
        var home: UntypedID?
        var siblings: [RowOrSection]
        var content: String
        var isChecked = false
        var outline: UInt8 = 0
    }

    private static func places(_ sections: [ListSection]) -> [RowOrSection: Place] {
        var places: [RowOrSection: Place] = [:]
        for section in sections {
            places[.section(section.id)] = Place(
                siblings: sections.map { .section($0.id) }, content: section.title)
            for row in section.items {
                places[.row(row.id)] = Place(
                    home: section.id, siblings: section.items.map { .row($0.id) }, content: "\(row.content.hash)",
                    isChecked: row.isChecked, outline: row.outline)
            }
        }
        return places
    }

    /// The newest first, up to a version.
    func history(
        of subject: RowOrSection, through last: Version = .max
    ) -> [(version: Version, kinds: ChangeKinds)] {
        (touched[subject] ?? []).filter { $0.version <= last }.reversed()
    }

    /// The versions that ``RowBlame/versions`` should have.
    func blame(_ id: UntypedID, through last: Version = .max) -> [Version?] {
        let history = history(of: .row(id), through: last)
        let end = history.firstIndex { $0.kinds.contains(.inserted) }
        let since = history[..<(end ?? history.count)]
        let kinds: [ChangeKinds] = [.updated, .toggled, .outlined, .moved]
        let gone = history.first { !$0.kinds.isDisjoint(with: [.inserted, .deleted]) }?.version
        return [end.map { history[$0].version }]
            + kinds.map { kind in since.first { $0.kinds.contains(kind) }?.version }
            + [gone.flatMap { deletions.contains(Deletion(subject: .row(id), version: $0)) ? $0 : nil }]
    }
}

extension Version {
    static let max = Version(UInt64.max)
}

extension RowBlame {
    /// The versions of its commits.
    var versions: [Version?] { [inserted, updated, toggled, outlined, moved, deleted].map { $0?.version } }
}
