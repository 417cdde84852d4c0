// Where contents are whose commits were made again: a snapshot may refer to a record that was given up.
//
// Always holds: a place is forgotten no earlier than `age` has changed for the second time since it was noted; of the commits of which a
// part was left out, the newest are kept.

import ListModel
import Synchronization

/// Where the contents of commits are that were made again: snapshots may still refer to the records that were given up.
final class SupersededContents: Sendable {
    private let state = Locked(State())
    private let isUsed = Atomic<Bool>(false)

    private struct State: Sendable {
        var places: [ContentReference: ContentReference] = [:]
        /// Those that were noted before these.
        var olderPlaces: [ContentReference: ContentReference] = [:]
        /// How often older ones were forgotten.
        var turns = 0
        /// Commits of which a part was left out, so that some contents are nowhere else; the newest last.
        var commits: [Commit] = []
    }

    /// How often places became older ones. A place that is noted at n is kept at n + 1, and forgotten at n + 2. So whoever keeps rows for long
    /// has to read them again when the number has grown.
    var age: Int { isUsed.load(ordering: .acquiring) ? state.withLock { $0.turns } : 0 }

    /// How many places are kept, and once more as many older ones: who shows a snapshot gets a newer one soon.
    static let placeCount = 1 << 16
    /// How many commits are kept of which a part was left out, and how many bytes they have together at most.
    static let (commitCount, commitBytes) = (1_024, 16 << 20)

    /// Adds contents, and commits of which a part was left out.
    func note(_ places: [ContentReference: ContentReference], _ commits: [Commit]) {
        if places.isEmpty && commits.isEmpty { return }
        isUsed.store(true, ordering: .releasing)
        state.withLock { state in
            // A list with very many pending contents moves all of them each time.
            if state.places.count >= max(SupersededContents.placeCount, 8 * places.count) {
                (state.olderPlaces, state.places) = (state.places, [:])
                state.turns += 1
            }
            for (old, new) in places { state.places[old] = new }
            var bytes = 0
            let all = state.commits + commits
            let kept = all.suffix(SupersededContents.commitCount).reversed().prefix { commit in
                bytes += commit.record.count
                return bytes <= SupersededContents.commitBytes || bytes == commit.record.count
            }
            state.commits = Array(kept.reversed())
        }
    }

    /// Where a content is now; nil if it was not moved.
    func place(of content: ContentReference) -> ContentReference? {
        guard isUsed.load(ordering: .acquiring) else { return nil }
        return state.withLock { $0.places[content] ?? $0.olderPlaces[content] }
    }

    /// A content that is nowhere else; nil if there is none.
    func bytes(of content: ContentReference) -> [UInt8]? {
        guard isUsed.load(ordering: .acquiring) else { return nil }
        let commits = state.withLock { state in state.commits.filter { $0.version == content.version } }
        for commit in commits.reversed() {
            let found = try? commit.record.withUnsafeBytes { record in
                let bytes = try content.content(in: record)
                try content.check(bytes)
                return Array(bytes)
            }
            if let found { return found }
        }
        return nil
    }
}
