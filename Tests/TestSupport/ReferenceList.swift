// The specification of every edit, in arrays: slow, short and obviously right. Tests compare the library with it.

import ListModel

/// A row of a reference list.
public struct ReferenceItem: Hashable, Sendable {
    public var id: UntypedID
    public var isChecked: Bool
    public var content: [UInt8]
    public var depth: Int
    public var isCollapsed: Bool

    public init(_ item: NewRow) {
        (id, isChecked, content) = (item.id, item.isChecked, item.content)
        (depth, isCollapsed) = (item.depth, item.isCollapsed)
    }

    public init(id: UntypedID, isChecked: Bool, content: [UInt8], depth: Int = 0, isCollapsed: Bool = false) {
        (self.id, self.isChecked, self.content) = (id, isChecked, content)
        (self.depth, self.isCollapsed) = (depth, isCollapsed)
    }
}

/// A section of a reference list.
public struct ReferenceSection: Hashable, Sendable {
    public var id: UntypedID
    public var title: String
    public var items: [ReferenceItem]

    public init(id: UntypedID, title: String, items: [ReferenceItem]) {
        (self.id, self.title, self.items) = (id, title, items)
    }
}

/// A list in arrays. Every edit is checked completely before anything changes.
public struct ReferenceList: Hashable, Sendable {
    public var sections: [ReferenceSection] = []

    public init() {}

    /// The rows of a snapshot, with their content read from a source.
    public init(_ snapshot: UntypedSnapshot, _ source: some CommitSource) throws {
        sections = try snapshot.sections.map { section in
            ReferenceSection(
                id: section.id, title: section.title,
                items: try section.items.map {
                    ReferenceItem(
                        id: $0.id, isChecked: $0.isChecked, content: try source.content(of: $0.content),
                        depth: $0.depth, isCollapsed: $0.isCollapsed)
                })
        }
    }

    public var itemCount: Int { sections.reduce(0) { $0 + $1.items.count } }

    public var paths: [ListIndexPath] {
        sections.indices.flatMap { section in
            sections[section].items.indices.map { ListIndexPath(section: section, item: $0) }
        }
    }

    public func item(at path: ListIndexPath) -> ReferenceItem { sections[path.section].items[path.item] }

    public func path(of id: UntypedID) -> ListIndexPath? { paths.first { item(at: $0).id == id } }

    public func indexOfSection(_ id: UntypedID) -> Int? { sections.firstIndex { $0.id == id } }
}

// MARK: - Edits

extension ReferenceList {
    /// Makes an edit as the editor should.
    ///
    /// - Throws: ``ListError`` when the editor should.
    public mutating func apply(_ operation: EditOperation) throws {
        switch operation {
        case .insert(let items, let destination): try insert(items, destination)
        case .delete(let selection):
            for path in try resolve(selection).reversed() { sections[path.section].items.remove(at: path.item) }
        case .move(let selection, let destination): try move(selection, destination)
        case .toggle(let selection):
            for path in try resolve(selection) { sections[path.section].items[path.item].isChecked.toggle() }
        case .setChecked(let isChecked, let selection):
            for path in try resolve(selection) { sections[path.section].items[path.item].isChecked = isChecked }
        case .update(let id, let content):
            guard let path = self.path(of: id) else { throw ListError.unknownItem(id) }
            sections[path.section].items[path.item].content = content
        case .reload(let sections): try reload(sections)
        case .insertSection(let section, let destination):
            let index = try resolve(destination, moving: nil)
            try checkDepths(section.items)
            if indexOfSection(section.id) != nil { throw ListError.duplicateSection(section.id) }
            try checkNew(section.items)
            sections.insert(ReferenceList.section(section), at: index)
        case .deleteSection(let selection): sections.remove(at: try resolve(selection))
        case .moveSection(let selection, let destination):
            let source = try resolve(selection)
            let target = try resolve(destination, moving: source)
            sections.insert(sections.remove(at: source), at: target)
        case .renameSection(let selection, let title): sections[try resolve(selection)].title = title
        case .insertInOutline(let items, let destination): try insert(items, destination)
        case .moveSubtree(let id, let destination): try moveSubtree(id, destination)
        case .deleteSubtrees(let ids): try deleteSubtrees(ids)
        case .indent(let id): try indent(id)
        case .outdent(let id): try outdent(id)
        case .changeDepth(let selection, let change): try changeDepth(resolve(selection), change)
        case .setCollapsed(let isCollapsed, let id, let recursively):
            try setCollapsed(isCollapsed, for: id, recursively: recursively)
        }
    }

    private mutating func insert(_ items: [NewRow], _ destination: ItemDestination) throws {
        if items.isEmpty { return }
        let path = try resolve(destination)
        try checkDepths(items)
        try checkNew(items)
        sections[path.section].items.insert(contentsOf: items.map { ReferenceItem($0) }, at: path.item)
    }

