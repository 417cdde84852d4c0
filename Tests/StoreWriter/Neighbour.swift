// A process that has a store open together with others, edits it and undoes, in rounds, until it is told to end or is
// killed.
//
//     StoreWriter neighbour STORE NAME SEED ANSWERS ROUND [deferred] [origins] [slow] [blind]
//
// It appends each acknowledged commit to the file ANSWERS: the version and the checksum of its record. When the file
// `STORE-stop` with the number of the round is there, it rests, and prints, after it has seen all commits of others, the
// version, the hash of its rows, and for undo and redo how many steps there are and the version of the next one. It goes on when there is `STORE-next` with
// that number, and closes the store when there is `STORE-close`. With `blind` it writes without looking whether others
// have, as the control needs it.

import Foundation
import LMDB
import ListModel
import Listory
import TestSupport

struct Neighbour {
    private let path: String
    private let name: String
    private let store: UntypedStore
    private let trash: UntypedLiveTrash
    private let answers: FileHandle
    private var generator: SeededGenerator
    private var pending: [Commit] = []
    private var number = 0
    private let arguments: [String]

    static func run(_ arguments: [String]) throws {
        var neighbour = try Neighbour(arguments)
        var round = Int(arguments[5])!
        while true {
            while access("\(arguments[1])-stop\(round)", F_OK) != 0 { try neighbour.act() }
            if try !neighbour.rest(round) { return }
            round += 1
        }
    }

    private init(_ arguments: [String]) throws {
        (path, name, self.arguments) = (arguments[1], arguments[2], arguments)
        generator = SeededGenerator(seed: UInt64(arguments[3])!)
        var options = StoreOptions()
        options.durability = arguments.contains("deferred") ? .deferred : .immediate
        options.undoScope = arguments.contains("origins") ? .origin : .shared
        options.isKnownToOthers = !arguments.contains("blind")
        options.journal.isUnchecked = arguments.contains("blind")
        options.journal.storeDelay = .milliseconds(generator.oneIn(2) ? 5 : 200)
        options.limits = TreeLimits(leafCapacity: 8, innerCapacity: 8)
        options.checkpoints.interval = 64
        options.checkpoints.nodeWeight = 0
        options.checkpoints.maximumSpacing = 256
        options.checkpoints.touches.interval = 0
        options.checkpoints.touches.runSize = 16
        options.checkpoints.touches.bucketSize = 4
        options.checkpoints.touches.fanOut = 4
        options.checkpoints.touches.sliceSize = 256
        options.checkpoints.touches.deletionSize = 3
        options.unpackedCount = 40
        options.packing.groupCount = 16
        (options.packing.freeSize, options.packing.givesBackAlways) = (0, true)
        store = try UntypedStore.open(at: path, options: options)
        trash = try UntypedLiveTrash(of: store)
        let answersPath = arguments[4]
        if access(answersPath, F_OK) != 0 { _ = FileManager.default.createFile(atPath: answersPath, contents: nil) }
        answers = FileHandle(forWritingAtPath: answersPath)!
        answers.seekToEndOfFile()
    }

    /// One edit, undo or redo of a random row, perhaps of another process.
    private mutating func act() throws {
        number += 1
        do {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: note(try store.undo(origin: name, onConflict: .skip).commit)
            case 1: note(try store.redo(origin: name, onConflict: .skip).commit)
            default: note(try store.edit(name, origin: name) { try edit(&$0) })
            }
        } catch let error as ListError where error.isRejection {
            // Nothing to undo, or another process has deleted the row.
        }
        if generator.oneIn(10) { try store.waitUntilDurable() }
        if generator.oneIn(10) { _ = try trash.snapshot }
        acknowledge()
        if arguments.contains("slow") { usleep(UInt32.random(in: 0...4_000, using: &generator)) }
    }

    private mutating func edit(_ list: inout UntypedEditor) throws {
        if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: "rows", title: "Rows")) }
        let count = list.state.itemCount(inSectionAt: 0)
        let row = count == 0 ? nil : Int.random(in: 0..<count, using: &generator)
        let path = row.map { ListIndexPath(section: 0, item: $0) }
        switch (Int.random(in: 0..<6, using: &generator), path) {
        case (0, let path?) where count > 20: try list.delete(.at(path))
        case (1, let path?): try list.toggle(.at(path))
        case (2, let path?): try list.update(at: path, content: Array("\(name) \(number)".utf8))
        case (3, let path?): try list.move(.at(path), to: .end(ofSection: "rows"))
        default:
            let item = NewRow(id: .string("\(name) \(getpid()) \(number)"), content: Array("\(name) \(number)".utf8))
            try list.insert(item, at: .end(ofSection: "rows"))
        }
    }

    private mutating func note(_ commit: Commit?) { if let commit { pending.append(commit) } }

    /// Writes down which commits are durable.
    private mutating func acknowledge() {
        var bytes: [UInt64] = []
        while let commit = pending.first.map(store.successor), commit.version <= store.durableVersion {
            guard store.successor(of: commit) === commit else { continue }
            bytes += [commit.version.rawValue.littleEndian, commit.checksum.littleEndian]
            pending.removeFirst()
        }
        if !bytes.isEmpty { bytes.withUnsafeBytes { answers.write(Data($0)) } }
    }

    /// Waits until all have stopped, and prints what this process shows.
    ///
    /// - Returns: whether there is another round; otherwise the store is closed.
    private mutating func rest(_ round: Int) throws -> Bool {
        try store.waitUntilDurable()
        acknowledge()
        print("stopped")
        fflush(nil)
        while access("\(path)-compare\(round)", F_OK) != 0 { usleep(500) }
        let end = try String(contentsOfFile: "\(path)-compare\(round)", encoding: .utf8)
        let isBlind = arguments.contains("blind")
        for _ in 0..<20_000 where try !isBlind && store.version.description != end { usleep(500) }
        let undo = try store.undoState(origin: name)
        let next = [undo.undo, undo.redo].map { "\($0?.version ?? .empty)" }.joined(separator: " ")
        let shown = try trash.snapshot
        if try Array(shown.rows) != store.trash(limit: shown.rows.count) { print("another trash in \(name)") }
        print("\(try store.version) \(try store.snapshot.stateHash) \(undo.undoCount) \(undo.redoCount) \(next)")
        fflush(nil)
        while access("\(path)-next\(round)", F_OK) != 0 {
            if access(path + "-close", F_OK) == 0 {
                try store.close()
                return false
            }
            usleep(500)
        }
        return true
    }
}
