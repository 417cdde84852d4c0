// When the rows of a store were read.
//
// Always holds: of two moments of one store, the later one is greater. Versions alone do not say which is later, because a commit that
// others replace may be followed by fewer, or by as many.

import ListModel

/// How far a store had got when it was read.
struct StoreMoment: Comparable, Sendable {
    /// How often commits had been replaced.
    var revision: UInt64
    var version: Version

    static func < (left: StoreMoment, right: StoreMoment) -> Bool {
        (left.revision, left.version) < (right.revision, right.version)
    }
}

extension UntypedStore {
    /// The newest rows, and when they were read.
    var current: (rows: UntypedSnapshot, moment: StoreMoment) {
        get throws {
            try reading { revision in
                let rows = try snapshot
                return (rows, StoreMoment(revision: revision, version: rows.version))
            }
        }
    }

    /// Calls `body` with how often commits have been replaced; again if some are meanwhile, because others were faster.
    func reading<Result>(_ body: (UInt64) throws -> Result) throws -> Result {
        while true {
            let revision = group.revision
            do {
                let result = try body(revision)
                if group.revision == revision { return result }
            } catch {
                if group.revision == revision { throw error }
            }
        }
    }
}
