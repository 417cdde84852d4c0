// A device of the tests with real servers: edits its store at random, and follows the log, until it is killed.
//
//   ReplicaDevice NAME STORE FOLDER SEED [URL LIST]
//
// Without a URL it only edits, beside the process that follows. In the folder: `NAME.made` gets the ids of its commits, each once it is
// durable; when there is a file `settle`, it edits no more, and `NAME.state` says the version and the hash of the rows once nothing waits.

import Foundation
import ListModel
@_spi(Sync) import Listory
import ListorySync
import SharedLogs
import TestSupport

@main
struct ReplicaDevice {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let (name, path, folder) = (arguments[1], arguments[2], URL(filePath: arguments[3]))
        var edits = RandomEdits(seed: UInt64(arguments[4])!, targetCount: 40)
        var options = StoreOptions()
        (options.coalescing, options.undoScope) = (.never, .origin)
        options.checkpoints.interval = 200
        options.unpackedCount = 100
        let store = try await open(path, options)
        let url = arguments.count > 5 ? arguments[5] : nil
        let replica = try url.map { url in
            try Replica(store, try SharedLogs.open(url, list: arguments[6]), list: arguments[6])
        }
        if let replica { Task { await follow(replica) } }
        let made = folder.appending(path: "\(name).made")
        if !FileManager.default.fileExists(atPath: made.path) { try Data().write(to: made) }
        let file = try FileHandle(forWritingTo: made)
        _ = try file.seekToEnd()
        while true {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<30)))
            if FileManager.default.fileExists(atPath: folder.appending(path: "settle").path) {
                if let replica { try report(replica, store, folder.appending(path: "\(name).state")) }
                continue
            }
            if let commit = try await edit(store, &edits),
                let id = try commit.annotation(named: CommitAnnotation.identifier)
            {
                try file.write(contentsOf: Data((id.map { String($0, radix: 16) }.joined(separator: ".") + "\n").utf8))
            }
        }
    }

    /// Another process may be about to make the file.
    private static func open(_ path: String, _ options: StoreOptions) async throws -> UntypedStore {
        while true {
            do { return try UntypedStore.open(at: path, options: options) } catch ListError.notFound {
                if CommandLine.arguments.count > 5 { return try UntypedStore.create(at: path, options: options) }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Follows until a problem stops it, and says which.
    private static func follow(_ replica: Replica) async {
        await replica.follow()
        FileHandle.standardError.write(Data("stopped: \(replica.state)\n".utf8))
        exit(1)
    }

    private static func edit(_ store: UntypedStore, _ edits: inout RandomEdits) async throws -> Commit? {
        for _ in 0..<100 {
            // When another process has replaced pending commits, what they wrote cannot be read before this one has noticed it, which takes
            // its time on a busy machine.
            do { return try attempt(store, &edits) } catch { try await Task.sleep(for: .milliseconds(50)) }
        }
        return try attempt(store, &edits)
    }

    private static func attempt(_ store: UntypedStore, _ edits: inout RandomEdits) throws -> Commit? {
        do {
            switch Int.random(in: 0..<8, using: &edits.generator) {
            case 0: return try store.undo(origin: "user", onConflict: .mine).commit
            case 1: return try store.redo(origin: "user", onConflict: .mine).commit
            default:
                let operation = edits.next(try ReferenceList(store.snapshot, store.source))
                return try store.edit("edit", origin: "user") { try $0.apply(operation) }
            }
        } catch let error as ListError where error.isRejection { return nil }
    }

    private static func report(_ replica: Replica, _ store: UntypedStore, _ file: URL) throws {
        guard case .upToDate = replica.state.phase, try store.pendingCount == 0 else { return }
        let rows = try store.snapshot
        try Data("\(rows.version) \(rows.stateHash)".utf8).write(to: file, options: .atomic)
    }
}
