// Finds the fewest commits, events and rows after which something is wrong.
//
// A bisection finds the first commit after which it is wrong. The rows before this commit are right, so no other commit is
// needed. Then parts are left out, half of them at a time, a quarter, and so on to single ones: events, sections, rows.
//
// Always holds: the rows at the start are good, and those at the end bad. The same log and the same judge lead to the same
// list, unless the time is up.

import ListModel
import Listory

/// A search for a short list that goes wrong.
public struct Reduction {
    private let judge: Bisection.Judge
    private let limit: Duration
    private let clock = ContinuousClock()
    private let began: ContinuousClock.Instant
    /// The shortest list so far.
    public private(set) var list: ShortList
    /// The version after which the rows were wrong in the store.
    public let version: Version
    /// How many shorter lists were judged.
    public private(set) var trialCount = 0
    /// Whether the time was up before each single part had been left out.
    public private(set) var isCutOff = false

    /// Searches in a range of commits: the version before it is good, and the last one bad.
    ///
    /// - Parameters:
    ///   - limit: how long to search.
    ///   - progress: called now and then with the share of the time that is gone, 0 to 1; ends the search by throwing.
    /// - Throws: what `progress` throws; ``ToolError`` if the ends are not so, or if the rows are right once they are redacted; an error of the store
    ///   or of the program.
    public init(
        _ range: ClosedRange<Version>, of store: UntypedStore, _ judge: Bisection.Judge, keepsContents: Bool,
        limit: Duration, progress: (Double) throws -> Void = { _ in }
    ) throws {
        (self.judge, self.limit) = (judge, limit)
        began = clock.now
        var bisection = Bisection(store, judge)
        // In the order of the log: what is left of the range has to be good just before it.
        let path = VersionPath([Version(range.lowerBound.rawValue - 1)...range.upperBound])
        let found = try bisection.run(along: path, report: { _, _ in })
        version = found.last
        list = try ShortList(found.first...found.last, of: store, keepsContents: keepsContents)
        guard try isWrong(list) else {
            let hint = keepsContents ? "" : " with redacted contents; see --keep-contents"
            throw ToolError(
                .refused,
                "extract: expected good rows before version \(found.first) and bad ones after \(version), found others\(hint)"
            )
        }
        try shorten(progress)
    }

    /// What was found, as a line of JSON.
    public var json: [UInt8] {
        let counts = list.counts
        return JSONWriter.line { writer in
            writer.member("badVersion", version.rawValue)
            writer.member("commits", counts.commits)
            writer.member("events", counts.events)
            writer.member("rowsBefore", counts.rows)
            writer.member("tried", trialCount)
            writer.member("timeUp", isCutOff)
            if list.unrecognisedCount > 0 { writer.member("omittedEvents", list.unrecognisedCount) }
        }
    }

    /// What was found, in a line, and what was left out of it.
    public var summary: String {
        let counts = list.counts
        return
            "version \(version): \(counts.commits) commits, \(counts.events) events, \(counts.rows) rows before them "
            + "(\(trialCount) tried\(isCutOff ? "; the time was up, so there may be less" : ""))\n"
            + SummaryReport.text(omittedEventCount: list.unrecognisedCount)
    }

    private func isWrong(_ list: ShortList) throws -> Bool {
        try judge.verdict(list.end, list.log) == .bad && judge.verdict(list.start, list.log) == .good
    }

    private mutating func shorten(_ progress: (Double) throws -> Void) throws {
        var size = -1
        func sum(_ list: ShortList) -> Int {
            list.eventParts.count + list.sectionParts.count + list.rowParts.count
        }
        while sum(list) != size, !isCutOff {
            size = sum(list)
            try leaveOut(\.commitParts, progress) { ShortList.Omission(commits: $0) }
            try leaveOut(\.eventParts, progress) { ShortList.Omission(events: $0) }
            try leaveOut(\.sectionParts, progress) { ShortList.Omission(subjects: $0) }
            try leaveOut(\.rowParts, progress) { ShortList.Omission(subjects: $0) }
        }
    }

    /// Leaves out as many parts of a kind as possible, the last first: earlier ones do not depend on them.
    private mutating func leaveOut<Part: Hashable>(
        _ parts: (ShortList) -> [Part], _ progress: (Double) throws -> Void,
        _ omission: (Set<Part>) -> ShortList.Omission
    ) throws {
        var size = parts(list).count
        while size > 0 {
            let present = parts(list)
            var end = present.count
            while end > 0 {
                let elapsed = clock.now - began
                guard elapsed < limit else {
                    isCutOff = true
                    return
                }
                try progress(elapsed / limit)
                let first = max(0, end - size)
                let shorter = try ShortList(list, without: omission(Set(present[first..<end])))
                trialCount += 1
                if try isWrong(shorter) { list = shorter }
                end = first
            }
            size /= 2
        }
    }
}
