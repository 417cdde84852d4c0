// Tests `earlier` and `later`, the past by date, previews, and playbacks.

import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Time travel")
struct TimeTravelTests {
    /// A store with two branches: versions 1 to 4, and from 2 on, after two undos, 7 and 8; a minute lies between commits.
    private func branched() throws -> TimedStore {
        let fixture = try TimedStore { $0.coalescing = .never }
        func edit(_ body: (inout UntypedEditor) throws -> Void) throws {
            try fixture.edit("Edit", after: 60_000, body)
        }
        try edit { try $0.insertSection(NewSection(0)) }
        for number in 2...4 { try edit { try $0.insert(NewRow(number), at: .end(ofSection: "s0")) } }
        for _ in 0..<2 {
            fixture.time.advance(milliseconds: 60_000)
            try fixture.store.undo()
        }
        for number in 7...8 { try edit { try $0.insert(NewRow(number), at: .end(ofSection: "s0")) } }
        return fixture
    }

    @Test("Earlier and later go through the revisions of all branches, in the order of time")
    func earlierAndLater() throws {
        let fixture = try branched()
        #expect(try fixture.ids == [[2, 7, 8]])
        var seen: [[UntypedID]] = []
        while try fixture.store.earlier().commit != nil { seen.append(try fixture.ids.first ?? []) }
        #expect(seen == [[2, 7], [2, 3, 4], [2, 3], [2], [], []])
        #expect(try fixture.ids == [])
        try fixture.store.later(3)
        #expect(try fixture.ids == [[2, 3]])
        #expect(try fixture.store.history.redoCount == 1)
        try fixture.store.later(2)
        #expect(try fixture.ids == [[2, 7]])
        try fixture.store.later(99)
        #expect(try fixture.ids == [[2, 7, 8]])
        #expect(try fixture.store.later().commit == nil)
        try fixture.store.earlier(99)
        #expect(try fixture.ids == [])
    }

    @Test("Earlier and later take nothing back that they have not seen")
    func inOneGo() throws {
        let edit = Locked<(@Sendable () -> Void)?>(nil)
        let fixture = try StoreFixture { options in
            options.coalescing = .never
            // The clock is asked at the beginning of a call.
            options.now = {
                edit.withLock { $0.take() }?()
                return Timestamp(microseconds: 1_000_000)
            }
        }
        let store = fixture.store
        try fixture.fill(2)
        @Sendable func insert(_ id: Int64) {
            _ = try? store.edit("Insert") {
                try $0.insert(NewRow(id: .integer(id), content: []), at: .end(ofSection: "today"))
            }
        }
        func ids() throws -> [UntypedID] { try store.snapshot.sections.flatMap { $0.items.map(\.id) } }
        edit.withLock { $0 = { insert(2) } }
        #expect(try store.later().commit == nil)
        #expect(try ids() == [0, 1, 2])
        edit.withLock { $0 = { insert(3) } }
        try store.earlier()
        #expect(try ids() == [0, 1, 2], "one step before the row that came meanwhile")
        try store.close()
    }

    @Test("Some minutes earlier are the rows that the list showed then, undos included")
    func byTime() throws {
        let fixture = try branched()
        // It is minute 8; at minute 5.5 one undo had been made.
        fixture.time.advance(milliseconds: 30_000)
        try fixture.store.earlier(.seconds(180))
        #expect(try fixture.ids == [[2, 3]])
        // From that revision, whose commit was made at minute 3.
        try fixture.store.earlier(.seconds(61))
        #expect(try fixture.ids == [[]])
        try fixture.store.later(.seconds(180))
        #expect(try fixture.ids == [[2, 3, 4]])
        try fixture.store.later(.seconds(1))
        #expect(try fixture.ids == [[2, 7]])
        try fixture.store.later(.seconds(60_000_000))
        #expect(try fixture.ids == [[2, 7, 8]])
        #expect(try fixture.store.later(.seconds(60)).commit == nil)
        try fixture.store.earlier(.seconds(Int64.max))
        #expect(try fixture.ids == [])
        // Later than the checkout itself is the newest revision, not the one that was checked out.
        try fixture.store.later(.seconds(Int64.max))
        #expect(try fixture.ids == [[2, 7, 8]])
    }

    @Test("The version at a time is the newest one of that time, and reading it does not change undo")
    func dates() throws {
        let fixture = try branched()
        let first = try fixture.store.commit(Version(1)).time
        func version(_ seconds: Int64) throws -> Version {
            try fixture.store.version(at: Timestamp(microseconds: first.microseconds + seconds * 1_000_000))
        }
        #expect(try version(-1) == .empty)
        #expect(try version(0) == Version(1) && version(59) == Version(1) && version(60) == Version(2))
        #expect(try version(7 * 60) == Version(8) && version(1_000_000) == Version(8))
        let state = try fixture.store.undoState()
        let rows = try fixture.store.snapshot(at: Timestamp(microseconds: first.microseconds + 190_000_000))
        #expect(rows.sections.map { $0.items.map(\.id) } == [[2, 3, 4]])
        for number in 0...8 { _ = try fixture.store.snapshot(at: Version(UInt64(number))) }
        #expect(try fixture.store.undoState() == state && fixture.store.version == Version(8))
    }

