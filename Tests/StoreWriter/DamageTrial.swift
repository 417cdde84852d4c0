// Damages a store again and again, and checks whatever can be done with each damaged file.
//
//     StoreWriter damage FOLDER SEED FIRST COUNT [unchecked]
//
// Each image is a sound store with one kind of damage, chosen by the seed and the number of the image. It is opened,
// shown, edited, undone, verified and salvaged. Whatever is shown must be what the sound store has, or an error. Prints
// `start NUMBER` before each image, `wrong NUMBER REASON` for each fault, and at the end the sums.

import Foundation
import LMDB
import ListModel
import Listory
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

struct DamageTrial {
    private let folder: String
    private let seed: UInt64
    private let isChecked: Bool
    private let stores: [SoundStore]
    private var sums: [String: Int] = [:]
    private var number = 0

    static func run(_ arguments: [String]) throws {
        var trial = try DamageTrial(arguments)
        let first = Int(arguments[3])!
        for number in first..<first + Int(arguments[4])! {
            print("start \(number)")
            fflush(nil)
            endProcess(after: 60)
            trial.number = number
            try trial.check()
        }
        for (name, sum) in trial.sums.sorted(by: { $0.key < $1.key }) { print("sum \(name) \(sum)") }
    }

    private init(_ arguments: [String]) throws {
        folder = arguments[1]
        seed = UInt64(arguments[2])!
        isChecked = !arguments.contains("unchecked")
        stores = try SoundStore.Kind.allCases.map { try SoundStore($0, in: arguments[1]) }
    }

    private mutating func wrong(_ reason: String) {
        print("wrong \(number) \(reason)")
        fflush(nil)
        sums["wrong", default: 0] += 1
    }

    private mutating func check() throws {
        var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
        let sound = stores[number % stores.count]
        let image = Damage.allCases[number / stores.count % Damage.allCases.count].apply(to: sound.bytes, &generator)
        let hit = sound.pagesHit(in: image)
        sums["images", default: 0] += 1
        if hit.isEmpty { sums["unchanged", default: 0] += 1 }
        let refusal = try use(sound, image, hit, &generator)
        guard isChecked else { return }
        let isVerified = try verify(sound, image, hit)
        if let refusal, isVerified { wrong("verified, but not shown: \(refusal)") }
        try salvage(sound, image, hit)
    }

    private func write(_ image: [UInt8]) throws -> String {
        let path = folder + "/image"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("image") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        try Data(image).write(to: URL(fileURLWithPath: path))
        return path
    }
}

// MARK: - Opening, editing, verifying

extension DamageTrial {
    /// Shows and edits everything.
    ///
    /// - Returns: why something could not be shown or edited; nil if all could.
    private mutating func use(
        _ sound: SoundStore, _ image: [UInt8], _ hit: Set<Int>, _ generator: inout SeededGenerator
    ) throws -> (any Error)? {
        var options = SoundStore.options
        options.trustsPages = !isChecked
        let path = try write(image)
        let store: UntypedStore
        do { store = try UntypedStore.open(at: path, options: options) } catch {
            sums["refused", default: 0] += 1
            return error
        }
        defer {
            do { try store.close() } catch { try? store.close(discardingUnappended: true) }
        }
        var refusal: (any Error)?
        let version = try store.version
        if version != sound.newest {
            // The last entries of a journal cannot be told from entries that were never completed.
            if !sound.isJournalHit(hit) && store.recovery.lostVersion == nil { wrong("shows version \(version)") }
            sums["shortened", default: 0] += 1
        }
        do {
            let rows = try Rows(store.snapshot, store)
            if rows != sound.rows[Int(version.rawValue)] { wrong("shows other rows at \(version)") }
        } catch { refusal = error }
        let past = Version(UInt64.random(in: store.oldestVersion.rawValue...version.rawValue, using: &generator))
        do {
            let rows = try Rows(store.snapshot(at: past), store)
            if rows != sound.rows[Int(past.rawValue)] { wrong("shows other rows at the old version \(past)") }
        } catch { refusal = error }
        do {
            try store.edit("insert") { list in
                try list.insert(NewRow(id: "new", content: [1, 2, 3]), at: .at(ListIndexPath(section: 0, item: 1)))
            }
            var expected = sound.rows[Int(version.rawValue)]
            expected.sections[0].items.insert(
                Rows.Item(id: "new", isChecked: false, content: [1, 2, 3]), at: min(1, expected.sections[0].items.count)
            )
            if let rows = try? Rows(store.snapshot, store), rows != expected { wrong("shows other rows after an edit") }
            try store.undo()
            if let rows = try? Rows(store.snapshot, store), rows != sound.rows[Int(version.rawValue)] {
                wrong("shows other rows after an undo")
            }
            sums["edited", default: 0] += 1
        } catch { refusal = error }
        if refusal == nil { sums["shown", default: 0] += 1 }
        return refusal
    }

