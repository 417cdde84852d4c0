// What a process did to the files of a folder, in order, and the folders that a power cut may leave.
//
// All synced writes are in their files. A sector with writes that were not synced has their result up to any one of
// them, because the system may write the sector at any time. Sectors are written completely or not at all. Names are
// added, changed and removed in order; those since the last sync of the folder up to any one of them. A file may have
// its name without its content, and its content without its name.

import Foundation
import ListModel
import TestSupport
import Testing

/// A version of a store that was reported as durable.
struct Acknowledgement {
    /// The name of the store's file.
    var store: String
    var version: Version
    /// Its hash, nil if only the version is known.
    var hash: String?
    /// Whether the store was closed without the commits after it.
    var isLast = false

    /// - Parameter text: name, version and hash, with `discarded` before them if the store was closed so.
    init(_ text: String) {
        var words = text.split(separator: " ").map(String.init)
        if words[0] == "discarded" {
            isLast = true
            words.removeFirst()
        }
        (store, version) = (words[0], Version(UInt64(words[1])!))
        hash = words[2] == "-" ? nil : words[2]
    }
}

/// A recorded run.
struct WriteRecord {
    enum Entry {
        case write(file: Int, offset: Int, bytes: [UInt8], isDurable: Bool)
        case length(file: Int, Int)
        case sync(file: Int)
        /// A sync failed: the system may have dropped any part of the writes since the last one.
        case failedSync(file: Int)
        case name(RecordedFolder.NameChange)
        case folderSync
        case acknowledged(Acknowledgement)
        /// A content was reported as erased.
        case erased(String)
    }

    private(set) var entries: [Entry] = []
    /// The folder before the first entry.
    let base: RecordedFolder

