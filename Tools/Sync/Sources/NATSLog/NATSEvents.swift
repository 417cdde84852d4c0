// What nats.c tells from its own threads, until the log asks for it.
//
// A small message is announced: its client sends it to all others while it sends it to the server to be stored. When the server then
// tells that it has stored the message with that id, the others have the bytes already, and need not ask for them. Of a message that is
// not announced, or whose announcement is late, they are only told that it was stored.
//
// Always holds: what was announced is used only behind the last entry that was read or appended, so it is never taken for what the server
// has at a place that is checked.

import CNATS
import SharedLog
import Synchronization

/// What the server has told one log. Its functions are called from any thread.
///
/// nats.c may still call when its connection is closed, so it is given a number, not a pointer: a number that is not known any more
/// is ignored.
final class NATSEvents: Sendable {
    /// The largest message that is announced. A large one takes longer to send than to ask for.
    static let mostAnnouncedBytes = 4 << 10
    /// How many announcements are kept, and how many notices that something is stored.
    static let mostAnnounced = 16

    private static let all = Mutex<(events: [UInt: NATSEvents], next: UInt)>(([:], 1))

    let broadcast: ChangeBroadcast
    /// How often there was a reason to forget what the log knows: the connection was lost, another server of the cluster leads the stream,
    /// or the stream has begun anew.
    let doubts = Atomic(0)
    /// The sequence of the message that was stored last, as far as this client was told; 0 if it was not.
    let stored = Atomic<UInt64>(0)
    /// Whether the server has said since the last request was sent that one was not permitted.
    let isRefused = Atomic(false)
    /// Whether this client may announce messages, as far as it knows.
    let mayAnnounce = Atomic(true)
    /// Whether this client is told that another server leads the stream, as far as it knows.
    let hearsElections = Atomic(true)
    private let key: UInt
    /// Before the numbers of this client's messages.
    private let idPrefix = String(UInt64.random(in: 0...UInt64.max), radix: 36) + "-"
    private let messageCount = Atomic(0)
    private let news = Mutex(News())
    /// The address of the subscription in which nats.c keeps what was announced; 0 without one. It is looked at when something is
    /// stored, so that an announcement wakes no thread.
    private let inbox = Mutex<UInt>(0)

    private struct News {
        /// Messages that may be stored or not, the newest last.
        var announced: [(id: String, bytes: [UInt8])] = []
        /// Messages that are stored, and may be announced or not, the newest last.
        var told: [(id: String, sequence: UInt64)] = []
        /// The number of the entry up to which the log was read last; nil if it was not read.
        var readNumber: UInt64?
        /// The message behind which the entries end that were taken last.
        var tail: NATSLog.Tail?
    }

    init(_ broadcast: ChangeBroadcast) {
        self.broadcast = broadcast
        key = NATSEvents.all.withLock { all in
            defer { all.next += 1 }
            return all.next
        }
        NATSEvents.all.withLock { $0.events[key] = self }
    }

