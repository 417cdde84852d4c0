import CNATS

@testable import NATSLog

/// A connection to NATS without the engine.
final class RawNATS {
    private let connection: OpaquePointer
    let context: OpaquePointer
    /// What was sent to a subject.
    private var heard: OpaquePointer?

    init(_ url: String) throws {
        var connection: OpaquePointer?
        var context: OpaquePointer?
        guard natsConnection_ConnectTo(&connection, url) == NATS_OK,
            natsConnection_JetStream(&context, connection, nil) == NATS_OK
        else { throw TestFailure("no connection") }
        self.connection = connection!
        self.context = context!
    }

    deinit {
        natsSubscription_Destroy(heard)
        jsCtx_Destroy(context)
        natsConnection_Destroy(connection)
    }

    /// Makes a stream of a subject, or of the one with the same name. It has what an engine needs to read it, and tells nobody.
    func addStream(_ name: String, subject: String? = nil, maximumMessageBytes: Int32 = -1) throws {
        let strings = NATSStrings([name, subject ?? name])
        var subjects: [UnsafePointer<CChar>?] = [strings.pointers[1]]
        var configuration = jsStreamConfig()
        jsStreamConfig_Init(&configuration)
        configuration.Name = strings.pointers[0]
        configuration.AllowDirect = true
        configuration.MaxMsgSize = maximumMessageBytes
        let status = subjects.withUnsafeMutableBufferPointer { subjects in
            configuration.Subjects = subjects.baseAddress
            configuration.SubjectsLen = 1
            return js_AddStream(nil, context, &configuration, nil, nil)
        }
        guard status == NATS_OK else { throw TestFailure("no stream") }
    }

    /// Removes a stream.
    func removeStream(_ name: String) throws {
        guard js_DeleteStream(context, name, nil, nil) == NATS_OK else { throw TestFailure("no stream") }
    }

    /// Counts what is sent to a subject from now on.
    func listen(to subject: String) throws {
        guard natsConnection_SubscribeSync(&heard, connection, subject) == NATS_OK,
            natsConnection_Flush(connection) == NATS_OK
        else { throw TestFailure("no subscription") }
    }

    /// How much has been sent to that subject.
    func heardCount() throws -> Int {
        var (count, bytes): (Int32, Int32) = (0, 0)
        guard natsConnection_Flush(connection) == NATS_OK,
            natsSubscription_GetPending(heard, &count, &bytes) == NATS_OK
        else { throw TestFailure("no subscription") }
        return Int(count)
    }

    /// Sends an empty message, which is not stored.
    func send(to subject: String) throws {
        guard natsConnection_Publish(connection, subject, nil, 0) == NATS_OK,
            natsConnection_Flush(connection) == NATS_OK
        else { throw TestFailure("the message was not sent") }
    }

    /// Says that a message was stored, as the server does.
    func wake(_ sequence: String, _ id: String = "", at subject: String) throws {
        var message: OpaquePointer?
        natsMsg_Create(&message, subject, nil, nil, 0)
        defer { natsMsg_Destroy(message) }
        natsMsgHeader_Set(message, "Nats-Sequence", sequence)
        natsMsgHeader_Set(message, "Nats-Msg-Id", id)
        guard natsConnection_PublishMsg(connection, message) == NATS_OK, natsConnection_Flush(connection) == NATS_OK
        else { throw TestFailure("the message was not sent") }
    }

    /// Announces a message, as another client does.
    func announce(_ bytes: [UInt8], id: String, at subject: String) throws {
        let message = try NATSMessage(bytes, to: subject, id: id)
        guard natsConnection_PublishMsg(connection, message.handle) == NATS_OK else {
            throw TestFailure("the message was not sent")
        }
    }

    func publish(_ bytes: [UInt8], to subject: String, after last: UInt64? = nil) throws -> UInt64 {
        var message: OpaquePointer?
        _ = bytes.withUnsafeBytes {
            natsMsg_Create(
                &message, subject, nil, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
        }
        defer { natsMsg_Destroy(message) }
        if let last { natsMsgHeader_Set(message, "Nats-Expected-Last-Sequence", "\(last)") }
        var answer: UnsafeMutablePointer<jsPubAck>?
        guard js_PublishMsg(&answer, context, message, nil, nil) == NATS_OK, let answer else {
            throw TestFailure("the message was refused")
        }
        defer { jsPubAck_Destroy(answer) }
        return answer.pointee.Sequence
    }
}
