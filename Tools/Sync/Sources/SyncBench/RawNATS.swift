import CNATS
import Foundation
import SharedLog

/// nats.c without the engine: a stream in files, to which messages are published. Nothing is compared.
final class RawNATS: RawClient {
    let name: String
    private let connection: OpaquePointer
    private let context: OpaquePointer
    private let stream: String
    private let isBatched: Bool
    private var subscription: OpaquePointer?

    /// - Parameters:
    ///   - replicas: how many servers keep the stream.
    ///   - isBatched: whether the entries of a call are one message, which is waited for; else each is a message, and none is
    ///     waited for before the last one.
    ///   - republishes: whether the server sends the headers of what it has stored to another subject.
    init(_ url: String, stream: String, replicas: Int, isBatched: Bool, republishes: Bool = false) throws {
        name = "nats.c, a message for each \(isBatched ? "call" : "entry")\(republishes ? ", republished" : "")"
        self.stream = "\(stream)_\(isBatched)_\(republishes)"
        self.isBatched = isBatched
        var connection: OpaquePointer?
        var context: OpaquePointer?
        guard natsConnection_ConnectTo(&connection, url) == NATS_OK,
            natsConnection_JetStream(&context, connection, nil) == NATS_OK
        else { fatalError("no connection") }
        self.connection = connection!
        self.context = context!
        var configuration = jsStreamConfig()
        jsStreamConfig_Init(&configuration)
        configuration.Replicas = Int64(replicas)
        var republish = jsRePublish()
        jsRePublish_Init(&republish)
        republish.HeadersOnly = true
        let status = self.stream.withCString { name in
            "woken.\(self.stream)".withCString { woken in
                withUnsafeMutablePointer(to: &republish) { republish in
                    republish.pointee.Source = name
                    republish.pointee.Destination = woken
                    if republishes { configuration.RePublish = republish }
                    configuration.Name = name
                    return js_AddStream(nil, context, &configuration, nil, nil)
                }
            }
        }
        // A server that is just making it for another client refuses this one.
        if status != NATS_OK {
            var information: UnsafeMutablePointer<jsStreamInfo>?
            guard js_GetStreamInfo(&information, context, self.stream, nil, nil) == NATS_OK else {
                fatalError("no stream")
            }
            jsStreamInfo_Destroy(information)
        }
    }

    deinit {
        natsSubscription_Destroy(subscription)
        jsCtx_Destroy(context)
        natsConnection_Destroy(connection)
    }

    func append(_ entries: [LogEntry]) throws {
        if isBatched {
            // As many messages as the server's limit makes necessary.
            var bytes: [UInt8] = []
            for entry in entries {
                if bytes.count + entry.encodedCount > 1_000_000 {
                    publish(bytes)
                    bytes = []
                }
                bytes += entry.encoded()
            }
            publish(bytes)
        } else {
            for entry in entries {
                let bytes = entry.encoded()
                let status = bytes.withUnsafeBytes {
                    js_PublishAsync(context, stream, $0.baseAddress, Int32($0.count), nil)
                }
                guard status == NATS_OK else { fatalError(String(cString: natsStatus_GetText(status))) }
            }
            let status = js_PublishAsyncComplete(context, nil)
            guard status == NATS_OK else { fatalError(String(cString: natsStatus_GetText(status))) }
        }
    }

    private func publish(_ bytes: [UInt8]) {
        var answer: UnsafeMutablePointer<jsPubAck>?
        let status = bytes.withUnsafeBytes {
            js_Publish(&answer, context, stream, $0.baseAddress, Int32($0.count), nil, nil)
        }
        guard status == NATS_OK else { fatalError(String(cString: natsStatus_GetText(status))) }
        jsPubAck_Destroy(answer)
    }

    func readAll(maximumBytes: Int) throws -> Int {
        var information: UnsafeMutablePointer<jsStreamInfo>?
        guard js_GetStreamInfo(&information, context, stream, nil, nil) == NATS_OK else { fatalError("no stream") }
        var remaining = Int(information!.pointee.State.Msgs)
        jsStreamInfo_Destroy(information)
        var options = jsSubOptions()
        jsSubOptions_Init(&options)
        options.Config.AckPolicy = js_AckNone
        options.Config.MemoryStorage = true
        var subscription: OpaquePointer?
        guard js_PullSubscribe(&subscription, context, stream, nil, nil, &options, nil) == NATS_OK else {
            fatalError("no consumer")
        }
        defer { natsSubscription_Destroy(subscription) }
        var bytes = 0
        // More bytes than nats.c keeps for a subscription would be lost.
        let most = isBatched ? 20 : 5000
        while remaining > 0 {
            var list = natsMsgList()
            let status = natsSubscription_Fetch(&list, subscription, Int32(min(remaining, most)), 5000, nil)
            guard status == NATS_OK else { fatalError(String(cString: natsStatus_GetText(status))) }
            for index in 0..<Int(list.Count) {
                let message = list.Msgs[index]
                // Who reads them keeps them.
                bytes +=
                    Array(
                        UnsafeRawBufferPointer(
                            start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
                    ).count
            }
            remaining -= Int(list.Count)
            natsMsgList_Destroy(&list)
        }
        return bytes
    }

    func listen() throws {
        // The server sends each message as soon as it has stored it.
        var options = jsSubOptions()
        jsSubOptions_Init(&options)
        options.Ordered = true
        options.Config.DeliverPolicy = js_DeliverNew
        let status = js_SubscribeSync(&subscription, context, stream, nil, &options, nil)
        guard status == NATS_OK else { fatalError(String(cString: natsStatus_GetText(status))) }
    }

    func signal(_ entry: LogEntry) throws { publish(entry.encoded()) }

    func next() throws -> [UInt8] {
        var message: OpaquePointer?
        let status = natsSubscription_NextMsg(&message, subscription, 5000)
        guard status == NATS_OK else { fatalError(String(cString: natsStatus_GetText(status))) }
        defer { natsMsg_Destroy(message) }
        return Array(
            UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message))))
    }
}
