// Compares what a schedule has left with what its processes have written down.

import LMDB
import ListModel
import Listory
import Scheduler

struct Check {
    private let session: Session
    private let notes: [schedule_note]
    private(set) var problems: [String] = []

    init(_ session: Session, _ notes: [schedule_note]) { (self.session, self.notes) = (session, notes) }

    mutating func run() {
        switch session.work {
        case .threads, .waiting, .opening, .processes, .neighbours:
            do { try checkStore() } catch { problems.append("what is left: \(error)") }
        case .race, .lockedRace:
            let expected: UInt8 = session.work == .race ? 6 : 12
            let found = Files.contents(session.path)?.first ?? 0
            if found != expected { problems.append("\(found) instead of \(expected)") }
        case .deadlock: break
        }
    }

    private mutating func checkStore() throws {
        let acknowledged = notes.filter { $0.kind == Note.acknowledged.rawValue }
        var options = StoreOptions()
        options.journal.size = (8 << 10) - 16
        // A process that creates a store may have been killed before.
        let store: UntypedStore
        do { store = try UntypedStore.open(at: session.path, options: options) } catch {
            guard session.work == .opening, acknowledged.isEmpty else { throw error }
            store = try UntypedStore.openOrCreate(at: session.path, options: options)
        }
        if let lost = store.recovery.lostVersion { problems.append("version \(lost) is said to be lost") }
        if store.recovery.wasRebuilt { problems.append("the newest checkpoint cannot be used") }
        let newest = try store.version
        for note in acknowledged {
            let version = Version(note.first)
            if version > newest {
                problems.append("commit \(version) was acknowledged to process \(note.process) and is lost")
            } else if try store.commit(version).checksum != note.second {
                problems.append("commit \(version) was acknowledged to process \(note.process) and is another one now")
            }
        }
        for note in notes where note.kind == Note.shown.rawValue && note.first > 0 {
            let version = Version(note.first)
            if version > newest {
                problems.append("version \(version) was shown as durable and is lost")
            } else if try store.commit(version).stateHash.rawValue != note.second {
                problems.append("version \(version) was shown with other rows")
            }
        }
        // An opening finds what was acknowledged before it began.
        for note in notes where note.kind == Note.opened.rawValue {
            let before = acknowledged.filter { $0.step < note.first }.map(\.first).max() ?? 0
            if note.second < before {
                problems.append(
                    "process \(note.process) opened version \(note.second) after \(before) was acknowledged")
            }
        }
        let agreed = Set(
            notes.filter { $0.kind == Note.agreed.rawValue }.map { "version \($0.first), hash \($0.second)" })
        if agreed.count > 1 { problems.append("processes show different rows: \(agreed.sorted())") }
        // Each commit has inserted a row and checked it.
        for section in try store.snapshot.sections
        where session.work != .neighbours && section.items.contains(where: { !$0.isChecked }) {
            problems.append("a commit is partial")
        }
        try store.edit("After") { list in
            if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: "rows", title: "Rows")) }
            try list.insert(NewRow(id: "after", content: []), at: .end(ofSection: "rows"))
        }
        try store.checkpoint()
        try store.close()
        _ = try StoreVerification(path: session.path)
    }

}
