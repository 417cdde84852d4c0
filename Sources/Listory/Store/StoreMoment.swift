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
    /// How often commits have been replaced since the store was opened. As long as this stays the same, a version is the same commit.
    ///
    /// The commits of this process that are not in the log yet are replaced when another process commits first; in a replica, also
    /// durable ones that are pending, when the commits of another device come before them. A cache whose keys are versions has to be
    /// emptied when this has changed; read it before what is put into the cache.
    public var replacementCount: UInt64 { group.revision }

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
    ///
    /// - Parameter isFixed: whether a result stays right also then. Then `body` is called again only if it throws.
    func reading<Result>(isFixed: Bool = false, _ body: (UInt64) throws -> Result) throws -> Result {
        while true {
            let revision = group.revision
            do {
                let result = try body(revision)
                if isFixed || group.revision == revision { return result }
            } catch {
                if group.revision == revision { throw error }
            }
        }
    }
}