    private mutating func move(_ selection: ItemSelection, _ destination: ItemDestination) throws {
        let paths = try resolve(selection)
        var rest = self
        var moved: [ReferenceItem] = []
        for path in paths { moved.append(item(at: path)) }
        for path in paths.reversed() { rest.sections[path.section].items.remove(at: path.item) }
        switch destination {
        case .before(let id), .after(let id):
            if moved.contains(where: { $0.id == id }) { throw ListError.movedOntoItself(id) }
        default: break
        }
        let target = try rest.resolve(destination)
        rest.sections[target.section].items.insert(contentsOf: moved, at: target.item)
        self = rest
    }

    private mutating func reload(_ sections: [NewSection]) throws {
        try checkDepths(sections.flatMap(\.items))
        var ids = Set<UntypedID>()
        var itemIDs = Set<UntypedID>()
        for section in sections {
            if !ids.insert(section.id).inserted { throw ListError.duplicateSection(section.id) }
            for item in section.items where !itemIDs.insert(item.id).inserted {
                throw ListError.duplicateItem(item.id)
            }
        }
        self.sections = sections.map(ReferenceList.section)
    }

    private static func section(_ section: NewSection) -> ReferenceSection {
        ReferenceSection(id: section.id, title: section.title, items: section.items.map { ReferenceItem($0) })
    }
}

// MARK: - Resolving

extension ReferenceList {
    /// Checks that the depths of rows are in range.
    func checkDepths(_ items: [NewRow]) throws {
        for item in items where item.depth < 0 || item.depth > 63 {
            throw ListError.depthOutOfRange(item.id, depth: item.depth)
        }
    }

    func checkNew(_ items: [NewRow]) throws {
        var ids = Set<UntypedID>()
        for item in items where path(of: item.id) != nil { throw ListError.duplicateItem(item.id) }
        for item in items where !ids.insert(item.id).inserted { throw ListError.duplicateItem(item.id) }
    }

    private func check(_ path: ListIndexPath, spare: Int) throws {
        guard sections.indices.contains(path.section) else {
            throw ListError.sectionIndexOutOfRange(path.section, valid: sections.indices)
        }
        let valid = 0..<sections[path.section].items.count + spare
        guard valid.contains(path.item) else { throw ListError.itemIndexOutOfRange(path, valid: valid) }
    }

    func resolve(_ selection: ItemSelection) throws -> [ListIndexPath] {
        switch selection {
        case .item(let id):
            guard let path = self.path(of: id) else { throw ListError.unknownItem(id) }
            return [path]
        case .items(let ids):
            return try Set(ids).map { id in
                guard let path = self.path(of: id) else { throw ListError.unknownItem(id) }
                return path
            }.sorted()
        case .at(let path):
            try check(path, spare: 0)
            return [path]
        case .run(let path, let count):
            let run = (0..<max(0, count)).map { ListIndexPath(section: path.section, item: path.item + $0) }
            if let first = run.first, let last = run.last {
                try check(first, spare: 0)
                try check(last, spare: 0)
            }
            return run
        }
    }

    private func resolve(_ destination: ItemDestination) throws -> ListIndexPath {
        func section(_ id: UntypedID) throws -> Int {
            guard let index = indexOfSection(id) else { throw ListError.unknownSection(id) }
            return index
        }
        func anchor(_ id: UntypedID) throws -> ListIndexPath {
            guard let path = self.path(of: id) else { throw ListError.unknownItem(id) }
            return path
        }
        let path: ListIndexPath
        switch destination {
        case .at(let given): path = given
        case .section(let id, let index): path = ListIndexPath(section: try section(id), item: index)
        case .end(let id):
            let index = try section(id)
            path = ListIndexPath(section: index, item: sections[index].items.count)
        case .before(let id): path = try anchor(id)
        case .after(let id):
            let found = try anchor(id)
            path = ListIndexPath(section: found.section, item: found.item + 1)
        }
        try check(path, spare: 1)
        return path
    }

    private func resolve(_ selection: SectionSelection) throws -> Int {
        switch selection {
        case .section(let id):
            guard let index = indexOfSection(id) else { throw ListError.unknownSection(id) }
            return index
        case .at(let index):
            guard sections.indices.contains(index) else {
                throw ListError.sectionIndexOutOfRange(index, valid: sections.indices)
            }
            return index
        }
    }

    private func resolve(_ destination: SectionDestination, moving moved: Int?) throws -> Int {
        var rest = sections.map(\.id)
        let movedID = moved.map { rest.remove(at: $0) }
        func index(of id: UntypedID) throws -> Int {
            if id == movedID { throw ListError.movedOntoItself(id) }
            guard let index = rest.firstIndex(of: id) else { throw ListError.unknownSection(id) }
            return index
        }
        switch destination {
        case .end: return rest.count
        case .before(let id): return try index(of: id)
        case .after(let id): return try index(of: id) + 1
        case .at(let index):
            guard index >= 0 && index <= rest.count else {
                throw ListError.sectionIndexOutOfRange(index, valid: 0..<rest.count + 1)
            }
            return index
        }
    }
}
