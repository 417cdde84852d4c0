// Streams of NATS that somebody else has changed.

import CNATS
import Foundation
import SharedLog
import Testing

@testable import NATSLog

extension HostileServerTests {
    @Test func messagesOfSomebodyElseAreDamage() async throws {
        let good = NATSFrame.entries(entries[3].position.entries("e")[...])
        var cut = good
        cut.removeLast()
        var flipped = good
        flipped[flipped.count - 1] ^= 1
        var many = good
        many.replaceSubrange(10..<14, with: [255, 255, 255, 255])
        var large = good
        large.replaceSubrange(14..<18, with: [255, 255, 255, 127])
        let hostile: [[UInt8]] = [
            [], [1], [1, 9], [0, 0], Array("\0hello".utf8), [1, 2, 0, 0], cut, flipped, many, large, good + [0],
            NATSFrame.beginning(of: "another list"), [1, 3, 1, 2, 3], NATSFrame.entries(entries[...]),
            NATSFrame.entries(LogPosition(number: 9, checksum: 1).entries("far")[...]),
            NATSFrame.entries([LogEntry(number: 5, link: 1, payload: [])]),
        ]
        for bytes in hostile {
            let (list, log) = try await filledStream()
            try publish(bytes, to: NATSNames(list: list).subject)
            do {
                let found = try await log.all()
                Issue.record("\(bytes.prefix(40)) is not noticed: \(found.count) entries")
            } catch SharedLogError.damaged {}
            await log.close()
        }
        let (list, log) = try await filledStream()
        try publish([2, 2], to: NATSNames(list: list).subject)
        await #expect(throws: SharedLogError.futureFormat(.entry(5), expected: 1, found: 2)) { try await log.all() }
        await #expect(throws: SharedLogError.futureFormat(.end, expected: 1, found: 2)) { try await log.end() }
        await log.close()
    }

    @Test func moreBeginningsDoNoHarm() async throws {
        let (list, log) = try await filledStream()
        let subject = NATSNames(list: list).subject
        for _ in 0..<3 { try publish(NATSFrame.beginning(of: list), to: subject) }
        #expect(try await log.end() == entries[3].position)
        let more = entries[3].position.entries("e", "f")
        #expect(try await log.append([more[0]], after: entries[3].position) == .appended)
        try publish(NATSFrame.beginning(of: list), to: subject)
        #expect(try await log.append([more[1]], after: more[0].position) == .appended)
        let reader = try Engine.nats.open(SharedServers.nats.get().url, list: list)
        #expect(try await reader.all() == entries + more)
        for number in 0..<6 {
            let found = try await reader.entries(after: UInt64(number), maximumBytes: 1)
            #expect(found == [(entries + more)[number]])
        }
        await log.close()
        await reader.close()
    }

    @Test func forgedWakeUpsDoNoHarm() async throws {
        let (list, log) = try await filledStream()
        let forger = try RawNATS(SharedServers.nats.get().url)
        let changes = Task { for await _ in log.changes() {} }
        for sequence in ["18446744073709551615", "99999999999999999999", "0", "-1", "four", "2", "3", "5"] {
            for _ in 0..<3 {
                try forger.wake(sequence, at: NATSNames(list: list).stored)
                try await Task.sleep(for: .milliseconds(10))
                #expect(try await log.all() == entries)
                #expect(try await log.end() == entries[3].position)
            }
        }
        changes.cancel()
        await log.close()
    }

