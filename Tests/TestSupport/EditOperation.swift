// An edit as a value, so that the editor and the reference can make the same edit, and a failure can print it.

import ListModel

/// An edit of a list.
public enum EditOperation: Hashable, Sendable {
    case insert([NewRow], ItemDestination)
    case delete(ItemSelection)
    case move(ItemSelection, ItemDestination)
    case toggle(ItemSelection)
    case setChecked(Bool, for: ItemSelection)
    case update(UntypedID, [UInt8])
    case reload([NewSection])
    case insertSection(NewSection, SectionDestination)
    case deleteSection(SectionSelection)
    case moveSection(SectionSelection, SectionDestination)
    case renameSection(SectionSelection, String)
    case insertInOutline([NewRow], OutlineDestination)
    case moveSubtree(UntypedID, OutlineDestination)
    case deleteSubtrees([UntypedID])
    case indent(UntypedID)
    case outdent(UntypedID)
    case changeDepth(ItemSelection, by: Int)
    case setCollapsed(Bool, for: UntypedID, recursively: Bool)
}

extension UntypedEditor {
    /// Makes an edit.
    public mutating func apply(_ operation: EditOperation) throws {
        switch operation {
        case .insert(let items, let destination): try insert(items, at: destination)
        case .delete(let selection): try delete(selection)
        case .move(let selection, let destination): try move(selection, to: destination)
        case .toggle(let selection): try toggle(selection)
        case .setChecked(let isChecked, let selection): try setChecked(isChecked, for: selection)
        case .update(let id, let content): try update(id, content: content)
        case .reload(let sections): try reload(sections)
        case .insertSection(let section, let destination): try insertSection(section, at: destination)
        case .deleteSection(let selection): try deleteSection(selection)
        case .moveSection(let selection, let destination): try moveSection(selection, to: destination)
        case .renameSection(let selection, let title): try renameSection(selection, to: title)
        case .insertInOutline(let items, let destination): try insert(items, in: destination)
        case .moveSubtree(let id, let destination): try moveSubtree(id, to: destination)
        case .deleteSubtrees(let ids): try deleteSubtrees(ids)
        case .indent(let id): try indent(id)
        case .outdent(let id): try outdent(id)
        case .changeDepth(let selection, let change): try changeDepth(of: selection, by: change)
        case .setCollapsed(let isCollapsed, let id, let recursively):
            try setCollapsed(isCollapsed, for: id, recursively: recursively)
        }
    }
}

/// Makes random edits, most of them valid, for a list that grows to about a given size.
public struct RandomEdits {
    public var generator: SeededGenerator
    private let targetCount: Int
    private let maximumSections: Int
    /// Whether all rows stay at depth 0, expanded, as in a list that is no outline.
    private let isFlat: Bool
    /// Whether new rows have ids of all kinds, or only integers, as those of an app's type.
    private let mixesKinds: Bool
    private var nextID: Int64 = 0

    public init(seed: UInt64, targetCount: Int = 60, maximumSections: Int = 6, mixesKinds: Bool = true) {
        isFlat = seed % 4 == 0
        generator = SeededGenerator(seed: seed)
        self.targetCount = targetCount
        self.maximumSections = maximumSections
        self.mixesKinds = mixesKinds
    }

