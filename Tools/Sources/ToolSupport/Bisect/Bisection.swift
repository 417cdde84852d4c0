// Finds the version that went wrong, by halving the range between a good and a bad version.
//
// The versions are those of the log, in the order in which they were made, whatever branch they are on: what the list was at
// one time.
//
// Always holds: the version before the range is good, and the last one of the range is bad.

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

    /// Finds the first bad version between two.
    ///
    /// - Parameter report: is told of each version that was judged.
    /// - Returns: the versions of which one is the first bad one: only that, unless others were skipped.
    /// - Throws: ``ToolError`` if the first version is not good, or the last is not bad.
    /// - Complexity: O(log(versions)) judgements, and more if versions are skipped.
    public mutating func run(
        good: Version, bad: Version, report: (Version, Verdict) throws -> Void
    ) throws -> ClosedRange<Version> {
        guard good < bad else {
            throw ToolError(.refused, "bisect: expected a good version before \(bad), the bad one, found \(good)")
        }
        for (version, expected) in [(good, Verdict.good), (bad, .bad)] {
            let found = try look(version, report)
            guard found == expected else {
                throw ToolError(
                    .refused, "bisect: version \(version): expected a \(expected) one, found a \(found) one")
            }
        }
        var (low, high) = (good.rawValue, bad.rawValue)
        var skipped: Set<UInt64> = []
        while let next = Bisection.next(between: low, high, skipped) {
            switch try look(Version(next), report) {
            case .good: low = next
            case .bad: high = next
            case .skipped: skipped.insert(next)
            }
        }
        return Version(low + 1)...Version(high)
    }

    private mutating func look(_ version: Version, _ report: (Version, Verdict) throws -> Void) throws -> Verdict {
        let verdict = try judge.verdict(store.snapshot(at: version), &reader)
        judged.append((version, verdict))
        try report(version, verdict)
        return verdict
    }

    /// The version to judge next: the one nearest to the middle that was not skipped; nil if there is none.
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