    /// Who may send to these subjects could append to the log as well; what it says is believed once at most.
    @Test func whatIsAnnouncedAndWasNeverStoredIsNotReadAgain() async throws {
        let (list, log) = try await filledStream()
        let names = NATSNames(list: list)
        let forger = try RawNATS(SharedServers.nats.get().url)
        let changes = Task { for await _ in log.changes() {} }
        // Then it listens.
        try await Task.sleep(for: .seconds(1))
        for sequence in ["18446744073709551615", "0", "2", "6", "900"] {
            let forged = NATSFrame.entries(entries[3].position.entries("forged")[...])
            try forger.announce(forged, id: "x\(sequence)", at: names.announced)
            try forger.wake(sequence, "x\(sequence)", at: names.stored)
            try await Task.sleep(for: .milliseconds(100))
            let first = try? await log.all()
            // Nothing in it says that it was not stored.
            if sequence == "6" { #expect(first?.count == 5) }
            #expect(try await log.all() == entries)
            #expect(try await log.end() == entries[3].position)
        }
        let more = entries[3].position.entries("e")
        #expect(try await log.append(more, after: entries[3].position) == .appended)
        #expect(try await log.all() == entries + more)
        changes.cancel()
        await log.close()
    }

    @Test func aSnapshotOfSomebodyElseIsDamage() async throws {
        let parts = [
            NATSFrame.Manifest(position: .beginning, size: 5, digest: 0, parts: [1, 2]).encoded,
            NATSFrame.Manifest(position: .beginning, size: 5, digest: 0, parts: [1 << 62]).encoded,
            // Right but for the order of its parts.
            NATSFrame.Manifest(
                position: .beginning, size: 9,
                digest: LogSnapshot(position: .beginning, bytes: [1, 2, 3, 1, 2, 3, 1, 2, 3]).digest, parts: [1, 1, 1]
            ).encoded,
            [1, 4], [1, 3], [],
            Array(NATSFrame.Manifest(position: .beginning, size: 5, digest: 0, parts: [1, 2]).encoded.dropLast()),
        ]
        for bytes in parts {
            let (list, log) = try await filledStream()
            try await log.offer(LogSnapshot(position: entries[1].position, bytes: [1, 2, 3]))
            try publish(bytes, to: NATSNames(list: list).manifest)
            do {
                _ = try await log.snapshot()
                Issue.record("\(bytes) is not noticed")
            } catch SharedLogError.damaged {}
            // The next one takes its place.
            let snapshot = LogSnapshot(position: entries[2].position, bytes: [4])
            try await log.offer(snapshot)
            #expect(try await log.snapshot() == snapshot)
            await log.close()
        }
    }

    @Test func messagesCannotBeRemovedFromALog() async throws {
        let (list, log) = try await filledStream()
        let connection = try RawNATS(SharedServers.nats.get().url)
        let stream = NATSNames(list: list).log
        #expect(js_PurgeStream(connection.context, stream, nil, nil) != NATS_OK)
        #expect(js_DeleteMsg(connection.context, stream, 2, nil, nil) != NATS_OK)
        #expect(try await log.all() == entries)
        await log.close()
    }

    /// A log of eight entries, a message each, of which one message was deleted. The first message is the beginning of the log.
    private func streamWithout(_ sequence: UInt64) async throws -> (url: String, list: String, log: any SharedLog) {
        let url = try SharedServers.nats.get().url
        let list = UUID().uuidString
        let names = NATSNames(list: list)
        let connection = try RawNATS(url)
        try connection.addStream(names.log, subject: names.subject)
        let log = try Engine.nats.open(url, list: list)
        var end = LogPosition.beginning
        for number in 1...8 as ClosedRange<UInt8> {
            let entry = LogEntry(after: end, payload: [number])
            #expect(try await log.append([entry], after: end) == .appended)
            end = entry.position
        }
        #expect(js_DeleteMsg(connection.context, names.log, sequence, nil, nil) == NATS_OK)
        return (url, list, log)
    }

    /// A few messages are read one by one, the others by a consumer.
    @Test(arguments: [3, 7] as [UInt64])
    func aMessageThatIsMissingBeforeTheEndIsDamage(sequence: UInt64) async throws {
        let (url, list, log) = try await streamWithout(sequence)
        let reader = try Engine.nats.open(url, list: list)
        do {
            let found = try await reader.all()
            Issue.record("it is not noticed: \(found.count) entries")
        } catch SharedLogError.damaged(let place, _, _) { #expect(place == .entry(sequence - 1)) }
        await log.close()
        await reader.close()
    }

    /// What others append meanwhile does not make it a log that cannot be reached.
    @Test func aMessageThatIsMissingIsDamageAlsoWhileOthersAppend() async throws {
        // That of the entry which is searched for.
        let (url, list, log) = try await streamWithout(5)
        let subject = NATSNames(list: list).subject
        let others = Task {
            let raw = try RawNATS(url)
            while !Task.isCancelled {
                _ = try raw.publish(NATSFrame.beginning(of: list), to: subject)
                await Task.yield()
            }
        }
        let reader = try Engine.nats.open(url, list: list)
        for _ in 0..<20 {
            do {
                _ = try await reader.entries(after: 3, maximumBytes: 1)
                Issue.record("it is not noticed")
            } catch SharedLogError.damaged(let place, _, _) { #expect(place == .entry(4)) }
        }
        others.cancel()
        _ = try await others.value
        await log.close()
        await reader.close()
    }

    /// What the engine would do with a message for each entry, sent without waiting: the reason why it does not.
    @Test func entriesWithAMessageEachMayBeTakenBehindThoseOfAnother() throws {
        let connection = try RawNATS(SharedServers.nats.get().url)
        let name = "control-\(UUID().uuidString)"
        try connection.addStream(name)
        #expect(try connection.publish([0], to: name) == 1)
        // Another client stores the second message, and this one's second message is refused. Its third one is not.
        #expect(try connection.publish([9], to: name, after: 1) == 2)
        #expect(throws: TestFailure.self) { try connection.publish([1], to: name, after: 1) }
        #expect(try connection.publish([2], to: name, after: 2) == 3)
        // That a stream is empty is ignored by this server, unless it is a new one.
        let empty = try? connection.publish([3], to: name, after: 0)
        #expect(empty == 4 || empty == nil)
    }

    private func filledStream() async throws -> (list: String, log: any SharedLog) {
        let list = UUID().uuidString
        let log = try Engine.nats.open(SharedServers.nats.get().url, list: list)
        for (index, entry) in entries.enumerated() {
            let before = index == 0 ? LogPosition.beginning : entries[index - 1].position
            #expect(try await log.append([entry], after: before) == .appended)
        }
        return (list, log)
    }

    private func publish(_ bytes: [UInt8], to subject: String) throws {
        _ = try RawNATS(SharedServers.nats.get().url).publish(bytes, to: subject)
    }
}
