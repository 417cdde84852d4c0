// The shared log of a list in NATS JetStream.
//
// nats.c blocks, so the actor runs on a dispatch queue of its own. No function of it waits for another task, except for the offer of a
// snapshot, which has a connection of its own. So one call is finished before the next one begins.

import CNATS
import SharedLog

/// The shared log of one list, kept by NATS JetStream as a stream in files.
///
/// The address is `tls://user:password@host:4222`, with several servers after commas, and the parameters `creds`, `ca`, `cert`, `key` and
/// `replicas`. With `nats://`, nothing is encrypted. Then no credentials are sent to another machine, unless there is the parameter
/// `tls=no`. The streams are created when they are missing.
///
/// Only servers of the address are used: of a cluster, name those that a client may reach.
///
/// The numbers of a stream are not those of entries: a message holds as many entries as fit.
public actor NATSLog: SharedLog {
    public struct Options: Sendable {
        /// How long each server of the address has to accept a connection. It is waited for one second longer.
        public var connectTimeout: Duration = .seconds(3)
        /// How long to wait for the answer to a request. For a message that did not come in that time, longer the next time.
        public var timeout: Duration = .seconds(5)
        /// How often to look whether the log has grown, in case a wake-up was lost.
        public var pause: Duration = .seconds(5)
        /// How many servers of a cluster keep a list that is created. The parameter `replicas` of the address goes before it.
        public var replicas = 1
        /// Whether the streams are created when they are missing.
        public var createsList = true
        /// The largest message, with its headers; the server may have a smaller limit.
        public var maximumMessageBytes = 1 << 20
        /// The largest snapshot that is written or read.
        package var maximumSnapshotBytes = LogSnapshot.maximumBytes

        public init() {}
    }

    /// The last message with entries: its sequence, and the position behind it.
    struct Tail: Hashable {
        /// The sequence of the last message that is known, with entries or not.
        var sequence: UInt64
        var position: LogPosition
    }

    private let executor = ConnectionExecutor(label: "listory.nats")
    private let address: NATSAddress
    let list: String
    private let options: Options
    let names: NATSNames
    private let broadcast: ChangeBroadcast
    let events: NATSEvents
    private let replicas: Int
    private var connector: NATSConnector
    private var connection: NATSConnection?
    /// Whether the stream was found on this connection, and what is told of it is heard.
    private var isPrepared = false
    private var isClosed = false
    private var watch: Task<Void, Never>?
    /// Where the log ends, as it was when it was last read or appended to.
    var tail: Tail?
    /// The state of the stream for which ``tail`` was read.
    var tailEnd: NATSConnection.StreamEnd?
    private var seenDoubts = 0
    /// How many servers of a cluster keep the stream; nil if the server is in none. Until it is known, it may be one.
    var streamReplicas: Int? = 1
    /// The largest message that the stream takes, as far as it is known.
    private var streamMessageBytes: Int?
    var cursor = Cursor()

    /// Where the last reading ended.
    struct Cursor {
        /// The number of the next entry.
        var number: UInt64 = 1
        /// Entries from that number on, which were read but not returned.
        var entries: ArraySlice<LogEntry> = []
        /// The sequence of the message behind them.
        var sequence: UInt64 = 1
        /// The sequence of the last message, as far as it is known.
        var last: UInt64 = 0
        var reader: NATSReader?
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Connects when it is first used.
    public init(url: String, list: String, options: Options = Options()) throws {
        guard !list.isEmpty else {
            throw SharedLogError.invalidAddress(reason: "the name of a list has at least one character")
        }
        self.init(try NATSAddress(url), list: list, options: options)
    }

    private init(_ address: NATSAddress, list: String, options: Options) {
        self.address = address
        self.list = list
        self.options = options
        names = NATSNames(list: list)
        replicas = address.replicas ?? options.replicas
        broadcast = ChangeBroadcast()
        events = NATSEvents(broadcast)
        connector = NATSConnector(
            address, timeout: options.timeout, connectTimeout: options.connectTimeout, events: events)
    }

    deinit {
        watch?.cancel()
        events.forget()
        // An attempt to connect that hangs keeps it.
        broadcast.finish()
    }

    // MARK: SharedLog

    public func end() throws -> LogPosition { try perform { try readTail(on: $0).position } }

    public func append(_ entries: [LogEntry], after position: LogPosition) throws -> AppendResult {
        try LogChain.verify(entries, after: position)
        return try perform { connection in
            var limit = try messageBytes(on: connection, ofStream: streamMessageBytes)
            let overhead = NATSFrame.entriesHeader + NATSFrame.entryHeader
            if entries.contains(where: { $0.encodedCount + overhead > limit }) {
                // Somebody may have changed the stream's limit.
                _ = try streamEnd(on: connection)
                limit = try messageBytes(on: connection, ofStream: streamMessageBytes)
            }
            if let large = entries.first(where: { $0.encodedCount + overhead > limit }) {
                throw SharedLogError.tooLarge(
                    number: large.number, bytes: large.encodedCount, limit: max(0, limit - overhead))
            }
            followAnnouncements()
            var tail =
                if let tail = self.tail, tail.position == position, isToldOfDoubts { tail } else {
                    try readTail(on: connection)
                }
            guard tail.position == position else { return .behind(end: tail.position) }
            guard !entries.isEmpty else { return .appended }
            if tail.sequence == 0 {
                _ = try connection.publish(NATSFrame.beginning(of: list), to: names.subject)
                tail = try readTail(on: connection)
                guard tail.position == position else { return .behind(end: tail.position) }
            }
            for part in NATSFrame.cut(entries, bytes: limit) {
                if let end = try append(part, after: &tail, on: connection) {
                    guard part.startIndex == 0 else {
                        throw SharedLogError.unavailable(cause: "others have appended behind the first of the entries")
                    }
                    return .behind(end: end)
                }
            }
            return .appended
        }
    }

    /// What was announced is returned on the caller's executor: a change of threads takes as long as asking a server that is near.
    public nonisolated(nonsending) func entries(after number: UInt64, maximumBytes: Int) async throws -> [LogEntry] {
        if let entries = events.takeEntries(after: number, maximumBytes: maximumBytes, of: list) { return entries }
        return try await read(after: number, maximumBytes: maximumBytes)
    }

    public nonisolated func mayHaveMore(after number: UInt64) -> Bool { events.mayHaveMore(after: number) }

    private func read(after number: UInt64, maximumBytes: Int) throws -> [LogEntry] {
        guard number < LogPosition.maximumNumber else { return [] }
        return try perform { connection in
            do {
                let result = try read(from: number + 1, maximumBytes: maximumBytes, on: connection)
                try LogChain.verify(result, afterNumber: number)
                events.noteRead(through: result.last?.number ?? number)
                return result
            } catch {
                cursor = Cursor()
                throw error
            }
        }
    }

    public nonisolated func changes() -> AsyncStream<Void> {
        let stream = broadcast.stream()
        Task { await startWatching() }
        return stream
    }

    public func snapshot() throws -> LogSnapshot? {
        try perform { try NATSSnapshots.read(names, largest: options.maximumSnapshotBytes, on: $0) }
    }

    public func snapshotPosition() throws -> LogPosition? {
        try perform { try NATSSnapshots.position(names, on: $0) }
    }

    /// On a slow line, this takes minutes. So it has a connection of its own, and commits are exchanged meanwhile.
    public func offer(_ snapshot: LogSnapshot) async throws {
        guard !isClosed else { throw SharedLogError.closed }
        try snapshot.checkSize(limit: options.maximumSnapshotBytes)
        try await NATSLog(address, list: list, options: options).write(snapshot)
    }

    private func write(_ snapshot: LogSnapshot) throws {
        try perform { connection in
            // The stream of the log may have another limit than that of the snapshots.
            try NATSSnapshots.write(
                snapshot, names, messageBytes: try messageBytes(on: connection), replicas: replicas, on: connection)
        }
    }

    public func close() {
        isClosed = true
        watch?.cancel()
        // That this connection ends is no news.
        events.forget()
        cursor = Cursor()
        connection = nil
        broadcast.finish()
    }

    // MARK: Appending

    /// Whether this client is told if the stream ends elsewhere than it did: a server by itself ends the connection when it starts again.
    /// In a cluster, the server that takes over a stream says so, unless one server keeps it alone, and a client that follows looks.
    private var isToldOfDoubts: Bool {
        guard let streamReplicas else { return true }
        return streamReplicas > 1 && watch != nil && events.hearsElections.load(ordering: .sequentiallyConsistent)
    }

    /// The bytes of a message without its headers.
    ///
    /// - Parameter streamLimit: the largest message that the stream takes; nil if it has no limit of its own.
    private func messageBytes(on connection: NATSConnection, ofStream streamLimit: Int? = nil) throws -> Int {
        let limit = connection.maximumMessageBytes
        guard limit >= NATSLog.leastMessageBytes else {
            throw SharedLogError.refused(
                .permissions,
                cause: "it takes messages of \(limit) bytes; at least \(NATSLog.leastMessageBytes) are needed")
        }
        let own = max(NATSLog.leastMessageBytes, min(options.maximumMessageBytes, limit))
        return max(1, min(own, streamLimit ?? own) - 256)
    }

    private static let leastMessageBytes = 1 << 10

    /// Where the stream ends. Notes what else the server says of the stream.
    func streamEnd(on connection: NATSConnection) throws -> NATSConnection.StreamEnd {
        let end = try connection.end(of: names.log)
        (streamReplicas, streamMessageBytes) = (end.replicas, end.maximumMessageBytes)
        return end
    }

    /// Appends a message; returns where the log ends if that is elsewhere.
    private func append(
        _ entries: ArraySlice<LogEntry>, after tail: inout Tail, on connection: NATSConnection
    ) throws -> LogPosition? {
        // A message that expects nothing would be stored wherever the stream ends.
        guard tail.sequence > 0 else {
            throw SharedLogError.unavailable(cause: "the stream was replaced while it was read")
        }
        let bytes = NATSFrame.entries(entries)
        let end = entries.last!.position
        for _ in 0..<3 {
            do {
                self.tail = nil
                let sequence = try connection.publish(
                    bytes, to: names.subject, after: tail.sequence, announcedOn: names.announced)
                guard sequence == tail.sequence + 1 else {
                    throw SharedLogError.damaged(
                        .end, expected: "sequence \(tail.sequence + 1)", found: "sequence \(sequence)")
                }
                tail = Tail(sequence: sequence, position: end)
                self.tail = tail
                tailEnd = nil
                events.noteRead(through: end.number)
                if cursor.number == entries.first!.number, cursor.entries.isEmpty {
                    // These entries are known, so the next reading begins behind them.
                    (cursor.number, cursor.sequence) = (end.number + 1, sequence + 1)
                }
                return nil
            } catch let failure as NATSFailure where failure.isWrongSequence {
                let found = try readTail(on: connection)
                if found.position == end {
                    // Another replica has appended the same entries, which the log had lost.
                    tail = found
                    return nil
                }
                guard found.position == tail.position else { return found.position }
                // Another client has begun the stream as well: nothing but the sequence is different.
                tail = found
            }
        }
        throw SharedLogError.unavailable(cause: "the log changes while it is read")
    }

    // MARK: The connection

    private func perform<Result>(_ body: (NATSConnection) throws -> Result) throws -> Result {
        guard !isClosed else { throw SharedLogError.closed }
        do {
            let connection = try connected()
            do {
                return try body(connection)
            } catch let failure as NATSFailure where failure.code == JSStreamNotFoundErr {
                // Somebody has removed the stream, or the servers have lost it.
                forget()
                try prepare(connection)
                return try body(connection)
            }
        } catch let failure as NATSFailure {
            throw failure.error
        }
    }

    /// Forgets what was read.
    private func forget() {
        tail = nil
        tailEnd = nil
        cursor = Cursor()
        events.clear()
    }

    private func connected() throws -> NATSConnection {
        if let connection, !connection.isConnected {
            (self.connection, isPrepared) = (nil, false)
            connector.noteLoss()
            // Behind the next one, the log may be another.
            forget()
        }
        if let connection, isPrepared {
            let doubts = events.doubts.load(ordering: .sequentiallyConsistent)
            if doubts != seenDoubts {
                seenDoubts = doubts
                forget()
            }
            return connection
        }
        let connection = try connector.connect(self.connection)
        self.connection = connection
        do {
            try prepare(connection)
            try connection.subscribe(to: names)
        } catch {
            if case .unavailable = (error as? NATSFailure)?.error, connector.keeps(after: error) { throw error }
            self.connection = nil
            connector.noteFailure(error)
            throw error
        }
        isPrepared = true
        connector.noteSuccess()
        // What came while there was no connection woke nobody.
        broadcast.yield()
        return connection
    }

    /// Finds the stream of the list, or makes it.
    private func prepare(_ connection: NATSConnection) throws {
        do {
            _ = try streamEnd(on: connection)
        } catch let failure as NATSFailure where failure.isNotFound {
            guard options.createsList else { throw SharedLogError.notFound(list: list) }
            try connection.addStream(names.log, subject: names.subject, stored: names.stored, replicas: replicas)
        }
    }

    // MARK: Waking up

    private func startWatching() {
        guard watch == nil, !isClosed else { return }
        let pause = options.pause
        watch = Task { [weak self] in
            while !Task.isCancelled {
                guard let next = await self?.look() else { return }
                // Sooner if there is no connection yet.
                try? await Task.sleep(for: next ? pause : min(pause, .milliseconds(200)))
            }
        }
    }

    private var seen: NATSConnection.StreamEnd?

    /// Looks whether the log has grown, or went back. Whether it could; nil if the log is closed.
    private func look() -> Bool? {
        guard !isClosed else { return nil }
        do {
            let found = try perform { connection in
                // A replica may take every entry from announcements, and then makes no other request.
                followAnnouncements()
                return try connection.end(of: names.log)
            }
            // What this client has appended or taken since may be there, or something else in its place.
            let known = max(seen?.last ?? 0, tail?.sequence ?? 0)
            if let seen, seen != found || found.last < known {
                if found.last <= known { forget() }
                broadcast.yield()
            }
            seen = found
            return true
        } catch {
            return false
        }
    }
}
