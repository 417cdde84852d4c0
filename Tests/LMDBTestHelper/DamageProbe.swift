// Opens files that may be damaged, each in a fork, and prints the outcome.

import LMDB
import TestSupport

enum DamageProbe {
    /// Opens, reads and writes each file in a fork of its own; prints `sound`, `refused`, `error`, `wrong`, or
    /// `signal` with its number.
    static func run(_ paths: [String], gate: Environment.Gate) throws {
        for path in paths {
            let status = inFork(seconds: 60) { outcome(path, gate) }
            switch status {
            case 0: answer("sound")
            case 1: answer("refused")
            case 2: answer("error")
            case 3: answer("wrong")
            default: answer("signal \(-status)")
            }
        }
    }

    private static func outcome(_ path: String, _ gate: Environment.Gate) -> Int32 {
        var options = Environment.Options()
        options.gate = gate
        do {
            let environment = try Environment.open(path: path, options: options)
            let rows = try environment.openDatabase(named: "rows", of: UInt64.self, [UInt8].self)
            var isSound = true
            var count: UInt64 = 0
            try environment.read { txn in
                try txn.forEach(in: rows) { key, value in
                    if try UInt64.decode(key) != count || !value.elementsEqual(record(count)) { isSound = false }
                    count += 1
                    return true
                }
            }
            // Only writing uses the free pages.
            try environment.write { txn in
                for key in 0..<40 as Range<UInt64> { try txn.put(record(key + 1), forKey: key * 7, in: rows) }
                for key in 0..<20 as Range<UInt64> { try txn.delete(key * 11, in: rows) }
            }
            return isSound && count == recordCount ? 0 : 3
        } catch let error as LMDBError {
            if case .damaged = error.kind { return 1 }
            return 2
        } catch {
            return 2
        }
    }

    /// How many records the file of the tests has.
    private static let recordCount: UInt64 = 600

    /// The same bytes as the tests write.
    private static func record(_ key: UInt64) -> [UInt8] {
        let count = key % 50 == 0 ? 9000 : 20 + Int(key % 120)
        return (0..<count).map { UInt8(truncatingIfNeeded: UInt64($0) &* 31 &+ key) }
    }
}
