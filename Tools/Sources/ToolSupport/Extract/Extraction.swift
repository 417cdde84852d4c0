// Makes a small store of a part of a log, to hand over or to make a test of.
//
// The first commit inserts the rows that there were before the part. After it comes each commit of the part, with its name,
// its origin, its time and its events; all of them are edits, because what an undo went back to may be missing.
//
// Always holds: the rows after each commit are those of the old list, at the same places and with the same ids.

import ListModel
import Listory

/// Copies commits into a new store.
public struct Extraction {
    private let copy: EventCopy

    /// An extraction from a log.
    public init(_ source: any CommitSource, keepsContents: Bool) {
        copy = EventCopy(source, keepsContents: keepsContents)
    }

    /// Writes the commits of a range into an empty store, and waits until they are durable.
    ///
    /// - Parameter progress: called now and then with the share that is done, 0 to 1.
    /// - Returns: how many events were left out because this build does not know what they are.
    /// - Throws: `ListError` for versions that are not there; an error of one of the stores.
    @discardableResult
    public static func write(
        _ range: ClosedRange<Version>, of source: UntypedStore, keepsContents: Bool, to target: UntypedStore,
        progress: (Double) -> Void = { _ in }
    ) throws -> Int {
        let extraction = Extraction(source.source, keepsContents: keepsContents)
        let before = try source.snapshot(at: Version(range.lowerBound.rawValue - 1))
        let count = Double(before.itemCount) + Double(range.upperBound.rawValue - range.lowerBound.rawValue + 1)
        try extraction.write(before, at: source.commitInfo(range.lowerBound).time, to: target) {
            progress(Double($0) / count)
        }
        try source.forEachCommit(in: range) { commit in
            try extraction.write(commit, to: target)
            let done = commit.version.rawValue - range.lowerBound.rawValue
            if done % 1_024 == 0 { progress(Double(UInt64(before.itemCount) + done) / count) }
        }
        try target.waitUntilDurable()
        return extraction.copy.unrecognisedCount
    }

    /// Writes a list that is in memory into an empty store, and waits until it is durable.
    ///
    /// - Throws: an error of the store.
    public static func write(_ list: ShortList, to target: UntypedStore) throws {
        let extraction = Extraction(list.log, keepsContents: true)
        try extraction.write(list.start, at: list.time, to: target)
        for commit in list.commits { try extraction.write(commit.commit, to: target) }
        try target.waitUntilDurable()
    }

    private func write(
        _ rows: UntypedSnapshot, at time: Timestamp, to target: UntypedStore, progress: (Int) -> Void = { _ in }
    ) throws {
        try target.edit(EventCopy.startName, time: time, durability: .deferred) {
            try copy.insert(rows, into: &$0, progress: progress)
        }
    }

    private func write(_ commit: Commit, to target: UntypedStore) throws {
        let draft = copy.draft(of: commit)
        try target.edit(
            draft.name, origin: draft.origin, time: draft.time,
            tracking: draft.tracking == .untracked ? .untracked : nil, isDiscardable: draft.isDiscardable,
            durability: .deferred
        ) { list in
            for event in try commit.events() { try copy.apply(event, to: &list) }
        }
    }
}
