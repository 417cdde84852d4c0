// The stores that are damaged, and all that they have: the rows of every version, and where each commit lies.

import Foundation
import LMDB
import ListModel
import Listory
import TestSupport

/// The rows of a version, with their contents.
struct Rows: Equatable {
    struct Item: Equatable {
        var id: UntypedID
        var isChecked: Bool
        /// Nil if it is known to be lost.
        var content: [UInt8]?
    }

    struct Section: Equatable {
        var id: UntypedID
        var title: String
        var items: [Item]
    }

    var sections: [Section] = []

    init() {}

    /// Reads the rows of a snapshot; throws if one cannot be read.
    init(_ snapshot: UntypedSnapshot, _ store: UntypedStore) throws {
        let source = store.source
        // Instead of a damaged node there are rows and sections that say that they are unreadable.
        sections = try snapshot.checked {
            try snapshot.sections.map { section in
                let items = try section.items.map { item in
                    Item(id: item.id, isChecked: item.isChecked, content: try source.content(of: item.content))
                }
                return Section(id: section.id, title: section.title, items: items)
            }
        }
    }

    /// Reads the rows of a snapshot; a content that cannot be read is nil.
    init(_ snapshot: UntypedSnapshot, _ store: UntypedStore, lost: Void) {
        let source = store.source
        for section in snapshot.sections {
            let items = section.items.map { item in
                Item(id: item.id, isChecked: item.isChecked, content: try? source.content(of: item.content))
            }
            sections.append(Section(id: section.id, title: section.title, items: items))
        }
    }

    /// Whether both have the same rows, except for contents that are lost.
    func isSame(as other: Rows) -> Bool {
        var found = self
        guard sections.count == other.sections.count else { return false }
        for (index, section) in other.sections.enumerated() {
            guard section.items.count == found.sections[index].items.count else { return false }
            for place in section.items.indices where found.sections[index].items[place].content == nil {
                found.sections[index].items[place].content = section.items[place].content
            }
        }
        return found == other
    }
}

/// A store without damage.
struct SoundStore {
    enum Kind: CaseIterable {
        /// Closed, with several checkpoints, branches and large contents.
        case closed
        /// As a killed process leaves it: some commits are only in the journal.
        case killed
        /// Compacted: the log begins later, and has packed blocks.
        case compacted
    }

    static let pageSize = 4096

    let kind: Kind
    let bytes: [UInt8]
    let oldest: Version
    let newest: Version
    /// By version, from version 0 on.
    private(set) var rows: [Rows] = []
    private(set) var hashes: [StateHash] = []
    private(set) var checksums: [UInt64] = []
    /// The contents that each row ever had.
    private(set) var contents: [UntypedID: Set<[UInt8]>] = [:]
    /// The pages of each commit.
    private var pages: [UInt64: Set<Int>] = [:]
    /// The pages of the contents of dropped commits.
    private var droppedPages: [[UInt8]: Set<Int>] = [:]
    private var journalPages: Set<Int> = []
    /// The pages with nodes and checkpoints, and those of the leaves that have a row of the newest version.
    private var nodePages: Set<Int> = []
    private var leafPages: [UntypedID: [Set<Int>]] = [:]
    /// The rows of the newest version, and where their contents lie.
    private var newestItems: [(id: UntypedID, reference: ContentReference, content: [UInt8])] = []

    static var options: StoreOptions {
        var options = StoreOptions()
        options.checkpoints.isBackground = false
        options.checkpoints.nodeWeight = 0
        options.checkpoints.interval = 40
        options.checkpoints.maximumSpacing = 60
        options.journal.size = 3 * pageSize - JournalOptions.pageHeaderSize
        options.journal.storeDelay = .seconds(3_600)
        options.limits = TreeLimits(leafCapacity: 8, innerCapacity: 8)
        options.coalescing = .never
        options.now = { Timestamp(microseconds: 1) }
        return options
    }