    /// Reads the record of `RecordedWriter`.
    init(path: String, base: RecordedFolder) throws {
        self.base = base
        let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var place = 0
        func number() -> Int {
            defer { place += 8 }
            return Int(data[place..<place + 8].withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        }
        // The files of this record, as numbers of the folder.
        var files: [Int: Int] = [:]
        var next = base.nextFile
        while place + 25 <= data.count {
            let kind = data[place]
            place += 1
            let (recorded, offset, count) = (number(), number(), number())
            // The process may end while another thread notes a write. Nothing after it was acknowledged.
            guard place + count <= data.count else { break }
            let bytes = Array(data[place..<place + count])
            place += count
            // Not of what was written, which takes long if it is no text.
            lazy var text = String(decoding: bytes, as: UTF8.self)
            let file = files[recorded] ?? 0
            switch Character(UnicodeScalar(kind)) {
            case "N": files[recorded] = try #require(base.cachedNames[text], "a file that was not there: \(text)")
            case "C":
                files[recorded] = next
                entries.append(.name(.added(text, file: next)))
                next += 1
            case "W", "D":
                let isDurable = kind == UInt8(ascii: "D")
                entries.append(.write(file: file, offset: offset, bytes: bytes, isDurable: isDurable))
            case "T": entries.append(.length(file: file, offset))
            case "S": entries.append(.sync(file: file))
            case "F": entries.append(.failedSync(file: file))
            case "R":
                let names = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                entries.append(.name(.renamed(names[0], to: names[1])))
            case "U": entries.append(.name(.removed(text)))
            case "P": entries.append(.folderSync)
            default:
                let erased = text.split(separator: " ")
                let isErased = erased[0] == "erased"
                entries.append(isErased ? .erased(String(erased[1])) : .acknowledged(Acknowledgement(text)))
            }
        }
    }

    /// The result of a power cut.
    struct Image {
        /// The files by name.
        var files: [String: [UInt8]]
        /// The newest version of each store that was reported durable before.
        var acknowledged: [String: Acknowledgement]

        /// Writes the files into an empty folder.
        func write(to folder: TemporaryFolder) throws {
            for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name))) }
        }
    }

    /// The moments right after acknowledgements.
    var acknowledgements: [Int] {
        entries.indices.filter { if case .acknowledged = entries[$0] { true } else { false } }.map { $0 + 1 }
    }

    /// The moments right after syncs of entries of the journal failed. LMDB writes whole pages.
    var failedJournalSyncs: [Int] {
        entries.indices.dropFirst().filter { index in
            guard case .failedSync(let file) = entries[index],
                case .write(file, _, let bytes, isDurable: false) = entries[index - 1]
            else { return false }
            return bytes.count % 4_096 != 0
        }.map { $0 + 1 }
    }

    /// The moments right after contents were reported as erased, and those contents.
    var erasures: [(moment: Int, content: String)] {
        entries.indices.compactMap { index in
            if case .erased(let content) = entries[index] { (index + 1, content) } else { nil }
        }
    }

    /// A random moment, mostly one right after an acknowledgement.
    func randomMoment(_ generator: inout SeededGenerator) -> Int {
        let moment = Int.random(in: 0...entries.count, using: &generator)
        guard generator.oneIn(2) else { return moment }
        return acknowledgements.first { $0 > moment } ?? moment
    }

    /// The folder at the moment before the entry at an index, with what is not durable yet.
    ///
    /// - Parameters:
    ///   - ignoresSyncs: whether the device reports syncs that it did not make: for a control.
    ///   - isLastCached: whether the process was killed during the last write, if that one is also a sync: the system
    ///     shows it then, and the device may not have it.
    func folder(
        before end: Int, ignoresSyncs: Bool = false, isLastCached: Bool = false, _ generator: inout SeededGenerator
    ) -> (folder: RecordedFolder, acknowledged: [String: Acknowledgement]) {
        var folder = base
        var acknowledged: [String: Acknowledgement] = [:]
        for (index, entry) in entries[..<end].enumerated() {
            switch entry {
            case .write(let file, let offset, let bytes, let isDurable):
                if isDurable && !ignoresSyncs && !(isLastCached && index == end - 1) {
                    folder.writeThrough(file, offset, bytes)
                } else {
                    folder.pending[file, default: []].append(.write(offset: offset, bytes: bytes))
                }
            case .length(let file, let length): folder.pending[file, default: []].append(.length(length))
            case .sync(let file):
                if !ignoresSyncs { folder.sync(file) }
            case .failedSync(let file): folder.dropPart(of: file, .anything, &generator)
            case .name(let change): folder.pendingNames.append(change)
            case .folderSync: if !ignoresSyncs { folder.syncNames() }
            case .acknowledged(let found):
                guard found.version >= acknowledged[found.store]?.version ?? .empty else { continue }
                acknowledged[found.store] = found
            case .erased: break
            }
        }
        return (folder, acknowledged)
    }

    /// The files as a power cut before the entry at an index may leave them.
    func image(
        before end: Int, keeping kept: RecordedFolder.Kept = .anything, ignoresSyncs: Bool = false,
        _ generator: inout SeededGenerator
    ) -> Image {
        let (folder, acknowledged) = folder(before: end, ignoresSyncs: ignoresSyncs, &generator)
        return Image(files: folder.files(keeping: kept, &generator), acknowledged: acknowledged)
    }
}

extension WriteRecord.Entry {
    var isMetaPage: Bool { if case .write(_, _, _, isDurable: true) = self { true } else { false } }
    var isSync: Bool { if case .sync = self { true } else { false } }
    var isAcknowledgement: Bool { if case .acknowledged = self { true } else { false } }

    /// Whether it is the write that invalidates an entry of the journal.
    var clearsEntry: Bool {
        guard case .write(_, _, let bytes, _) = self else { return false }
        return bytes.count == 16 && bytes.allSatisfy { $0 == 0 }
    }
}

/// The files of a folder, what is durable of them, and what is not yet.
struct RecordedFolder {
    enum Change {
        case write(offset: Int, bytes: [UInt8])
        case length(Int)
    }

    enum NameChange {
        case added(String, file: Int)
        case renamed(String, to: String)
        case removed(String)
    }

    /// What a power cut leaves of that which was not synced.
    enum Kept {
        case nothing
        case anything
        case everything
    }

    static let sectorSize = 512

    /// The durable contents of the files, and the durable names.
    private var contents: [Int: [UInt8]] = [:]
    private var names: [String: Int] = [:]
    /// What was changed and not synced.
    var pending: [Int: [Change]] = [:]
    var pendingNames: [NameChange] = []
    /// The first number that no file has.
    var nextFile: Int {
        let added = pendingNames.compactMap { if case .added(_, let file) = $0 { file } else { nil } }
        return (Array(contents.keys) + Array(pending.keys) + names.values + added + [0]).max()! + 1
    }

