// The stores of the commands.

import Foundation
import ListModel
@_spi(Sync) import Listory
import ListorySync
import ToolSupport

enum Stores {
    /// Opens a store to follow a shared log, or makes one that is a replica.
    static func openOrCreate(_ path: String) async throws -> UntypedStore {
        // An app may open it as soon as it is there, and it has to be a replica before.
        _ = try await Replica.makeFile(at: path) { scratch in
            let store = try UntypedStore.create(at: scratch)
            try store.beginSharing()
            try store.close()
            return true
        }
        return try open(path)
    }

    /// Opens a store that is a replica already.
    static func openReplica(_ path: String) throws -> UntypedStore {
        let store = try open(path)
        guard store.confirmed != nil else {
            try? store.close()
            throw ToolError(.refused, neverSynchronised(path))
        }
        return store
    }

    private static func open(_ path: String) throws -> UntypedStore {
        var options = StoreOptions()
        // Apps may have it open, and open it for the first time.
        options.isFollower = true
        return try UntypedStore.open(at: path, options: options)
    }

    private static func neverSynchronised(_ path: String) -> String { "\(path) was never synchronised" }

    /// How far a store is synchronised.
    static func status(_ path: String, isJSON: Bool) throws -> String {
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try UntypedStore.open(at: path, options: options)
        defer { try? store.close() }
        if isJSON {
            let confirmed = store.confirmed.map { "\($0.version)" } ?? "null"
            let (waiting, aside) = (try store.pendingCount, try store.setAsideCount)
            return #"{"confirmed":\#(confirmed),"waiting":\#(waiting),"setAside":\#(aside)}"#
        }
        guard let confirmed = store.confirmed else { return neverSynchronised(path).visible }
        var lines = ["version \(confirmed.version) is in the shared log, \(try store.pendingCount) commits wait"]
        for aside in try store.setAsideCommits { lines.append("set aside: \(aside.commit): \(aside.reason)") }
        return lines.map(\.visible).joined(separator: "\n")
    }
}
