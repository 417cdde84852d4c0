// A message of nats.c.
//
// Always holds: it is freed with the object.

import CNATS
import SharedLog

/// A message that was received or that is to be sent.
final class NATSMessage {
    private static let idHeader = "Nats-Msg-Id"

    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    init(_ bytes: [UInt8], to subject: String, id: String) throws {
        var handle: OpaquePointer?
        let status = bytes.withUnsafeBytes { natsMsg_Create(&handle, subject, nil, $0.baseAddress, Int32($0.count)) }
        let failure = SharedLogError.unavailable(cause: "there is no memory for a message")
        guard status == NATS_OK, let handle else { throw failure }
        self.handle = handle
        guard natsMsgHeader_Set(handle, NATSMessage.idHeader, id) == NATS_OK else { throw failure }
    }

    deinit { natsMsg_Destroy(handle) }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: natsMsg_GetData(handle), count: Int(natsMsg_GetDataLength(handle)))
    }

    /// The id that its client has given it.
    var id: String? { header(NATSMessage.idHeader) }

    func header(_ name: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard natsMsgHeader_Get(handle, name, &value) == NATS_OK, let value else { return nil }
        return String(cString: value)
    }

    /// The sequence in the stream, of a message that was asked for.
    var sequence: UInt64 { natsMsg_GetSequence(handle) }

    /// The sequence in the stream, of a message from a consumer; nil if it is from somewhere else.
    var consumedSequence: UInt64? {
        var data: UnsafeMutablePointer<jsMsgMetaData>?
        guard natsMsg_GetMetaData(&data, handle) == NATS_OK, let data else { return nil }
        defer { jsMsgMetaData_Destroy(data) }
        return data.pointee.Sequence.Stream
    }
}
