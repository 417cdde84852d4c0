// Edits that are planned before instructions are counted.

import ListModel

/// An edit.
enum Edit {
    case insert(NewRow, ItemDestination)
    case delete(ItemSelection)
    case move(ItemSelection, ItemDestination)
    case toggle(ItemSelection)
    case update(UntypedID, [UInt8])
    case insertSection(NewSection)
    case renameSection(UntypedID, String)
    case moveSection(UntypedID)
    case deleteSection(UntypedID)

    /// The kinds of edits of rows.
    static let rowKinds = ["insert", "delete", "move", "toggle", "update"]
    /// The kinds of edits of sections, in an order in which each kind has the sections that it needs.
    static let sectionKinds = ["insertSection", "renameSection", "moveSection", "deleteSection"]

    @inline(__always)
    func make(_ list: inout UntypedEditor) throws {
        switch self {
        case .insert(let item, let place): try list.insert(item, at: place)
        case .delete(let rows): try list.delete(rows)
        case .move(let rows, let place): try list.move(rows, to: place)
        case .toggle(let rows): try list.toggle(rows)
        case .update(let id, let content): try list.update(id, content: content)
        case .insertSection(let section): try list.insertSection(section)
        case .renameSection(let id, let title): try list.renameSection(.section(id), to: title)
        case .moveSection(let id): try list.moveSection(.section(id), to: .at(0))
        case .deleteSection(let id): try list.deleteSection(.section(id))
        }
    }
}

/// Plans edits of a list whose rows have the ids 0, 1, 2 … in its only section.
struct EditPlan {
    /// The least number of rows of the list.
    let rowCount: Int
    private var scattered = Scattered()
    private var fresh: Int64
    private var freshDeleted: Int64 = 0

    init(rowCount: Int, firstFresh: Int64 = 1 << 40) {
        self.rowCount = rowCount
        fresh = firstFresh
    }

    static let section: UntypedID = "today"

    /// Edits of a kind; edits of rows alternate between index paths and ids.
    mutating func edits(_ kind: String, _ count: Int) -> [Edit] {
        (0..<count).map { index in edit(kind, index, byID: index % 2 == 1) }
    }

    /// Edits of rows without moves, each a commit.
    mutating func mixed(_ count: Int) -> [Edit] {
        let kinds = ["insert", "delete", "toggle", "update"]
        return (0..<count).map { edit(kinds[$0 % kinds.count], $0, byID: $0 % 8 > 3) }
    }

    /// A row of the lower half, in which nothing is deleted, and not of the last quarter, which deletions shorten.
    private mutating func path() -> ListIndexPath {
        ListIndexPath(section: 0, item: rowCount / 2 + scattered.below(rowCount / 4))
    }

    /// A row of the upper half, except its first rows, which are deleted by id.
    private mutating func deletedPath() -> ListIndexPath {
        ListIndexPath(section: 0, item: rowCount / 4 + scattered.below(rowCount / 8))
    }

    /// The id of a row that was in the lower half at first and is still in the list.
    private mutating func id() -> UntypedID { .integer(Int64(rowCount / 2 + scattered.below(rowCount / 2))) }

    private mutating func rows(byID: Bool) -> ItemSelection { byID ? .item(id()) : .at(path()) }

    private mutating func edit(_ kind: String, _ index: Int, byID: Bool) -> Edit {
        switch kind {
        case "insert":
            fresh += 1
            return .insert(EditPlan.item(fresh), byID ? .after(id()) : .at(path()))
        case "delete":
            guard byID else { return .delete(.at(deletedPath())) }
            freshDeleted += 1
            return .delete(.item(.integer(freshDeleted)))
        case "move": return .move(rows(byID: byID), byID ? .before(id()) : .at(path()))
        case "toggle": return .toggle(rows(byID: byID))
        case "update":
            fresh += 1
            return .update(id(), Array(#"{"title":"Bread \#(fresh)"}"#.utf8))
        case "insertSection":
            return .insertSection(NewSection(id: EditPlan.section(index), title: "Later", items: []))
        case "renameSection": return .renameSection(EditPlan.section(index), "Soon")
        case "moveSection": return .moveSection(EditPlan.section(index))
        default: return .deleteSection(EditPlan.section(index))
        }
    }

    private static func section(_ index: Int) -> UntypedID { .string("section \(index)") }

    static func item(_ id: Int64) -> NewRow {
        NewRow(id: .integer(id), content: Array(#"{"title":"A litre of milk \#(id)"}"#.utf8))
    }
}

extension EditPlan {
    /// Calls `body` with each edit of a log: the first tenth inserts rows one by one, the others edit them.
    static func forEachOfLog(_ count: Int, _ body: (Edit) throws -> Void) rethrows {
        let rowCount = max(count / 10, 100)
        var scattered = Scattered()
        for id in 0..<rowCount {
            let path = ListIndexPath(section: 0, item: scattered.below(id + 1))
            try body(.insert(item(Int64(id)), .at(path)))
        }
        var plan = EditPlan(rowCount: rowCount)
        for edit in plan.logged(count - rowCount) { try body(edit) }
    }

    /// Edits by index path, as many insertions as deletions.
    private mutating func logged(_ count: Int) -> [Edit] {
        (0..<count).map { index in
            let place = ListIndexPath(section: 0, item: scattered.below(rowCount))
            switch index % 5 {
            case 0:
                fresh += 1
                return .insert(EditPlan.item(fresh), .at(place))
            case 1: return .delete(.at(place))
            case 2:
                let other = ListIndexPath(section: 0, item: scattered.below(rowCount))
                return .move(.at(place), .at(other))
            default: return .toggle(.at(place))
            }
        }
    }
}