    /// What nats.c is given.
    var closure: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: key) }

    /// Hears nothing any more, also from a connection that is only made afterwards.
    func forget() {
        NATSEvents.all.withLock { _ = $0.events.removeValue(forKey: key) }
        clear()
    }

    static func find(_ closure: UnsafeMutableRawPointer?) -> NATSEvents? {
        all.withLock { $0.events[UInt(bitPattern: closure)] }
    }

    // MARK: From nats.c

    func doubt() {
        clear()
        doubts.add(1, ordering: .sequentiallyConsistent)
        broadcast.yield()
    }

    /// Forgets what was told: the log may be another one.
    func clear() {
        stored.store(0, ordering: .relaxed)
        news.withLock { $0 = News() }
    }

    /// From now on, announcements are read from this subscription; nil for none.
    func setInbox(_ subscription: OpaquePointer?) { inbox.withLock { $0 = UInt(bitPattern: subscription) } }

    private func readAnnouncements() {
        inbox.withLock { address in
            guard let subscription = OpaquePointer(bitPattern: address) else { return }
            var message: OpaquePointer?
            while natsSubscription_NextMsg(&message, subscription, 0) == NATS_OK {
                let message = NATSMessage(message!)
                if let id = message.id { announce(id, Array(message.bytes)) }
            }
        }
    }

    func announce(_ id: String, _ bytes: [UInt8]) {
        guard bytes.count <= NATSEvents.mostAnnouncedBytes else { return }
        news.withLock { NATSEvents.keep((id, bytes), in: &$0.announced) }
    }

    /// Notes that a message is stored, and wakes those who wait for changes, unless this client has sent it.
    ///
    /// In a cluster, its announcement may come afterwards.
    func noteStored(_ sequence: UInt64, _ id: String?) {
        readAnnouncements()
        // The log was rolled back, or replaced.
        if stored.exchange(sequence, ordering: .relaxed) >= sequence { doubt() }
        if id?.hasPrefix(idPrefix) == true { return }
        defer { broadcast.yield() }
        guard let id, sequence > 0, sequence < NATSConnection.sequenceLimit else { return }
        news.withLock { NATSEvents.keep((id, sequence), in: &$0.told) }
    }

    private static func keep<Element>(_ element: Element, in elements: inout [Element]) {
        if elements.count == mostAnnounced { elements.removeFirst() }
        elements.append(element)
    }

    // MARK: For the log

    /// An id for a message of this client.
    func makeId() -> String { idPrefix + String(messageCount.add(1, ordering: .relaxed).newValue) }

    /// The message behind which the entries end that were taken last; nil if none were since the last call.
    func takeTail() -> NATSLog.Tail? {
        news.withLock { news in
            defer { news.tail = nil }
            return news.tail
        }
    }

    /// Notes up to which entry the log was read or appended to.
    func noteRead(through number: UInt64) { news.withLock { $0.readNumber = number } }

    /// Whether there may be more after a number than was announced and taken.
    func mayHaveMore(after number: UInt64) -> Bool {
        news.withLock { news in
            guard let tail = news.tail, tail.position.number == number else { return true }
            return !news.told.isEmpty || stored.load(ordering: .relaxed) != tail.sequence
        }
    }

    /// The entries after a number that were announced and are stored, if the log was read up to that number; nil if there are none, or
    /// if they are more bytes. An earlier entry is asked for to learn what the server has now, so it never comes from here.
    func takeEntries(after number: UInt64, maximumBytes: Int, of list: String) -> [LogEntry]? {
        news.withLock { news in
            guard number == news.readNumber, !news.told.isEmpty, number < LogPosition.maximumNumber else { return nil }
            var entries: [LogEntry] = []
            var tail: NATSLog.Tail?
            do {
                for (id, sequence) in news.told {
                    let next = number + UInt64(entries.count) + 1
                    guard let bytes = news.announced.first(where: { $0.id == id })?.bytes,
                        let found = try bytes.withUnsafeBytes({ bytes -> [LogEntry]? in
                            let numbers = try NATSFrame.numbers(in: bytes, of: list, at: .entry(next))
                            guard let numbers, numbers.lowerBound == next else { return nil }
                            return try NATSFrame.entries(in: bytes, numbers: numbers, from: next)
                        })
                    else { if entries.isEmpty { continue } else { break } }
                    entries += found
                    tail = NATSLog.Tail(sequence: sequence, position: entries.last!.position)
                }
                try LogChain.verify(entries, afterNumber: number)
            } catch {
                // The log reads what is stored, and reports what is wrong with it.
                news = News()
                return nil
            }
            guard let tail, entries.count == 1 || entries.reduce(0, { $0 + $1.encodedCount }) <= maximumBytes else {
                return nil
            }
            news.told.removeAll { $0.sequence <= tail.sequence }
            (news.tail, news.readNumber) = (tail, tail.position.number)
            return entries
        }
    }
}