    init(_ kind: Kind, in folder: String) throws {
        self.kind = kind
        let path = folder + "/sound-\(kind)"
        for end in ["", "-lock", "-copy", "-copy-lock"] { try? FileManager.default.removeItem(atPath: path + end) }
        let store = try UntypedStore.create(at: path, options: SoundStore.options)
        try SoundStore.fill(store)
        var read = path
        if kind == .killed {
            read = path + "-copy"
            try Data(contentsOf: URL(fileURLWithPath: path)).write(to: URL(fileURLWithPath: read))
        }
        try store.close()
        if kind == .compacted {
            var compaction = Compaction(keeping: .from(Version(8)))
            compaction.unpackedCount = 10
            compaction.checkpointSpacing = 15
            try UntypedStore.compact(at: path, compaction, options: SoundStore.options)
        }
        bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: read)))
        var options = SoundStore.options
        options.isReadOnly = true
        let sound = try UntypedStore.open(at: read, options: options)
        (oldest, newest) = (sound.oldestVersion, try sound.version)
        for number in 0...newest.rawValue {
            guard number >= oldest.rawValue else {
                rows.append(Rows())
                hashes.append(StateHash(rawValue: 0))
                checksums.append(0)
                continue
            }
            let snapshot = try sound.snapshot(at: Version(number))
            rows.append(try Rows(snapshot, sound))
            hashes.append(snapshot.stateHash)
            checksums.append(number > oldest.rawValue ? try sound.commit(Version(number)).checksum : 0)
            for section in rows[rows.count - 1].sections {
                for item in section.items { contents[item.id, default: []].insert(item.content ?? []) }
            }
        }
        for section in try sound.snapshot.sections {
            for item in section.items {
                newestItems.append((item.id, item.content, try sound.source.content(of: item.content)))
            }
        }
        try sound.close()
        try findPages(read)
    }

    /// Makes rows, large contents, edits of all kinds, undos and a branch.
    private static func fill(_ store: UntypedStore) throws {
        func content(_ number: Int, _ round: Int) -> [UInt8] {
            let count = number % 40 == 7 ? 5_000 : number % 3 == 0 ? 4 : 60
            return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number &+ round &* 31) }
        }
        try store.edit("sections") { list in
            try list.insertSection(NewSection(id: "first", title: "First"))
            try list.insertSection(NewSection(id: "second", title: "Second"))
        }
        var next = 0
        for round in 0..<7 {
            try store.edit("insert", durability: .deferred) { list in
                for _ in 0..<4 {
                    let item = NewRow(id: .integer(Int64(next)), content: content(next, 0))
                    try list.insert(item, at: .end(ofSection: next % 5 == 0 ? "second" : "first"))
                    next += 1
                }
            }
            try store.edit("toggle", durability: .deferred) {
                try $0.toggle(.item(.integer(Int64(next - 1 - round % 4))))
            }
            try store.edit("update", durability: .deferred) { list in
                try list.update(.integer(Int64(next - 2)), content: content(next - 2, round))
            }
            if round % 3 == 1 {
                try store.edit("delete", durability: .deferred) { try $0.delete(.item(.integer(Int64(next - 4)))) }
            }
            if round % 7 == 5 {
                try store.undo(2)
                try store.edit("move", durability: .deferred) { list in
                    try list.move(.item(.integer(Int64(next - 5))), to: .end(ofSection: "second"))
                }
            }
            if round % 8 == 6 { try store.undo() }
            if round % 8 == 7, try store.history.redoCount > 0 { try store.redo() }
        }
        try store.waitUntilDurable()
    }

    private mutating func findPages(_ path: String) throws {
        var journal: Set<Int> = []
        var found: [UInt64: Set<Int>] = [:]
        var dropped: [[UInt8]: Set<Int>] = [:]
        var nodes: Set<Int> = []
        let values = StoredNodes()
        let references = Dictionary(uniqueKeysWithValues: newestItems.map { ($0.id, $0.reference) })
        let newest = newest.rawValue
        try DataFile.scan(path) { scan in
            try scan.forEachEntry { entry in
                var pages: Set<Int> = [entry.page]
                let end = max(entry.value.offset + 1, entry.value.offset + entry.value.count)
                pages.formUnion(entry.value.offset / scan.pageSize...(end - 1) / scan.pageSize)
                let number = entry.key.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
                switch String(decoding: entry.database ?? [], as: UTF8.self) {
                case "commits": found[number] = pages
                case "blocks":
                    let bytes = try scan.bytes(at: entry.value)
                    let block = try bytes.withUnsafeBytes { try PackedBlock($0).last }
                    for version in number...block.rawValue { found[version] = pages }
                case "checkpoints": nodes.formUnion(pages)
                case "nodes":
                    nodes.formUnion(pages)
                    let bytes = try scan.bytes(at: entry.value)
                    bytes.withUnsafeBytes { bytes in
                        for node in number...NodeRun.lastNumber((number, bytes)) {
                            values.all[node] = NodeRun.node(node, in: (number, bytes)).map { (pages, Array($0)) }
                        }
                    }
                case "contents": dropped[entry.key] = pages
                case "tail": journal = pages
                default: break
                }
            }
        }
        var leaves: [UntypedID: [Set<Int>]] = [:]
        for number in values.all.keys {
            values.read = []
            // Other nodes, and chunks, have no rows.
            guard let rows = try? StoredValue.rows(ofLeaf: number, in: values) else { continue }
            for row in rows where references[row.id] == row.content { leaves[row.id, default: []].append(values.read) }
        }
        for version in oldest.rawValue + 1..<newest + 1 where found[version] == nil { found[version] = journal }
        (pages, droppedPages, journalPages) = (found, dropped, journal)
        (nodePages, leafPages) = (nodes, leaves)
    }
}

