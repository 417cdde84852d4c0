// What a commit did to a row or a section: by its events, or, if it is packed, by the index of touches.
//
// Always holds: both ways tell the same. The index alone is believed only where no other row can have left a touch in it.

import ListModel

/// What a commit did to a row or a section.
struct RowEffect {
    var kinds: ChangeKinds = []
    /// Whether it was deleted, and did not come back in the same commit.
    var isDeleted = false
}

/// What packed commits did to some rows and sections, as far as the index of touches tells.
///
/// A packed commit does not name the rows that it changes, and finding out which they were takes a replay. The index tells what was done,
/// and to which fingerprint. That is enough if no other row or section with this fingerprint was in the list up to there: it would be among
/// the rows that the log begins with, or a packed commit would have inserted it, which the index tells as well.
struct PackedTouches {
    /// The last version whose commit may be packed; nil if no touch is of a packed commit.
    private let last: Version?
    /// The fingerprints that several rows or sections have.
    private var shared: Set<UInt32> = []

    /// - Parameter touches: all touches of each of the subjects, the newest first.
    /// - Complexity: O(log n) for each subject and each row of its fingerprint; and reading the ids of the blocks in which rows with such a
    ///   fingerprint came into the list. The first time of a store, O(n log n) for n rows of the oldest version.
    init(_ subjects: [RowOrSection], _ touches: [[Touch]], in store: UntypedStore) throws {
        let packed = try store.group.log.packed.lastPacked()
        guard touches.contains(where: { $0.last.map { $0.version <= packed } ?? false }) else {
            last = nil
            return
        }
        last = packed
        var known: [UInt32: RowOrSection] = [:]
        var shared: Set<UInt32> = []
        func note(_ subject: RowOrSection) {
            if let other = known[subject.fingerprint], other != subject { shared.insert(subject.fingerprint) }
        }
        for subject in subjects {
            note(subject)
            known[subject.fingerprint] = subject
        }
        if store.oldestVersion > .empty {
            for subject in try store.oldestSubjects(of: known.keys) { note(subject) }
        }
        let inserted = Set(
            touches.joined().filter { $0.version <= packed && $0.kinds.contains(.inserted) }.map(\.version))
        let records = try store.group.past.forEachPackedIdentifier(around: inserted.sorted()) { id in
            note(.row(id))
            note(.section(id))
        }
        for version in records {
            try store.group.commit(version).forEachTouch { if $1.contains(.inserted) { note($0) } }
        }
        self.shared = shared
    }

    /// The packed commit of a touch, which did what the touch says; nil if that can only be told from its events, or if it is not
    /// packed.
    func commit(of touch: Touch, on subject: RowOrSection, in store: UntypedStore) throws -> CommitInfo? {
        guard let last, touch.version <= last, !shared.contains(subject.fingerprint) else { return nil }
        return try store.group.past.packedHeaders(of: touch.version)?.info(touch.version)
    }
}

/// Some rows and sections to look for among the many of a large commit.
struct WantedSubjects {
    private let subjects: Set<RowOrSection>
    /// Which fingerprints they have, by their last bits. This rules out most others sooner than the set does.
    private var slots = [Bool](repeating: false, count: 4_096)

    init(_ subjects: [RowOrSection]) {
        self.subjects = Set(subjects)
        for subject in subjects { slots[slot(of: subject)] = true }
    }

    func contains(_ subject: RowOrSection) -> Bool { slots[slot(of: subject)] && subjects.contains(subject) }

    private func slot(of subject: RowOrSection) -> Int {
        Int(truncatingIfNeeded: subject.fingerprint) & (slots.count - 1)
    }
}

extension Commit {
    /// How it changed a row or a section.
    func changes(of subject: RowOrSection) throws -> ChangeKinds {
        var found: ChangeKinds = []
        try forEachTouch { touched, kinds in if touched == subject { found.formUnion(kinds) } }
        return found
    }

    /// What it did to some rows and sections.
    func effects(on subjects: WantedSubjects) throws -> [RowOrSection: RowEffect] {
        var found: [RowOrSection: RowEffect] = [:]
        try forEachTouch { subject, kinds in
            guard subjects.contains(subject) else { return }
            found[subject, default: RowEffect()].kinds.formUnion(kinds)
            if kinds.contains(.deleted) { found[subject]?.isDeleted = true }
            if kinds.contains(.inserted) { found[subject]?.isDeleted = false }
        }
        return found
    }
}
