// Versions in order, as runs of consecutive ones: a path through a log of a million commits takes a few bytes.
//
// Always holds: there is a version on the path, and each one is later than those before it.

import ListModel

/// A path through the versions of a log.
public struct VersionPath: Sendable {
    /// The runs, the earliest first.
    let runs: [ClosedRange<Version>]

    /// A path of runs, the earliest first; at least one.
    public init(_ runs: [ClosedRange<Version>]) { self.runs = runs }

    /// How many versions there are on it.
    var count: UInt64 { runs.reduce(0) { $0 + VersionPath.count($1) } }

    /// A version by its place on the path.
    subscript(place: UInt64) -> Version {
        var rest = place
        for run in runs {
            if rest < VersionPath.count(run) { return Version(run.lowerBound.rawValue + rest) }
            rest -= VersionPath.count(run)
        }
        preconditionFailure("\(place) is not on the path")
    }

    /// The first and the last version.
    var first: Version { runs[0].lowerBound }
    var last: Version { runs[runs.count - 1].upperBound }

    /// The part between two places on the path.
    func part(_ places: ClosedRange<UInt64>) -> VersionPath {
        let (first, last) = (self[places.lowerBound], self[places.upperBound])
        return VersionPath(
            runs.filter { $0.upperBound >= first && $0.lowerBound <= last }.map { $0.clamped(to: first...last) })
    }

    private static func count(_ run: ClosedRange<Version>) -> UInt64 {
        run.upperBound.rawValue - run.lowerBound.rawValue + 1
    }

    /// The last version that is also on another path that begins at the same version.
    func last(sharedWith other: VersionPath) -> Version {
        var (mine, others) = (runs[...], other.runs[...])
        while let run = mine.last, let otherRun = others.last {
            if run.overlaps(otherRun) { return min(run.upperBound, otherRun.upperBound) }
            if run.lowerBound > otherRun.upperBound { mine.removeLast() } else { others.removeLast() }
        }
        preconditionFailure("the paths begin at different versions")
    }

    /// The part from a version on, which is on the path.
    func starting(at first: Version) -> VersionPath {
        VersionPath(runs.filter { $0.upperBound >= first }.map { max(first, $0.lowerBound)...$0.upperBound })
    }
}
