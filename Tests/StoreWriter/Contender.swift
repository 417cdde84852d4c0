// A process that opens a store, edits it and closes it, again and again, while another one does the same.
//
//     StoreWriter contend STORE NAME SEED SECONDS COUNT ANSWERS [early]
//
// A *go* is one opening of the store, with COUNT commits; with a COUNT of 3 or less, 1 to COUNT. The seed decides the
// options of each go. At the end, the file ANSWERS has all commits that were acknowledged, or reported as durable:
// pairs of a version and the checksum of its record, which covers the content. The reasons why goes ended early are
// printed, with their counts. With `early` it opens the store as the control needs it.

import Foundation
import LMDB
import ListModel
import Listory
import TestSupport

struct Contender {
    private let path: String
    private let name: String
    private let count: Int
    private let isEarly: Bool
    private var generator: SeededGenerator
    private var answered: [UInt64] = []
    private var endings: [String: Int] = [:]
    private var number = 0
    /// Commits of this go that are not acknowledged yet.
    private var pending: [Commit] = []

    static func run(_ arguments: [String]) throws {
        var contender = Contender(arguments)
        let end = ContinuousClock.now + .seconds(Int(arguments[4])!)
        while ContinuousClock.now < end {
            contender.go()
            usleep(UInt32.random(in: 0...(contender.count > 3 ? 1_000 : 30_000), using: &contender.generator))
        }
        let bytes = contender.answered.withUnsafeBytes { Data($0) }
        try bytes.write(to: URL(fileURLWithPath: arguments[6]))
        for (ending, count) in contender.endings.sorted(by: { $0.key < $1.key }) { print("\(count)\t\(ending)") }
    }

    private init(_ arguments: [String]) {
        (path, name, count) = (arguments[1], arguments[2], Int(arguments[5])!)
        generator = SeededGenerator(seed: UInt64(arguments[3])!)
        isEarly = arguments.contains("early")
    }

    /// How one go writes.
    private mutating func options() -> StoreOptions {
        var options = StoreOptions()
        options.journal.isFoundEarly = isEarly
        options.isKnownToOthers = !isEarly
        // As if the system switched to another process at this moment.
        if generator.oneIn(2) { options.journal.whenFound = { usleep(2_000) } }
        options.journal.storeDelay = [.milliseconds(1), .milliseconds(200), .seconds(3_600)].randomElement(
            using: &generator)!
        // Straight into the database.
        options.journal.isUsed = !generator.oneIn(5)
        options.durability = generator.oneIn(3) ? .deferred : .immediate
        options.deferredDelay = generator.oneIn(2) ? .milliseconds(1) : .milliseconds(20)
        options.checkpoints.isBackground = generator.oneIn(2)
        if generator.oneIn(3) {
            options.checkpoints.interval = Int.random(in: 1...100, using: &generator)
            options.checkpoints.nodeWeight = 0
            options.checkpoints.maximumSpacing = 500
            options.checkpoints.sliceSize = 256
            options.limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)
            options.memoryBudget = 1 << 12
            options.unpackedCount = Int.random(in: 1...100, using: &generator)
            options.packing.groupCount = Int.random(in: 10...40, using: &generator)
            (options.packing.freeSize, options.packing.givesBackAlways) = (0, true)
        } else if generator.oneIn(2) {
            options.checkpoints = .never
        }
        return options
    }

    private mutating func go() {
        pending = []
        let options = options()
        do {
            let store = try UntypedStore.open(at: path, options: options)
            do {
                try edit(store, options)
            } catch {
                note("edit", error)
            }
            try close(store)
        } catch {
            note("open or close", error)
        }
    }

    private mutating func edit(_ store: UntypedStore, _ options: StoreOptions) throws {
        for _ in 0..<(count > 3 ? count : Int.random(in: 1...count, using: &generator)) {
            number += 1
            // Some are too large for the journal.
            let size = generator.oneIn(20) ? Int.random(in: 0...40_000, using: &generator) : 20
            let id = UntypedID.string("\(name) \(number)")
            let content =
                Array("\(name) \(number) ".utf8) + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
            let commit = try store.edit(name) { list in
                if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: "rows", title: "Rows")) }
                try list.insert(NewRow(id: id, content: content), at: .end(ofSection: "rows"))
                if list.state.itemCount > 60 { try list.delete(.at(ListIndexPath(section: 0, item: 1))) }
            }
            guard let commit else { continue }
            pending.append(commit)
            if generator.oneIn(20) { try store.waitUntilDurable() }
            answer(store)
            if options.checkpoints != .never && generator.oneIn(60) { try store.checkpoint() }
            if generator.oneIn(40) { usleep(UInt32.random(in: 0...3_000, using: &generator)) }
        }
    }

    private mutating func close(_ store: UntypedStore) throws {
        do {
            try store.close()
        } catch ListError.appendFailed {
            try store.close(discardingUnappended: true)
        }
        answer(store)
    }

    /// Notes the commits that are durable.
    private mutating func answer(_ store: UntypedStore) {
        while let commit = pending.first.map(store.successor), commit.version <= store.durableVersion {
            // Unless it was made again between the two.
            guard store.successor(of: commit) === commit else { continue }
            answered += [commit.version.rawValue.littleEndian, commit.checksum.littleEndian]
            pending.removeFirst()
        }
    }

    private mutating func note(_ place: String, _ error: any Error) {
        endings["\(place): \(Contender.kind(of: error))", default: 0] += 1
    }

    private static func kind(of error: any Error) -> String {
        switch error {
        case ListError.appendFailed(_, let cause): "appendFailed, \(kind(of: cause))"
        case ListError.damagedNode: (error as! ListError).code
        default: "\(type(of: error)): \(error)"
        }
    }
}
