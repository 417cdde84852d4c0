// Finds the version that went wrong, by halving the path between a good and a bad version.
//
// Always holds: the version before what is left of the path is good, and the last one of it is bad.

import ListModel
import Listory

/// A search for the first bad version.
public struct Bisection {
    /// What is said of a version.
    public enum Verdict: String, Sendable {
        case good
        case bad
        /// The version cannot be judged.
        case skipped
    }

    /// Says whether the rows of a version are good.
    public enum Judge: Sendable {
        /// They are bad if they fulfil this.
        case condition(RowCondition)
        /// This program says so.
        case program(RowProgram)

        /// What is said of rows.
        func verdict(_ rows: UntypedSnapshot, _ source: any CommitSource) throws -> Verdict {
            var reader = ConditionReader(source)
            return try verdict(rows, &reader)
        }

        /// What is said of rows, with a reader that remembers what it has read.
        fileprivate func verdict(_ rows: UntypedSnapshot, _ reader: inout ConditionReader) throws -> Verdict {
            switch self {
            case .condition(let condition): try rows.reading { try reader.holds(condition, for: rows) } ? .bad : .good
            case .program(let program): try program.judge(rows, reader.source)
            }
        }
    }

    private let store: UntypedStore
    private let judge: Judge
    private var reader: ConditionReader
    /// The versions that were judged, in order.
    public private(set) var judged: [(version: Version, verdict: Verdict)] = []

    /// A search in a store.
    public init(_ store: UntypedStore, _ judge: Judge) {
        (self.store, self.judge) = (store, judge)
        reader = ConditionReader(store.source)
    }

    /// Finds the first bad version of those that led to a bad one, after the last that also led to a good one.
    ///
    /// - Parameter report: is told of each version that was judged.
    /// - Returns: the versions on the path of which one is the first bad one: only that, unless others were skipped.
    /// - Throws: ``ToolError`` if the good version or the one where the ways to both part is not good, or the bad one not bad.
    /// - Complexity: O(log(versions)) judgements, and more if versions are skipped.
    public mutating func run(
        good: Version, bad: Version, report: (Version, Verdict) throws -> Void
    ) throws -> VersionPath {
        let path = VersionPath(try store.lineage(of: bad))
        let fork = path.last(sharedWith: VersionPath(try store.lineage(of: good)))
        guard fork != bad else {
            throw ToolError(.refused, "bisect: expected a good version before \(bad), the bad one, found \(good)")
        }
        if fork != good { try expect(.good, good, report: report) }
        let place = fork == good ? "" : ", where the ways to \(good) and \(bad) part"
        return try run(along: path.starting(at: fork), beginning: place, report: report)
    }

    /// Finds the first bad version of a path whose first version is good and whose last is bad.
    ///
    /// - Parameter place: what to say in an error of where the path begins.
    /// - Returns: the versions of which one is the first bad one.
    /// - Throws: ``ToolError`` if the ends are not so.
    public mutating func run(
        along path: VersionPath, beginning place: String = "", report: (Version, Verdict) throws -> Void
    ) throws -> VersionPath {
        var (low, high) = (UInt64(0), path.count - 1)
        try expect(.good, path[low], place, report: report)
        try expect(.bad, path[high], report: report)
        var skipped: Set<UInt64> = []
        while let next = Bisection.next(between: low, high, skipped) {
            switch try look(path[next], report) {
            case .good: low = next
            case .bad: high = next
            case .skipped: skipped.insert(next)
            }
        }
        return path.part(low + 1...high)
    }

    private mutating func expect(
        _ expected: Verdict, _ version: Version, _ place: String = "", report: (Version, Verdict) throws -> Void
    ) throws {
        let found = try look(version, report)
        guard found == expected else {
            throw ToolError(
                .refused, "bisect: version \(version)\(place): expected a \(expected) one, found a \(found) one")
        }
    }

    private mutating func look(_ version: Version, _ report: (Version, Verdict) throws -> Void) throws -> Verdict {
        let verdict = try judge.verdict(store.snapshot(at: version), &reader)
        judged.append((version, verdict))
        try report(version, verdict)
        return verdict
    }

    /// The place on the path to judge next: the one nearest to the middle that was not skipped; nil if there is none.
    static func next(between low: UInt64, _ high: UInt64, _ skipped: Set<UInt64>) -> UInt64? {
        guard high - low > 1 else { return nil }
        let middle = low + (high - low) / 2
        for distance in 0..<(high - low) {
            if middle + distance < high, !skipped.contains(middle + distance) { return middle + distance }
            if middle > low + distance, !skipped.contains(middle - distance) { return middle - distance }
        }
        return nil
    }
}
