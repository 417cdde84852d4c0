// Opens stores that may be damaged, each in a fork, reads and edits them, and prints the outcome.

import Listory
import ListModel
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

enum StoreProbe {
    /// Uses each store in a fork of its own; prints `sound`, `error`, or `signal` with its number.
    static func run(_ paths: [String], isChecked: Bool) {
        for path in paths {
            switch inFork(seconds: 120, { outcome(path, isChecked) }) {
            case 0: print("sound")
            case 1: print("error")
            case let status: print("signal \(-status)")
            }
            fflush(nil)
        }
    }

    /// Reads and edits a store as far as possible; 1 if something threw.
    private static func outcome(_ path: String, _ isChecked: Bool) -> Int32 {
        var options = StoreOptions()
        options.checkpoints.isBackground = false
        options.checkpoints.sliceSize = 4096
        options.checkpoints.maximumSpacing = 200
        options.limits = TreeLimits(leafCapacity: 8, innerCapacity: 8)
        options.trustsPages = !isChecked
        var failures: Int32 = 0
        for isReadOnly in [true, false] {
            options.isReadOnly = isReadOnly
            do {
                let store = try UntypedStore.open(at: path, options: options)
                failures |= use(store, isReadOnly)
                failures |= attempt { try store.close() }
                try? store.close(discardingUnappended: true)
            } catch {
                failures = 1
            }
        }
        return failures
    }

    private static func use(_ store: UntypedStore, _ isReadOnly: Bool) -> Int32 {
        var failures = attempt {
            for section in try store.snapshot.sections {
                for item in section.items { _ = item }
            }
        }
        let newest = (try? store.version.rawValue) ?? 0
        for part in 1..<4 as Range<UInt64> {
            failures |= attempt {
                let snapshot = try store.snapshot(at: Version(newest * part / 4))
                for section in snapshot.sections { for item in section.items { _ = item } }
            }
        }
        if newest > 0 {
            failures |= attempt {
                try store.forEachCommit(in: Version(1)...Version(newest)) { _ in }
            }
        }
        guard !isReadOnly else { return failures }
        for round in 0..<60 {
            failures |= attempt {
                try store.edit("change", durability: .deferred) { list in
                    let content = [UInt8](repeating: UInt8(round), count: round % 10 == 0 ? 30_000 : 200)
                    try list.insert(
                        NewRow(id: .integer(Int64(1_000_000 + round)), content: content), at: .end(ofSection: "rows"))
                    try list.delete(.at(ListIndexPath(section: 0, item: round * 7 % 100)))
                }
            }
            if round % 20 == 19 {
                failures |= attempt { try store.undo(2, durability: .deferred) }
                failures |= attempt { try store.checkpoint() }
            }
        }
        return failures
    }

    private static func attempt<Result>(_ body: () throws -> Result) -> Int32 {
        do {
            _ = try body()
            return 0
        } catch {
            return 1
        }
    }
}