    /// The next edit of a list.
    public mutating func next(_ list: ReferenceList) -> EditOperation {
        if list.sections.isEmpty || (list.sections.count < maximumSections && generator.oneIn(30)) {
            return .insertSection(newSection(rows: 0...4), sectionDestination(list))
        }
        let isCrowded = list.itemCount > targetCount
        if !isFlat, generator.oneIn(3) { return outlineEdit(list, isCrowded: isCrowded) }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<(isCrowded ? 20 : 34): return .insert(newItems(list), itemDestination(list))
        case ..<(isCrowded ? 48 : 44): return .delete(itemSelection(list))
        case ..<68: return .move(itemSelection(list), itemDestination(list))
        case ..<78: return .toggle(itemSelection(list))
        case ..<81: return .setChecked(Bool.random(using: &generator), for: itemSelection(list))
        case ..<92: return .update(itemID(list), content())
        case ..<94: return .moveSection(sectionSelection(list), sectionDestination(list))
        case ..<96: return .renameSection(sectionSelection(list), "title \(Int.random(in: 0..<4, using: &generator))")
        case ..<98: return .deleteSection(sectionSelection(list))
        case 98 where generator.oneIn(4): return .reload(reloaded(list))
        default: return .insertSection(newSection(rows: 0...2), sectionDestination(list))
        }
    }

    // MARK: New things

    private mutating func freshID() -> UntypedID {
        nextID += 1
        switch nextID % 8 {
        case 6 where mixesKinds: return .string("item \(nextID)")
        case 7 where mixesKinds: return .string("a longer identifier that is stored out of line, \(nextID)")
        default: return .integer(nextID)
        }
    }

    private mutating func content() -> [UInt8] {
        // Few different contents, so that updates sometimes change nothing.
        Array(repeating: UInt8.random(in: 65...70, using: &generator), count: Int.random(in: 0...3, using: &generator))
    }

    private mutating func newItem() -> NewRow {
        var item = NewRow(id: freshID(), isChecked: generator.oneIn(4), content: content())
        if isFlat { return item }
        if generator.oneIn(2) { item.depth = Int.random(in: 0...4, using: &generator) }
        if generator.oneIn(60) { item.depth = [-1, 62, 63, 64].randomElement(using: &generator)! }
        item.isCollapsed = generator.oneIn(5)
        return item
    }

    private mutating func newItems(_ list: ReferenceList) -> [NewRow] {
        let count = generator.oneIn(3) ? Int.random(in: 0...7, using: &generator) : 1
        var items = (0..<count).map { _ in newItem() }
        // Rarely an id that exists already.
        if !items.isEmpty, generator.oneIn(40) { items[items.count - 1].id = itemID(list) }
        return items
    }

    private mutating func newSection(rows: ClosedRange<Int>) -> NewSection {
        let count = Int.random(in: rows, using: &generator)
        return NewSection(
            id: .string("section \(Int.random(in: 0..<12, using: &generator))"), title: "new",
            items: (0..<count).map { _ in newItem() })
    }

    /// Some of the old rows, shuffled, and some new ones.
    private mutating func reloaded(_ list: ReferenceList) -> [NewSection] {
        var items = list.paths.map { path in
            let item = list.item(at: path)
            return NewRow(
                id: item.id, isChecked: item.isChecked, content: item.content, depth: item.depth,
                isCollapsed: item.isCollapsed)
        }
        if generator.oneIn(2) { items.shuffle(using: &generator) }
        items.removeLast(min(items.count, Int.random(in: 0...5, using: &generator)))
        if generator.oneIn(2) { items.append(newItem()) }
        var sections = (0..<Int.random(in: 1...4, using: &generator)).map { NewSection(id: .string("section \($0)")) }
        for (index, item) in items.enumerated() { sections[index * sections.count / items.count].items.append(item) }
        return sections
    }

    // MARK: Outlines

    private mutating func outlineEdit(_ list: ReferenceList, isCrowded: Bool) -> EditOperation {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<(isCrowded ? 2 : 4): return .insertInOutline(newItems(list), outlineDestination(list))
        case ..<9: return .moveSubtree(itemID(list), outlineDestination(list))
        case ..<(isCrowded ? 11 : 10):
            return .deleteSubtrees((0..<Int.random(in: 0...2, using: &generator)).map { _ in itemID(list) })
        case ..<13: return .indent(itemID(list))
        case ..<15: return .outdent(itemID(list))
        case ..<17: return .changeDepth(itemSelection(list), by: Int.random(in: -2...2, using: &generator))
        default:
            return .setCollapsed(Bool.random(using: &generator), for: itemID(list), recursively: generator.oneIn(3))
        }
    }

    private mutating func outlineDestination(_ list: ReferenceList) -> OutlineDestination {
        switch Int.random(in: 0..<9, using: &generator) {
        case 0:
            let section = list.sections.randomElement(using: &generator)!
            return .root(ofSection: generator.oneIn(20) ? "nowhere" : section.id)
        case 1...2: return .before(itemID(list))
        case 3...4: return .after(itemID(list))
        case 5...6: return .firstChild(of: itemID(list))
        default: return .lastChild(of: itemID(list))
        }
    }

    // MARK: Selections and destinations

    private mutating func itemID(_ list: ReferenceList) -> UntypedID {
        if generator.oneIn(60) { return .integer(-1) }
        return list.paths.randomElement(using: &generator).map { list.item(at: $0).id } ?? .integer(-1)
    }

    private mutating func path(_ list: ReferenceList, spare: Int) -> ListIndexPath {
        let section =
            generator.oneIn(60) ? list.sections.count : list.sections.indices.randomElement(using: &generator)!
        let count = section < list.sections.count ? list.sections[section].items.count : 0
        let item = generator.oneIn(60) ? -1 : Int.random(in: 0...max(0, count + spare - 1), using: &generator)
        return ListIndexPath(section: section, item: item)
    }

    private mutating func itemSelection(_ list: ReferenceList) -> ItemSelection {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0...2: return .item(itemID(list))
        case 3...4: return .at(path(list, spare: 0))
        case 5: return .items((0..<Int.random(in: 0...6, using: &generator)).map { _ in itemID(list) })
        default:
            var path = path(list, spare: 0)
            path.item /= 2
            return .run(path, count: Int.random(in: 0...6, using: &generator))
        }
    }

    private mutating func itemDestination(_ list: ReferenceList) -> ItemDestination {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0...1: return .at(path(list, spare: 1))
        case 2:
            let path = path(list, spare: 1)
            guard path.section < list.sections.count else { return .section("nowhere", at: 0) }
            return .section(list.sections[path.section].id, at: path.item)
        case 3: return .before(itemID(list))
        case 4: return .after(itemID(list))
        default: return .end(ofSection: list.sections.randomElement(using: &generator)!.id)
        }
    }

    private mutating func sectionSelection(_ list: ReferenceList) -> SectionSelection {
        if generator.oneIn(30) { return .section("nowhere") }
        let index = list.sections.indices.randomElement(using: &generator)!
        return Bool.random(using: &generator) ? .at(index) : .section(list.sections[index].id)
    }

    private mutating func sectionDestination(_ list: ReferenceList) -> SectionDestination {
        guard let anchor = list.sections.randomElement(using: &generator)?.id else { return .end }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return .end
        case 1: return .before(anchor)
        case 2: return .after(anchor)
        default: return .at(Int.random(in: 0...list.sections.count, using: &generator))
        }
    }
}