    /// A folder of durable files.
    init(_ files: [String: [UInt8]]) {
        for (index, file) in files.sorted(by: { $0.key < $1.key }).enumerated() {
            contents[index + 1] = file.value
            names[file.key] = index + 1
        }
    }

    /// The files as processes see them.
    var cachedFiles: [String: [UInt8]] {
        var folder = self
        for file in pending.keys { folder.sync(file) }
        return cachedNames.mapValues { folder.contents[$0] ?? [] }
    }

    /// The names as processes see them.
    var cachedNames: [String: Int] {
        pendingNames.reduce(into: names) { RecordedFolder.apply($1, to: &$0) }
    }

    mutating func sync(_ file: Int) {
        for change in pending[file] ?? [] { RecordedFolder.apply(change, to: &contents[file, default: []]) }
        pending[file] = nil
    }

    mutating func syncNames() {
        names = cachedNames
        pendingNames = []
    }

    mutating func writeThrough(_ file: Int, _ offset: Int, _ bytes: [UInt8]) {
        RecordedFolder.apply(.write(offset: offset, bytes: bytes), to: &contents[file, default: []])
    }

    /// Makes some of the changes of a file durable, and forgets the others.
    mutating func dropPart(of file: Int, _ kept: Kept, _ generator: inout SeededGenerator) {
        if kept == .everything { return sync(file) }
        let changes = pending[file] ?? []
        pending[file] = nil
        // Often all or none, which are the most likely cases.
        let mode = kept == .nothing ? 0 : Int.random(in: 0..<4, using: &generator)
        if mode == 0 { return }
        var content = contents[file] ?? []
        var rest = changes[...]
        // What was written before a new length is there if the length is.
        while let index = rest.lastIndex(where: { if case .length = $0 { true } else { false } }) {
            guard mode == 1 || generator.oneIn(2) else {
                rest = rest[..<index]
                continue
            }
            for change in rest[...index] { RecordedFolder.apply(change, to: &content) }
            rest = rest[(index + 1)...]
            break
        }
        var sectors: [Int: [Int]] = [:]
        for index in rest.indices {
            guard case .write(let offset, let bytes) = rest[index], !bytes.isEmpty else { continue }
            for sector in offset / Self.sectorSize...(offset + bytes.count - 1) / Self.sectorSize {
                sectors[sector, default: []].append(index)
            }
        }
        for (sector, writes) in sectors.sorted(by: { $0.key < $1.key }) {
            let count = mode == 1 ? writes.count : Int.random(in: 0...writes.count, using: &generator)
            for index in writes.prefix(count) {
                guard case .write(let offset, let bytes) = rest[index] else { continue }
                let start = max(offset, sector * Self.sectorSize)
                let end = min(offset + bytes.count, (sector + 1) * Self.sectorSize)
                RecordedFolder.apply(
                    .write(offset: start, bytes: Array(bytes[start - offset..<end - offset])), to: &content)
            }
        }
        contents[file] = content
    }

    /// The files as they are after a power cut.
    func files(keeping kept: Kept, _ generator: inout SeededGenerator) -> [String: [UInt8]] {
        var folder = self
        for file in pending.keys.sorted() { folder.dropPart(of: file, kept, &generator) }
        let count =
            switch kept {
            case .nothing: 0
            case .anything:
                generator.oneIn(3) ? pendingNames.count : Int.random(in: 0...pendingNames.count, using: &generator)
            case .everything: pendingNames.count
            }
        let left = pendingNames.prefix(count).reduce(into: names) { RecordedFolder.apply($1, to: &$0) }
        return left.mapValues { folder.contents[$0] ?? [] }
    }

    private static func apply(_ change: NameChange, to names: inout [String: Int]) {
        switch change {
        case .added(let name, let file): names[name] = file
        case .renamed(let name, let target): names[target] = names.removeValue(forKey: name)
        case .removed(let name): names[name] = nil
        }
    }

    private static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change {
        case .length(let length):
            if content.count > length { content.removeLast(content.count - length) }
            content += [UInt8](repeating: 0, count: length - content.count)
        case .write(let offset, let bytes):
            if content.count < offset + bytes.count {
                content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
            }
            content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
    }
}