    @Test(
        "A playback shows every version, forward and backward, of plain and of packed history",
        arguments: [false, true])
    func playback(isPacked: Bool) throws {
        var edited = try EditedStore(seed: 9, CheckpointTests.packing)
        try edited.edit(300)
        if isPacked {
            try edited.store.close()
            var compaction = Compaction(keeping: .from(Version(20)))
            compaction.unpackedCount = 40
            _ = try UntypedStore.compact(at: edited.path, compaction)
            try edited.reopen()
        }
        let source = GroupSource(base: edited.store.source)
        let (first, last) = (isPacked ? Version(20) : .empty, Version(300))
        for (from, to) in [(first, last), (last, first), (Version(150), Version(290)), (Version(290), Version(150))] {
            var rows = edited.versions[Int(from.rawValue)]
            var version = from
            try edited.store.forEachFrame(from: from, to: to) { frame in
                #expect(frame.previous.version == version)
                version = frame.snapshot.version
                #expect(frame.commit.version == max(version, frame.previous.version))
                let expected = edited.versions[Int(version.rawValue)]
                try #require(try ReferenceList(frame.snapshot, source) == expected)
                try #require(frame.changeset.applied(to: rows, giving: expected) == expected)
                rows = expected
            }
            #expect(version == to)
        }
        try edited.store.forEachFrame(from: last, to: last) { _ in Issue.record("nothing is to be played") }
        #expect(throws: ListError.self) { try edited.store.forEachFrame(from: last.next, to: first) { _ in } }
        if isPacked {
            #expect(throws: ListError.self) { try edited.store.forEachFrame(from: last, to: Version(19)) { _ in } }
        }
    }

    @Test("Frames come at the original speed, faster, or at fixed intervals, and long pauses are cut")
    func speeds() async throws {
        let fixture = try TimedStore { $0.coalescing = .never }
        for (number, pause) in [0, 100, 2_000, -50, 60_000].enumerated() {
            try fixture.edit("Edit", after: Int64(pause)) { try $0.insertSection(NewSection(number)) }
        }
        let store = fixture.store
        func pauses(_ speed: PlaybackSpeed, from: UInt64 = 1, to: UInt64 = 5) async throws -> [Duration] {
            let clock = SleepingClock()
            var versions: [UInt64] = []
            for try await frame in try store.playback(from: Version(from), to: Version(to), speed: speed, clock: clock)
            {
                versions.append(frame.snapshot.version.rawValue)
            }
            let expected = from < to ? Array(from + 1...to) : Array((to..<from).reversed())
            #expect(versions == expected)
            return clock.pauses
        }
        // A clock that was set back gives no pause.
        #expect(try await pauses(.original) == [.milliseconds(100), .seconds(2), .seconds(60)])
        #expect(try await pauses(.times(2)) == [.milliseconds(50), .seconds(1), .seconds(30)])
        #expect(try await pauses(.times(0.5)) == [.milliseconds(200), .seconds(4), .seconds(120)])
        #expect(
            try await pauses(.times(1, longestPause: .seconds(1))) == [.milliseconds(100), .seconds(1), .seconds(1)])
        #expect(try await pauses(.every(.milliseconds(40))) == Array(repeating: .milliseconds(40), count: 4))
        #expect(try await pauses(.unpaced) == [])
        #expect(PlaybackSpeed.times(.leastNonzeroMagnitude).pause(.seconds(1)) == .seconds(1e9))
        #expect(PlaybackSpeed.times(.infinity).pause(.seconds(1)) == .zero)
        // Backward, each version is shown as long as it lasted; the duration of the newest one is unknown.
        #expect(try await pauses(.original, from: 5, to: 1) == [.seconds(60), .seconds(2)])
        #expect(try await pauses(.original, from: 0, to: 2) == [.milliseconds(100)])
    }

    @Test("After a slow frame the pause is shorter, and a cancelled playback ends")
    func lateAndCancelled() async throws {
        let fixture = try TimedStore { $0.coalescing = .never }
        for number in 0..<4 { try fixture.edit { try $0.insertSection(NewSection(number)) } }
        let clock = SleepingClock()
        for try await frame in try fixture.store.playback(from: Version(1), to: Version(4), clock: clock) {
            if frame.snapshot.version == Version(2) { clock.advance(by: .milliseconds(1_500)) }
        }
        #expect(clock.pauses == [.seconds(1), .seconds(1)])
        let playback = try fixture.store.playback(from: .empty, to: Version(4), speed: .every(.seconds(3_600)))
        let task = Task {
            var count = 0
            for try await _ in playback { count += 1 }
            return count
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
