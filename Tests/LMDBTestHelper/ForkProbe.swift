// Checks that a forked child can do nothing with its parent's environment.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import LMDB
import TestSupport

enum ForkProbe {
    /// Forks with a live environment and live transactions; prints the results of the child's and the parent's calls.
    static func run(_ path: String) throws {
        var environment: Environment? = try Environment.open(path: path)
        let database = try environment!.openDatabase(named: "rows", of: UInt64.self, String.self, create: true)
        try environment!.write { txn in try txn.put("before", forKey: 1, in: database) }
        try environment!.read { txn in _ = try txn.get(1, in: database) }

        answer("calls \(inFork { failures(environment!, database) })")
        answer("transactions \(try forkWithTransactions(environment!, database))")
        answer("deinit \(inFork { environment = nil; return 0 })")
        answer("own \(inFork { ownEnvironment(path) })")

        // The parent's environment is unchanged.
        try environment!.write { txn in try txn.put("after", forKey: 2, in: database) }
        let text = try environment!.read { txn in try txn.get(2, in: database) }
        let live = try environment!.checkReaders()
        try environment!.close()
        answer("parent \(text ?? "nothing") \(live)")
    }

    /// How many calls in the child did not fail although they should.
    private static func failures(_ environment: Environment, _ database: Database<UInt64, String>) -> Int32 {
        let calls: [() throws -> Void] = [
            { try environment.read { _ in } },
            { try environment.write { _ in } },
            { _ = try environment.beginRead() },
            { _ = try environment.beginWrite() },
            { try environment.close() },
            { try environment.checkReaders() },
            { try environment.growMap(to: 1 << 30) },
            { try environment.copy(to: environment.path + ".copy") },
            { _ = try environment.statistics },
            { _ = try environment.information },
            { _ = try environment.openDatabase(named: "rows", of: UInt64.self, String.self) },
        ]
        return Int32(calls.count { !isRefused($0) })
    }

    private static func isRefused(_ call: () throws -> Void) -> Bool {
        do {
            try call()
            return false
        } catch let error as LMDBError {
            if case .forked = error.kind { return true }
            return false
        } catch {
            return false
        }
    }

    private static func forkWithTransactions(
        _ environment: Environment, _ database: Database<UInt64, String>
    ) throws -> Int32 {
        let reading = try environment.beginRead()
        var writing = try environment.beginWrite()
        try writing.put("during", forKey: 3, in: database)
        let status = inFork {
            do {
                let other = try environment.beginRead()
                other.abort()
                return 1
            } catch {
                return 0
            }
        }
        // Both transactions are still live.
        guard try reading.get(1, in: database) == "before" else { return 2 }
        try writing.commit()
        guard try reading.get(3, in: database) == nil else { return 3 }
        reading.abort()
        guard try environment.read({ txn in try txn.get(3, in: database) }) == "during" else { return 4 }
        return try commitInFork(environment, database) == 0 ? status : 5
    }

    /// Commits a write transaction of the parent in the child, and aborts another one.
    private static func commitInFork(
        _ environment: Environment, _ database: Database<UInt64, String>
    ) throws -> Int32 {
        var held: WriteTransaction? = try environment.beginWrite()
        try held!.put("child", forKey: 4, in: database)
        let status = inFork {
            guard let taken = held.take() else { return 1 }
            do throws(LMDBError) {
                try taken.commit()
                return 2
            } catch {
                if case .forked = error.kind { return 0 }
                return 3
            }
        }
        held = nil
        let text = try environment.read { txn in try txn.get(4, in: database) }
        return text == nil ? status : 4
    }

    /// A child may open the file itself.
    private static func ownEnvironment(_ path: String) -> Int32 {
        do {
            let own = try Environment.open(path: path)
            let rows = try own.openDatabase(named: "rows", of: UInt64.self, String.self)
            guard try own.read({ txn in try txn.get(1, in: rows) }) == "before" else { return 1 }
            try own.close()
            return 0
        } catch {
            return 2
        }
    }
}