    private mutating func verify(_ sound: SoundStore, _ image: [UInt8], _ hit: Set<Int>) throws -> Bool {
        let path = try write(image)
        do {
            let found = try StoreVerification(path: path)
            if found.version != sound.newest && !sound.isJournalHit(hit) { wrong("verified version \(found.version)") }
            if found.stateHash != sound.hashes[Int(found.version.rawValue)] { wrong("verified another hash") }
            sums["verified", default: 0] += 1
            return true
        } catch { return false }
    }
}

// MARK: - Salvaging

extension DamageTrial {
    private mutating func salvage(_ sound: SoundStore, _ image: [UInt8], _ hit: Set<Int>) throws {
        let path = try write(image)
        let undamaged = sound.undamagedCommits(hit)
        let rows = sound.undamagedRows(hit)
        sums["commits of \(sound.kind)", default: 0] += undamaged.count
        sums["rows of \(sound.kind)", default: 0] += rows.count
        let report: SalvageReport
        do {
            report = try UntypedStore.salvage(from: path, to: path + "-new", options: SoundStore.options)
        } catch ListError.notAStore {
            sums["nothing", default: 0] += 1
            return
        } catch ListError.unknownFormat where !hit.isEmpty {
            // A damaged number of the format cannot be told from that of a later release.
            sums["nothing", default: 0] += 1
            return
        } catch {
            return wrong("salvage throws \(error)")
        }
        if try Data(contentsOf: URL(fileURLWithPath: path)) != Data(image) { wrong("salvage changed its input") }
        var kept: Set<UInt64> = []
        var options = SoundStore.options
        options.isReadOnly = true
        for part in report.parts {
            let store = try UntypedStore.open(at: part.path, options: options)
            defer { try? store.close() }
            if part.version > part.oldestVersion {
                try store.forEachCommit(in: part.oldestVersion.next...part.version) { commit in
                    if commit.checksum != sound.checksums[Int(commit.version.rawValue)] {
                        // The link to a commit that is lost is kept, so each record is that of the file.
                        wrong("another commit \(commit.version)")
                    }
                    kept.insert(commit.version.rawValue)
                }
            }
            try check(store, part, sound)
        }
        sums["commits kept of \(sound.kind)", default: 0] += undamaged.filter { kept.contains($0) }.count
        let newest = try UntypedStore.open(at: path + "-new", options: options)
        defer { try? newest.close() }
        try checkNewest(newest, report, sound, rows)
        if report.isComplete && kept.count != Int(sound.newest.rawValue - sound.oldest.rawValue) {
            if !sound.isJournalHit(hit) { wrong("a complete salvage lacks commits: \(report)") }
        }
        if report.isComplete { sums["complete", default: 0] += 1 }
    }

    /// Compares the rows of the last version of a part that was in the damaged file.
    private mutating func check(_ store: UntypedStore, _ part: SalvageReport.Part, _ sound: SoundStore) throws {
        let expected = sound.rows[Int(part.version.rawValue)]
        let found = try Rows(store.snapshot(at: part.version), store, lost: ())
        if found.isSame(as: expected) { return }
        wrong("part \(part.oldestVersion)…\(part.version) has other rows")
    }

    /// Compares the newest rows, with those that were left over.
    private mutating func checkNewest(
        _ store: UntypedStore, _ report: SalvageReport, _ sound: SoundStore, _ rows: [UntypedID: [UInt8]]
    ) throws {
        let found = try Rows(store.snapshot, store)
        var present: [UntypedID: [UInt8]] = [:]
        for section in found.sections {
            for item in section.items {
                present[item.id] = item.content
                if sound.contents[item.id]?.contains(item.content ?? []) != true {
                    wrong("row \(item.id) was never so")
                }
            }
        }
        let kept = rows.filter { present[$0.key] == $0.value }.count
        sums["rows kept of \(sound.kind)", default: 0] += kept
        if report.itemCount - report.unreadableCount + report.leftoverCount != present.count {
            wrong("\(report) but \(present.count) rows")
        }
    }
}

// MARK: - Damage

/// A kind of damage.
private enum Damage: CaseIterable {
    case bit, header, headerByte, zeroedPage, randomPage, word, swappedPages, truncation

    func apply(to bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var copy = bytes
        let size = SoundStore.pageSize
        let count = bytes.count / size
        let page = generator.below(count) * size
        switch self {
        case .bit: copy[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
        case .header: copy[page + generator.below(16)] ^= 1 << UInt8(generator.below(8))
        case .headerByte: copy[page + generator.below(160)] = UInt8(generator.below(256))
        case .zeroedPage: for place in page..<page + size { copy[place] = 0 }
        case .randomPage:
            for place in stride(from: page, to: page + size, by: 8) {
                let word = generator.next()
                for byte in 0..<8 { copy[place + byte] = UInt8(truncatingIfNeeded: word >> UInt64(8 * byte)) }
            }
        case .word:
            let word = page + 8 * generator.below(size / 8)
            for place in word..<word + 8 { copy[place] = UInt8(generator.below(256)) }
        case .swappedPages:
            let other = generator.below(count) * size
            for place in 0..<size { copy.swapAt(page + place, other + place) }
        case .truncation: copy.removeLast(generator.below(bytes.count))
        }
        return copy
    }
}
