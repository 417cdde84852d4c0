// One run of some work: reports what was acknowledged and what was thrown.

import FaultInjector
import ListModel
import Listory
import LMDB

/// A version that was reported as durable; with `isLast`, the store was closed without later ones.
struct Acknowledged {
    var store: String
    var version: Version
    var hash: String
    var isLast: Bool

    /// - Parameter line: `durable` or `discarded`, name, version and hash; nil for other lines.
    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 4, words[0] == "durable" || words[0] == "discarded" else { return nil }
        (store, version, hash, isLast) = (words[1], Version(UInt64(words[2])!), words[3], words[0] == "discarded")
    }
}

/// The files and the report of a run.
struct Session {
    let folder: String
    let seed: UInt64
    /// Whether what fails succeeds when it is tried again.
    var isPassing = false
    private let report: UnsafeMutablePointer<fault_report>

    init(_ folder: String, _ report: UnsafeMutablePointer<fault_report>, _ seed: UInt64) {
        (self.folder, self.report, self.seed) = (folder, report, seed)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Runs some work, and reports what it throws: 0 unless the error has no type.
    func run(_ body: () throws -> Void) -> Int32 {
        attempt(body)
        return 0
    }

    /// Runs a part of the work; what it throws is reported.
    ///
    /// - Returns: whether it threw nothing.
    @discardableResult
    func attempt(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            add("\(Session.hasType(error) ? "threw" : "untyped") \(error)")
            return false
        }
    }

    func durable(_ name: String, _ version: Version, _ hash: StateHash) { add("durable \(name) \(version) \(hash)") }
    func discarded(_ name: String, _ version: Version) { add("discarded \(name) \(version) -") }
    func wrong(_ text: String) { add("wrong \(text)") }

    private func add(_ line: String) { fault_report_add(report, line) }

    /// Whether an error is the one type that apps see, with a cause of the layers below.
    private static func hasType(_ error: any Error) -> Bool {
        guard let error = error as? ListError else { return false }
        return switch error.cause {
        case nil, is ListError, is LMDBError, is RecordError, is NodeError: true
        default: false
        }
    }
}
