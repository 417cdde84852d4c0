// The stores of the commands.

import Foundation
import ListModel
@_spi(Sync) import Listory

enum Stores {
    /// Opens a store, or makes one.
    static func openOrCreate(_ path: String) throws -> UntypedStore {
        var options = StoreOptions()
        // Apps may have it open, and open it for the first time.
        options.isFollower = true
        return FileManager.default.fileExists(atPath: path)
            ? try UntypedStore.open(at: path, options: options) : try UntypedStore.create(at: path, options: options)
    }

    /// How far a store is synchronised.
    static func status(_ path: String, isJSON: Bool) throws -> String {
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try UntypedStore.open(at: path, options: options)
        defer { try? store.close() }
        if isJSON {
            let confirmed = store.confirmed.map { "\($0.version)" } ?? "null"
            let (waiting, aside) = (try store.pendingCount, try store.setAsideCommits.count)
            return #"{"confirmed":\#(confirmed),"waiting":\#(waiting),"setAside":\#(aside)}"#
        }
        guard let confirmed = store.confirmed else { return "\(path) was never synchronised" }
        var lines = ["version \(confirmed.version) is in the shared log, \(try store.pendingCount) commits wait"]
        for aside in try store.setAsideCommits { lines.append("set aside: \(aside.commit): \(aside.reason)") }
        return lines.joined(separator: "\n")
    }
}
