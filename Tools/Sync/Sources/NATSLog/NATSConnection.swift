// A connection to NATS servers with JetStream. nats.c has threads of its own; its calls wait for their answers, for half a minute at most.
//
// nats.c could make a lost connection again by itself. It would hold the lock of the connection meanwhile, which each call takes, also
// during a TLS handshake, which has no deadline. So that is turned off, and the log makes another connection, with `NATSConnector`.

import CNATS
import SharedLog

/// One connection. Used on one queue only.
final class NATSConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    let context: OpaquePointer
    private let events: NATSEvents
    private let secrets: [String]
    private var subscriptions: [OpaquePointer] = []
    /// How long to wait for a message: longer after each one that did not come in time, because a large one takes long on a slow line, and
    /// less after a large one that did. Not for ever, because a request that was lost is never answered.
    private var patience: Duration
    private let leastPatience: Duration
    private static let mostPatience = Duration.seconds(30)

    /// Connects to one of the servers, and waits for it, perhaps for ever: see ``NATSConnector``.
    init(_ address: NATSAddress, timeout: Duration, connectTimeout: Duration, events: NATSEvents) throws {
        var options: OpaquePointer?
        guard natsOptions_Create(&options) == NATS_OK, let options else {
            throw SharedLogError.unavailable(cause: "there is no memory for a connection")
        }
        defer { natsOptions_Destroy(options) }
        secrets = address.secrets
        self.events = events
        (patience, leastPatience) = (timeout, timeout)
        try NATSConnection.apply(address, to: options)
        natsOptions_SetName(options, "listory")
        natsOptions_SetTimeout(options, connectTimeout.milliseconds)
        // A server that has vanished is noticed after half a minute: on a slow line, the answer to a ping comes behind a large message.
        natsOptions_SetPingInterval(options, 5000)
        natsOptions_SetMaxPingsOut(options, 6)
        natsOptions_SetAllowReconnect(options, false)
        // No other servers than those of the address get the credentials.
        natsOptions_SetIgnoreDiscoveredServers(options, true)
        natsOptions_SetWriteDeadline(options, timeout.milliseconds)
        // What this client announces, it knows.
        natsOptions_SetNoEcho(options, true)
        let closure = events.closure
        // A replica that waits for changes looks, and finds that the log cannot be reached.
        natsOptions_SetClosedCB(options, { _, closure in NATSEvents.find(closure)?.doubt() }, closure)
        natsOptions_SetErrorHandler(
            options,
            { _, _, status, closure in
                guard status == NATS_NOT_PERMITTED, let events = NATSEvents.find(closure) else { return }
                // The error of this call. The connection itself has only the last one.
                let reason = nats_GetLastError(nil).map { String(cString: $0) } ?? ""
                // A client without the right to these notices asks the server now and then instead.
                if reason.contains(NATSNames.notices) { return }
                if reason.contains(NATSNames.elections) {
                    return events.hearsElections.store(false, ordering: .sequentiallyConsistent)
                }
                // A client without this right announces nothing more, and does everything else.
                let isAnnouncement = reason.contains(NATSNames.announcements)
                if isAnnouncement { events.mayAnnounce.store(false, ordering: .sequentiallyConsistent) }
                if !isAnnouncement { events.isRefused.store(true, ordering: .sequentiallyConsistent) }
            }, closure)
        var connection: OpaquePointer?
        let status = natsConnection_Connect(&connection, options)
        guard status == NATS_OK, let connection else {
            throw NATSConnection.failure(status, secrets: address.secrets)
        }
        handle = connection
        var streams = jsOptions()
        jsOptions_Init(&streams)
        streams.Wait = timeout.milliseconds
        var context: OpaquePointer?
        let made = natsConnection_JetStream(&context, connection, &streams)
        guard made == NATS_OK, let context else {
            natsConnection_Destroy(connection)
            throw NATSConnection.failure(made, secrets: address.secrets)
        }
        self.context = context
    }

    deinit {
        endSubscriptions()
        jsCtx_Destroy(context)
        natsConnection_Destroy(handle)
    }

    private static func apply(_ address: NATSAddress, to options: OpaquePointer) throws {
        func check(_ status: natsStatus, _ what: String) throws {
            // The reason is left out: it may quote what it does not understand.
            guard status == NATS_OK else {
                throw SharedLogError.invalidAddress(reason: "the client does not accept \(what)")
            }
        }
        let servers = NATSStrings(address.servers)
        try check(natsOptions_SetServers(options, servers.pointers, Int32(address.servers.count)), "the servers")
        if let credentials = address.credentials {
            try check(natsOptions_SetUserCredentialsFromFiles(options, credentials, nil), "the file of creds")
        }
        guard address.usesTLS else { return }
        try check(natsOptions_SetSecure(options, true), "TLS")
        if let authorities = address.authorities {
            try check(natsOptions_LoadCATrustedCertificates(options, authorities), "the file of ca")
        }
        if let certificate = address.certificate {
            try check(
                natsOptions_LoadCertificatesChain(options, certificate.file, certificate.key),
                "the files of cert and key")
        }
    }

    /// Whether requests reach a server. If they do not any more, they never will.
    var isConnected: Bool { natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED }

    /// The largest message that the server takes, with its headers.
    var maximumMessageBytes: Int { Int(natsConnection_GetMaxPayload(handle)) }

    // MARK: Failures

    private static func failure(
        _ status: natsStatus, _ code: jsErrCode = jsErrCode(0), secrets: [String]
    ) -> NATSFailure {
        var last = NATS_OK
        let detail = nats_GetLastError(&last).map { String(cString: $0) } ?? ""
        let text = natsStatus_GetText(status).map { String(cString: $0) } ?? "status \(status.rawValue)"
        let message = last == status && !detail.isEmpty ? "\(text): \(detail)" : text
        return NATSFailure(status: status, code: code, message: harmless(message, without: secrets))
    }

    /// Sends a request, and throws if it fails.
    func request(_ send: (inout jsErrCode) -> natsStatus) throws {
        var code = jsErrCode(0)
        let status = ask { send(&code) }
        try check(status, code)
    }

    /// Sends a request. What was refused before, such as removing a consumer, says nothing about this one.
    private func ask(_ send: () -> natsStatus) -> natsStatus {
        events.isRefused.store(false, ordering: .sequentiallyConsistent)
        return send()
    }

    private func check(_ status: natsStatus, _ code: jsErrCode = jsErrCode(0)) throws {
        guard status != NATS_OK else { return }
        let failure = NATSConnection.failure(status, code, secrets: secrets)
        // A request that is not permitted gets no answer.
        if status == NATS_TIMEOUT, events.isRefused.load(ordering: .sequentiallyConsistent) {
            throw NATSFailure(status: NATS_NOT_PERMITTED, code: code, message: "the server's rules")
        }
        throw failure
    }

    // MARK: Messages

    /// Stores a message, and returns its sequence.
    ///
    /// - Parameters:
    ///   - last: the sequence of the last message, at least 1, with which the stream must end; nil if it may end anywhere.
    ///   - announcement: the subject on which the message is sent to other clients at once, if it is small; nil for none.
    func publish(
        _ bytes: [UInt8], to subject: String, after last: UInt64? = nil, announcedOn announcement: String? = nil
    ) throws -> UInt64 {
        let id = events.makeId()
        if let announcement, bytes.count <= NATSEvents.mostAnnouncedBytes,
            events.mayAnnounce.load(ordering: .sequentiallyConsistent)
        {
            // If that fails, the others ask for the message.
            if let message = try? NATSMessage(bytes, to: announcement, id: id) {
                natsConnection_PublishMsg(handle, message.handle)
            }
        }
        var answer: UnsafeMutablePointer<jsPubAck>?
        try id.withCString { id in
            var options = jsPubOptions()
            jsPubOptions_Init(&options)
            options.ExpectLastSeq = last ?? 0
            options.MsgId = id
            try bytes.withUnsafeBytes { bytes in
                try request {
                    js_Publish(&answer, context, subject, bytes.baseAddress, Int32(bytes.count), &options, &$0)
                }
            }
        }
        defer { jsPubAck_Destroy(answer) }
        return answer!.pointee.Sequence
    }

    /// The message with a sequence; nil if there is none.
    ///
    /// Any server of a cluster may answer at first, and one that is behind does not have it yet: then the leader is asked.
    func message(_ sequence: UInt64, of stream: String) throws -> NATSMessage? {
        var message: OpaquePointer?
        var options = jsDirectGetMsgOptions()
        jsDirectGetMsgOptions_Init(&options)
        options.Sequence = sequence
        let isSlow = patience > leastPatience
        let status = wait { js_DirectGetMsg(&message, context, stream, &$0, &options) }
        if status == NATS_OK, let message {
            let found = NATSMessage(message)
            if found.sequence == sequence { return noting(found) }
        }
        // On a slow line, the same bytes from the leader would not come sooner.
        if isSlow, status == NATS_TIMEOUT { try check(status) }
        var code = jsErrCode(0)
        message = nil
        return try found(wait { js_GetMsg(&message, context, stream, sequence, &$0, &code) }, code, message)
    }

    /// The last message with a subject, according to the leader; nil if there is none.
    func lastMessage(_ subject: String, of stream: String) throws -> NATSMessage? {
        var message: OpaquePointer?
        var code = jsErrCode(0)
        let status = wait { js_GetLastMsg(&message, context, stream, subject, &$0, &code) }
        return try found(status, code, message)
    }

    /// Waits for a message as long as the line needs.
    private func wait(_ send: (inout jsOptions) -> natsStatus) -> natsStatus {
        var options = jsOptions()
        jsOptions_Init(&options)
        options.Wait = patience.milliseconds
        let status = ask { send(&options) }
        if status == NATS_TIMEOUT { patience = min(NATSConnection.mostPatience, patience * 2) }
        return status
    }

    private func found(_ status: natsStatus, _ code: jsErrCode, _ message: OpaquePointer?) throws -> NATSMessage? {
        if status == NATS_NOT_FOUND || code == JSNoMessageFoundErr { return nil }
        try check(status, code)
        let found = NATSMessage(message!)
        _ = try NATSConnection.checked(found.sequence)
        return noting(found)
    }

    /// A small message comes in time on any line.
    private func noting(_ message: NATSMessage) -> NATSMessage {
        if message.bytes.count > NATSEvents.mostAnnouncedBytes { patience = max(leastPatience, patience / 2) }
        return message
    }

    /// Tells the events what the server has stored, what other clients announce, and that another server leads the stream. What an attempt
    /// before has begun, it ends.
    func subscribe(to names: NATSNames) throws {
        endSubscriptions()
        var inbox: OpaquePointer?
        try check(natsConnection_SubscribeSync(&inbox, handle, names.announced))
        subscriptions.append(inbox!)
        // More are dropped.
        natsSubscription_SetPendingLimits(inbox, Int32(NATSEvents.mostAnnounced), -1)
        events.setInbox(inbox)
        try hear(names.stored) { _, _, message, closure in
            let message = NATSMessage(message!)
            guard let events = NATSEvents.find(closure) else { return }
            events.noteStored(message.header("Nats-Sequence").flatMap(UInt64.init) ?? 0, message.id)
        }
        try hear(names.elected) { _, _, message, closure in
            natsMsg_Destroy(message)
            NATSEvents.find(closure)?.doubt()
        }
        // Then the server knows of the subscriptions.
        try request { _ in natsConnection_FlushTimeout(handle, 5000) }
    }

    private func hear(_ subject: String, _ handler: natsMsgHandler) throws {
        var subscription: OpaquePointer?
        try check(natsConnection_Subscribe(&subscription, handle, subject, handler, events.closure))
        subscriptions.append(subscription!)
    }

    private func endSubscriptions() {
        // One that was made too late, and is freed unused, must not take the announcements from the one in use.
        guard !subscriptions.isEmpty else { return }
        events.setInbox(nil)
        for subscription in subscriptions { natsSubscription_Destroy(subscription) }
        subscriptions = []
    }

    /// Reads a stream from a sequence on.
    func reader(of stream: String, subject: String, from sequence: UInt64) throws -> NATSReader {
        let strings = NATSStrings([stream])
        var options = jsSubOptions()
        jsSubOptions_Init(&options)
        options.Stream = strings.pointers[0]
        options.Config.DeliverPolicy = js_DeliverByStartSequence
        options.Config.OptStartSeq = sequence
        options.Config.AckPolicy = js_AckNone
        options.Config.MemoryStorage = true
        // The server removes it when nobody has asked for so long.
        options.Config.InactiveThreshold = 30_000_000_000
        var subscription: OpaquePointer?
        try request { js_PullSubscribe(&subscription, context, subject, nil, nil, &options, &$0) }
        return NATSReader(subscription!, connection: self, next: sequence)
    }

    fileprivate func fetch(_ subscription: OpaquePointer, count: Int, bytes: Int) throws -> [NATSMessage] {
        var request = jsFetchRequest()
        jsFetchRequest_Init(&request)
        request.Batch = Int32(count)
        request.MaxBytes = Int64(bytes)
        request.NoWait = true
        var list = natsMsgList()
        let status = wait { options in
            request.Expires = options.Wait * 1_000_000
            return natsSubscription_FetchRequest(&list, subscription, &request)
        }
        defer { natsMsgList_Destroy(&list) }
        guard status == NATS_OK else { throw NATSConnection.failure(status, secrets: secrets) }
        return (0..<Int(list.Count)).compactMap { index in
            defer { list.Msgs[index] = nil }
            return list.Msgs[index].map(NATSMessage.init)
        }
    }
}

/// Reads many messages of a stream, one after another.
final class NATSReader {
    private let subscription: OpaquePointer
    // The subscription needs it.
    private let connection: NATSConnection
    /// The sequence of the next message.
    private(set) var next: UInt64

    fileprivate init(_ subscription: OpaquePointer, connection: NATSConnection, next: UInt64) {
        self.subscription = subscription
        self.connection = connection
        self.next = next
    }

    deinit {
        natsSubscription_Unsubscribe(subscription)
        natsSubscription_Destroy(subscription)
    }

    /// The next messages: none if there are none, if the next one has more bytes, or if the server has forgotten the consumer.
    func read(count: Int, bytes: Int) -> [NATSMessage] {
        guard let found = try? connection.fetch(subscription, count: count, bytes: bytes) else { return [] }
        // Messages of a request before, which came after its time, may be among them.
        let messages = found.enumerated().prefix { $1.consumedSequence == next + UInt64($0) }.map(\.element)
        next += UInt64(messages.count)
        return messages
    }
}