// MARK: - What damage hits

extension SoundStore {
    /// The pages that are not those of the sound store.
    func pagesHit(in image: [UInt8]) -> Set<Int> {
        var hit: Set<Int> = []
        let size = SoundStore.pageSize
        for page in 0..<bytes.count / size {
            let end = min((page + 1) * size, image.count)
            let isSame =
                end == (page + 1) * size
                && bytes.withUnsafeBytes { sound in
                    image.withUnsafeBytes {
                        memcmp(sound.baseAddress! + page * size, $0.baseAddress! + page * size, size)
                    }
                } == 0
            if !isSame { hit.insert(page) }
        }
        return hit
    }

    /// Whether damage may have taken the end of the log: the entries of the journal.
    func isJournalHit(_ hit: Set<Int>) -> Bool { !journalPages.isDisjoint(with: hit) }

    /// The commits none of whose pages was hit. Those of a compacted log need the rows of a checkpoint as well.
    func undamagedCommits(_ hit: Set<Int>) -> [UInt64] {
        if kind == .compacted && !nodePages.isDisjoint(with: hit) { return [] }
        return pages.filter { $0.key <= newest.rawValue && $0.value.isDisjoint(with: hit) }.map(\.key)
    }

    /// The newest rows whose contents were not hit. In a compacted store, only a checkpoint may have them.
    func undamagedRows(_ hit: Set<Int>) -> [UntypedID: [UInt8]] {
        var found: [UntypedID: [UInt8]] = [:]
        for (id, reference, content) in newestItems {
            let version = reference.version.rawValue
            let key =
                withUnsafeBytes(of: version.bigEndian) { Array($0) }
                + withUnsafeBytes(of: reference.offset.bigEndian) { Array($0) }
            let pages = version > oldest.rawValue ? pages[version] : droppedPages[key]
            let isInLeaf = leafPages[id]?.contains { $0.isDisjoint(with: hit) } ?? false
            if let pages, pages.isDisjoint(with: hit), kind != .compacted || isInLeaf { found[id] = content }
        }
        return found
    }
}

/// The nodes of a store, and the pages of those that were read. One thread uses it.
private final class StoredNodes: NodeSource, @unchecked Sendable {
    var all: [UInt64: (pages: Set<Int>, bytes: [UInt8])] = [:]
    var read: Set<Int> = []

    func readNode(_ number: UInt64, _ body: (UnsafeRawBufferPointer?) -> Void) throws {
        guard let value = all[number] else { return body(nil) }
        read.formUnion(value.pages)
        value.bytes.withUnsafeBytes { body($0) }
    }
}
